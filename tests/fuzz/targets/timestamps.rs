//! RFC 3339 times. The name of a time zone can follow after `|`.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| stead_calendar::fuzzing::timestamps(text));
