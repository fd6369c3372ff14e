//! Properties of every MCP message, for `tests/fuzz`.

/// Checks a message with the name in its header. Panics if a property doesn't hold.
pub fn mcp_message(name: &str, body: &[u8]) {
    crate::mcp::message_holds(name, body);
}
