//! Lines of recurrences.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| stead_calendar::fuzzing::recurrence(text));
