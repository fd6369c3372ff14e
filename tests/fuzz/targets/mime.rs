//! Mails, as the product returns them and as Stead builds them from lines.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stead_mail::fuzzing::mime(input));
