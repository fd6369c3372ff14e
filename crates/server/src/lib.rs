//! Stead as an [axum] router with the REST API, the OAuth callback and the consent page.
//!
//! [`router`] is a plain [`Router`]. Serve it with [`serve`], or nest it in your axum application. Stead builds all
//! links, redirects and cookies from the platform's public URL, never from a request's `Host` or `X-Forwarded-*`.
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
// Badges for what needs a feature.
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
mod front;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod holding;
mod index;
mod layer;
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

use std::sync::Arc;

use axum::{Router, middleware::from_fn_with_state, routing::MethodRouter};
use stead::{Error, ErrorKind, core::environment::Environment};

pub use brand::Brand;
pub use document::openapi;
pub use front::Front;
pub use mcp::Handlers as McpHandlers;
pub use options::ServerOptions;
#[cfg(feature = "dashboard")]
pub use options::{
    DashboardAccess, DashboardOptions, Sample, SandboxControl, SandboxField, SandboxRecord,
    SandboxRequest, SandboxSection, Trial,
};
pub use serve::{Served, Server, UnderWay, Workers, serve};

use crate::{
    authentication::Entrance,
    layer::layer,
    problem::Problem,
    routes::{ForApplications, Route, Slashes},
    state::ServerState,
};

/// The routes of an embedded platform, with [`ServerOptions::default`] and without the dashboard. For the dashboard,
/// use [`router_with`] and invite the first owner with
/// [`NewMember`](stead::core::resource::NewMember).
pub fn router(platform: &stead::Platform) -> Router {
    #[cfg(not(feature = "dashboard"))]
    let options = ServerOptions::default();
    #[cfg(feature = "dashboard")]
    let options = {
        let mut options = ServerOptions::default();
        options.dashboard.access = DashboardAccess::Off;
        options
    };
    router_with(platform, &options)
}

/// All routes of a platform. If it has a proxy URL, requests to that host go to the proxy host.
pub fn router_with(platform: &stead::Platform, options: &ServerOptions) -> Router {
    let environment = platform.environment();
    let (router, state) = service(environment, options, Slashes::OnRoutes);
    match proxy_host::Host::of(environment) {
        Some(host) => front::with_host(router, &state, host),
        None => router,
    }
}

/// The routers of a platform, which share their bounds.
#[derive(Debug)]
#[non_exhaustive]
pub struct Routers {
    /// The same as [`router_with`], for a [`Server`] that serves nothing else. Calls go straight to their handlers, so they
    /// cost less.
    pub server: Front,
    /// Only the proxy host, for its own listener. It accepts account tokens on any path. `Host` needs to be the proxy
    /// URL's host, one of [`ServerOptions::allowed_hosts`] or this machine. `None` if the platform has no proxy URL.
    pub proxy: Option<Router>,
    /// `GET /metrics`, for its own listener. It needs no token, so make sure that only your monitoring system can reach
    /// it.
    pub metrics: Router,
}

/// The routers of a platform.
pub fn routers(platform: &stead::Platform, options: &ServerOptions) -> Routers {
    let environment = platform.environment();
    let (router, state) = service(environment, options, Slashes::Never);
    let server = Front::new(&state, proxy_host::Host::of(environment), router);
    let metrics = metrics::router(metrics::Shown {
        environment: environment.clone(),
        requests: Arc::clone(&state.requests),
        in_flight: Arc::clone(&state.in_flight),
        started_at: environment.runtime().now(),
    });
    let proxy = environment.proxy_url().map(|url| {
        let hosts = admission::Hosts::new(url, &options.allowed_hosts);
        front::host_router(&state, hosts)
    });
    Routers {
        server,
        proxy,
        metrics,
    }
}

/// All routes, and the state that they share.
fn service(
    environment: &Environment,
    options: &ServerOptions,
    slashes: Slashes,
) -> (Router, ServerState) {
    let paths = table().into_iter().flat_map(|(_, routes)| routes);
    let state = ServerState::new(environment, options, paths.map(|route| route.path));
    #[cfg(feature = "dashboard")]
    let dashboard = {
        let rates = Arc::clone(&state.rates);
        Arc::new(dashboard::Dashboard::new(environment, options, rates))
    };
    let mut router = Router::new();
    for (access, routes) in table() {
        #[cfg(feature = "dashboard")]
        if options.dashboard.access == DashboardAccess::Off
            && matches!(access, Access::Dashboard(_))
        {
            continue;
        }
        let places = || (Arc::clone(&state.in_flight), Arc::clone(&state.rates));
        let counted = || from_fn_with_state(places(), admission::admit);
        let by_rate = || from_fn_with_state(Arc::clone(&state.rates), admission::check_rate);
        let by_name = || from_fn_with_state(Arc::clone(&state.hosts), admission::check_host);
        let entered = |entrance| layer(entrance, authentication::pass);
        let bounded = |handlers: MethodRouter<ServerState>| {
            let counted = handlers.layer(counted());
            counted.layer(by_name()).layer(by_rate())
        };
        let around = |handlers: MethodRouter<ServerState>, scope| match access {
            Access::Application => {
                handlers.layer(entered(Entrance::of_applications(&state, scope)))
            }
            Access::Proxy => handlers.layer(entered(Entrance::of_any(&state, scope))),
            Access::Mcp => handlers
                .layer(layer(state.clone(), mcp_endpoint::authenticate))
                .layer(by_name()),
            Access::Browser => {
                bounded(handlers).layer(from_fn_with_state(state.clone(), pages::show_problem))
            }
            #[cfg(feature = "dashboard")]
            Access::Dashboard(door) => dashboard
                .behind(door, handlers.layer(counted()))
                .layer(by_name())
                .layer(by_rate()),
            Access::Callback => {
                bounded(handlers).layer(from_fn_with_state(state.clone(), oauth::leave_callback))
            }
            Access::Anyone => handlers.layer(counted()),
            Access::Health => handlers,
        };
        router = router.merge(routes::router(routes, around, slashes));
    }
    #[cfg(feature = "dashboard")]
    if options.dashboard.access != DashboardAccess::Off {
        // A member who follows an old address sees a page of the dashboard.
        let unknown = dashboard.behind(dashboard::Door::Members, axum::routing::get(unknown_page));
        let by_name = from_fn_with_state(Arc::clone(&state.hosts), admission::check_host);
        let by_rate = from_fn_with_state(Arc::clone(&state.rates), admission::check_rate);
        let unknown = unknown.layer(by_name).layer(by_rate);
        router = router.route("/dashboard/{*unknown}", unknown);
    }
    let router = router.fallback(unknown_path).with_state(state.clone());
    let around = state.around(metrics::NO_ROUTE);
    (middleware::surround(router, around), state)
}

/// Who may call a route, and how its problems are shown.
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
    /// A person, who reads pages.
    Browser,
    /// A person on the way back from a product.
    Callback,
    /// Anyone, without a token.
    Anyone,
    /// Anyone, however busy the service is.
    #[serde(rename = "anyone")]
    Health,
    /// Those who run this environment, in a browser.
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

/// Every route of the service. What is not in it is not served.
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

#[cfg(feature = "dashboard")]
async fn unknown_page() -> Problem {
    Error::new(
        ErrorKind::NotFound,
        "the dashboard has no page at this path",
    )
    .into()
}

async fn unknown_path() -> Problem {
    Error::new(
        ErrorKind::NotFound,
        "nothing exists at this path; GET / lists all paths",
    )
    .into()
}
