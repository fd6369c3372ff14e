//! Recurrence lines.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| stead_calendar::fuzzing::recurrence(text));
