//! MCP messages. The first line names a tool, and the rest is the message.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let (name, message) = input.split_once('\n').unwrap_or(("", input));
    stead_server::fuzzing::mcp_message(name, message.as_bytes());
});
