//! Webhook URLs.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| stead_core::fuzzing::webhook_url(text));
