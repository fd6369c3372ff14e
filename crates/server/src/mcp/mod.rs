//! `/mcp`: the tools as a server of the Model Context Protocol, revisions 2026-07-28 and 2025-11-25 at one address.
//!
//! A request has the token of an MCP session, which says whose user is meant and what may be called. What is allowed is
//! decided in core; here calls are translated, and users are asked to authorize in the way that their client knows.

mod authorize;
mod call;
mod challenge;
mod handler;
mod links;
mod own_tools;
mod results;
mod sessions;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
};
use stead::core::{caller::Caller, environment::Environment};

pub(crate) use challenge::{authenticate, resource_routes};
use handler::Tools;
pub use sessions::Handlers;
pub(crate) use sessions::Mcp;

use crate::{
    extract::Acting,
    options::ServerOptions,
    problem::Result,
    routes::{ForApplications, any},
};

/// The endpoint.
pub(crate) fn routes() -> Vec<ForApplications> {
    vec![any("/mcp", serve).needs_no_scope()]
}

/// The server of an environment, with the tools of its catalogue.
pub(crate) fn server(environment: &Environment, options: &ServerOptions) -> Mcp {
    match &options.mcp_handlers {
        Some(handlers) => handlers.server(environment, options),
        None => Mcp::new(environment, options, Tools::default()),
    }
}

/// `ANY /mcp`: a message of the protocol, and what it responds with.
async fn serve(
    State(mcp): State<Arc<Mcp>>,
    Acting(environment): Acting,
    request: Request,
) -> Result<Response> {
    let Caller::McpSession(session) = environment.caller() else {
        return Err(challenge::missing(&environment));
    };
    mcp.serve(session.session_id, request).await
}
