//! Stead as an [axum] router with the REST API, the OAuth callback and the consent page.
//!
//! [`router`] is a plain [`Router`](axum::Router). Serve it with [`serve`], or nest it in your axum application. Stead
//! builds all links, redirects and cookies from the platform's public URL, never from a request's `Host` or
//! `X-Forwarded-*`.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let key = std::fs::read_to_string("stead.key")?;
//! let platform = stead::Platform::builder("https://example.com/stead").key(&key).in_memory().build().await?;
//! let application: axum::Router = axum::Router::new().nest("/stead", stead_server::router(&platform));
//! # Ok(()) }
//! ```
//!
//! `operations/` serves what `stead_core::api` declares. `rest/` has the few routes that don't fit: streams, files, raw
//! requests, and calls of tools.
// Badges for items that need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod authentication;
mod brand;
mod caller;
mod connect;
#[cfg(feature = "dashboard")]
mod dashboard;
mod document;
mod extract;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod holding;
mod index;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod log_tests;
mod mcp;
mod mcp_endpoint;
mod metrics;
mod middleware;
mod oauth;
mod openapi;
mod operations;
mod options;
mod pages;
mod patience;
#[cfg(test)]
mod policy_door_tests;
mod problem;
mod proxy_host;
mod replayed;
mod request_id;
mod rest;
mod router;
mod routes;
#[cfg(test)]
mod scope_tests;
mod serve;
mod source;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_clock;
#[cfg(test)]
mod tests;
mod timeout;
#[cfg(test)]
mod trace_tests;

pub use brand::Brand;
pub use document::openapi;
pub use mcp::Handlers as McpHandlers;
pub use options::ServerOptions;
#[cfg(feature = "dashboard")]
pub use options::{
    DashboardAccess, DashboardOptions, Sample, SandboxControl, SandboxField, SandboxRecord,
    SandboxRequest, SandboxSection, Trial,
};
pub use router::{Routers, router, router_with, routers};
pub use serve::{Server, UnderWay, Workers, serve};

use crate::routes::{ForApplications, Route};

/// The callers of a route, and the form of its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Access {
    /// An application with its token.
    Application,
    /// An application with its token, or an account's token.
    #[serde(rename = "application")]
    Proxy,
    /// An agent with the token of an MCP session.
    #[serde(rename = "mcp_session")]
    Mcp,
    /// A person in a browser.
    Browser,
    /// A person who returns from a product.
    Callback,
    /// Anyone, without a token.
    Anyone,
    /// Anyone, even if the service is overloaded.
    #[serde(rename = "anyone")]
    Health,
    /// Members of the dashboard, in a browser.
    #[cfg(feature = "dashboard")]
    #[serde(untagged)]
    Dashboard(dashboard::Door),
}

impl Access {
    /// Whether it is for pages.
    fn is_for_browsers(self) -> bool {
        #[cfg(feature = "dashboard")]
        if matches!(self, Self::Dashboard(_)) {
            return true;
        }
        matches!(self, Self::Browser)
    }
}

#[cfg(test)]
impl Access {
    fn takes_token(self) -> bool {
        matches!(self, Self::Application | Self::Proxy)
    }
}

/// Every route of the service.
fn table() -> Vec<(Access, Vec<Route>)> {
    let table = [
        (Access::Application, known(rest::routes())),
        (Access::Application, known(operations::routes())),
        (Access::Proxy, known(rest::proxy_routes())),
        (Access::Mcp, known(mcp_endpoint::routes())),
        (Access::Anyone, mcp_endpoint::resource_routes()),
        (Access::Browser, connect::routes()),
        (Access::Callback, oauth::callback_routes()),
        (Access::Anyone, oauth::token_routes()),
        (Access::Health, rest::health_routes()),
        (Access::Anyone, index::routes()),
    ]
    .into_iter();
    #[cfg(feature = "dashboard")]
    let table = table.chain(dashboard::table());
    table.collect()
}

fn known(routes: Vec<ForApplications>) -> Vec<Route> {
    routes.into_iter().map(|route| route.0).collect()
}
