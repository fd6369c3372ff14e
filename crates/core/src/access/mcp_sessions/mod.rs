//! MCP sessions, which let an agent call tools for one user and do nothing else.

mod by_issuer;
#[cfg(test)]
mod by_issuer_tests;
mod manage;
mod offer;
mod request_state;
mod token;

pub(super) use by_issuer::check_jwt;
pub(crate) use manage::create;
pub(crate) use manage::delete;
pub(crate) use manage::new_link;
pub(crate) use manage::{list, read};
pub use offer::{McpConnection, McpOffer};
pub(crate) use offer::{offer, usable_connections};
pub use request_state::RequestState;
pub(crate) use request_state::{open_state, seal_state};

use crate::{
    Error, ErrorKind, Result,
    caller::{self, Caller},
    context::Context,
    domain,
};

/// Prefix of every session token.
pub(super) const PREFIX: &str = "stead_mcp_";

/// Whether the caller can see the session.
fn is_seen(context: &Context, row: &domain::McpSession) -> bool {
    context.caller.connections().cover(&row.connections)
}

fn missing() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "no MCP session has this id; it may have expired",
    )
}

/// The caller's own session.
fn own(context: &Context) -> Result<&caller::McpSession> {
    match context.caller.as_ref() {
        Caller::McpSession(session) => Ok(session),
        _ => Err(Error::new(
            ErrorKind::InsufficientScope,
            "this needs the token of an MCP session; create one with POST /v1/mcp-sessions",
        )),
    }
}
