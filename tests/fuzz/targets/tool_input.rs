//! Inputs of tools. The first byte selects the tool, and the rest is JSON.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use stead_core::fuzzing::{Subject, tool_input};

/// All tools of all products.
static TOOLS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let products = [
        &stead_calendar::PRODUCT,
        &stead_drive::PRODUCT,
        &stead_mail::PRODUCT,
        &stead_sheets::PRODUCT,
        &stead_warehouse::PRODUCT,
        &stead_workspace::PRODUCT,
    ];
    let entries = products.iter().flat_map(|product| product.tools);
    entries.map(Subject::new).collect()
});

fuzz_target!(|input: &str| {
    let mut letters = input.chars();
    if let Some(first) = letters.next() {
        let tool = &TOOLS[first as usize % TOOLS.len()];
        tool_input(tool, letters.as_str());
    }
});
