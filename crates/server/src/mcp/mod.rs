//! An MCP server for the tools. It serves revisions 2026-07-28 and 2025-11-25 at the same address.
//!
//! A message belongs to an MCP session, which fixes the user and the allowed tools. Core decides what is allowed. This
//! module translates calls, and asks users to authorize in the form that their client knows.

mod authorize;
mod call;
mod caller;
mod client;
mod connection;
mod direct;
mod find;
mod handler;
mod lenient;
mod links;
mod own_tools;
mod progress;
#[cfg(any(test, feature = "fuzzing"))]
mod property;
mod read_result;
mod results;
mod sessions;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;

use stead_core::environment::Environment;

use handler::Tools;
pub(crate) use lenient::LARGEST;
#[cfg(feature = "fuzzing")]
pub(crate) use property::holds as message_holds;
pub use sessions::Handlers;
pub(crate) use sessions::Mcp;

/// The server of an environment. It has the tools of the catalogue, unless other handlers are given. Pages of these
/// origins and of the public URL may send messages.
pub(crate) fn server(
    environment: &Environment,
    allowed_origins: &[String],
    handlers: Option<&Handlers>,
) -> Mcp {
    match handlers {
        Some(handlers) => handlers.server(environment, allowed_origins),
        None => {
            let tools = Tools::default();
            let links = Arc::clone(&tools.links);
            Mcp::new(environment, allowed_origins, tools).with_direct_calls(links)
        }
    }
}
