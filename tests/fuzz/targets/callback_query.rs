//! The query of the callback from a product.

#![no_main]

libfuzzer_sys::fuzz_target!(|query: &str| stead_core::fuzzing::callback_query(query));
