//! Mails: as the product has them, and built from lines.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stead_mail::fuzzing::mime(input));
