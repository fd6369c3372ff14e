//! Paths of raw requests, compared with the parsers of `http` and `url`.

#![no_main]

libfuzzer_sys::fuzz_target!(|path: &str| stead_core::fuzzing::proxy_path(path));
