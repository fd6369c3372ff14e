//! Mails that Stead composes.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stead_mail::fuzzing::compose(input));
