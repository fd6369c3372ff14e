//! Times of RFC 3339, and behind `|` the names of zones.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| stead_calendar::fuzzing::timestamps(text));
