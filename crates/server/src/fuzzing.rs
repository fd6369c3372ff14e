//! What must hold for any message of the Model Context Protocol, called by `tests/fuzz`.

/// A message, with the name that its header has: it panics where something does not hold.
pub fn mcp_message(name: &str, body: &[u8]) {
    crate::mcp::message_holds(name, body);
}
