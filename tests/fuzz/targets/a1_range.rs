//! Spreadsheet ranges.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| stead_sheets::fuzzing::a1_range(text));
