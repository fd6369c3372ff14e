//! What must hold for any message of the Model Context Protocol, called by `tests/fuzz`.

/// A message, with the name in its header. Panics if a property doesn't hold.
pub fn mcp_message(name: &str, body: &[u8]) {
    crate::mcp::message_holds(name, body);
}
