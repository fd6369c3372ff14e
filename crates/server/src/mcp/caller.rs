//! The caller of a message: an MCP session and its user.

use stead::{Error, ErrorKind};
use stead_core::{
    caller::{Caller, McpSession},
    environment::Environment,
};

/// The calling session.
pub(super) fn session(environment: &Environment) -> Result<&McpSession, Error> {
    match environment.caller() {
        Caller::McpSession(session) => Ok(session),
        _ => Err(Error::new(
            ErrorKind::InsufficientScope,
            "this needs the token of an MCP session",
        )),
    }
}

/// The user of the calling session.
pub(super) fn identifier(environment: &Environment) -> Result<&str, Error> {
    Ok(session(environment)?.identifier.as_str())
}
