//! Headers of raw requests, one per line.

#![no_main]

libfuzzer_sys::fuzz_target!(|lines: &[u8]| stead_core::fuzzing::headers(lines));
