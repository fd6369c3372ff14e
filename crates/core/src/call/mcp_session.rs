//! Restrictions of MCP sessions: only their tools, and only for their own user.

use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    tool::{Effect, ToolEntry},
};

/// Rejects sessions, because a raw request isn't one of their tools.
pub(super) fn refuse(caller: &Caller) -> Result<()> {
    match caller {
        Caller::McpSession(_) => Err(insufficient("an MCP session can only call tools")),
        _ => Ok(()),
    }
}

/// Rejects a session if the call is for a different user.
pub(super) fn names(caller: &Caller, identifier: &str) -> Result<()> {
    match caller {
        Caller::McpSession(session) if session.identifier.as_str() != identifier => {
            Err(insufficient("this MCP session belongs to another user"))
        }
        _ => Ok(()),
    }
}

/// Rejects a tool that the session doesn't have. Its connections were already checked.
pub(super) fn allows(caller: &Caller, tool: &ToolEntry) -> Result<()> {
    let Caller::McpSession(session) = caller else {
        return Ok(());
    };
    let (name, reads) = (tool.name(), tool.effect() == Effect::Read);
    if session.has(name, reads) {
        return Ok(());
    }
    Err(insufficient(&match session.read_only {
        true if !reads => format!("this MCP session is read-only, but {name} can change something"),
        _ => format!("this MCP session doesn't include the tool {name}"),
    }))
}

fn insufficient(message: &str) -> Error {
    Error::new(ErrorKind::InsufficientScope, message)
}
