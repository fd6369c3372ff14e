//! Stead as an [axum] router: REST, the OAuth callback and the page that the end user opens.
//!
//! [`router`] is a plain [`Router`]: serve it with [`serve`], or nest it in an axum application that then is its own Stead.
//! Every address that leaves this crate (links, redirects, cookies) is made from the platform's public URL, never from
//! a request's `Host` or `X-Forwarded-*`.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let key = std::fs::read_to_string("stead.key")?;
//! let platform = stead::Platform::builder("https://example.com/stead").key(&key).in_memory().build().await?;
//! let application: axum::Router = axum::Router::new().nest("/stead", stead_server::router(&platform));
//! # Ok(()) }
//! ```
//!
//! A folder is a resource and a file is a verb: `rest/accounts/suspend.rs` serves
//! `POST /v1/accounts/{connection_name}/{identifier}/suspend`.

mod admission;
mod authentication;
mod caller;
mod connect;
mod extract;
mod index;
mod middleware;
mod oauth;
mod options;
mod pages;
mod problem;
mod request_id;
mod rest;
mod routes;
mod serve;
mod source;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::{Router, middleware::from_fn_with_state};
use stead::{Error, ErrorKind};

pub use options::ServerOptions;
pub use serve::{Server, UnderWay, serve};

use crate::{problem::Problem, routes::Route, state::ServerState};

/// All routes of a platform, with the bounds of [`ServerOptions::default`].
pub fn router(platform: &stead::Platform) -> Router {
    router_with(platform, &ServerOptions::default())
}

/// All routes of a platform.
pub fn router_with(platform: &stead::Platform, options: &ServerOptions) -> Router {
    let environment = platform.environment();
    let state = ServerState::new(environment, options);
    let mut router = Router::new();
    for (access, routes) in table() {
        let routes = routes::router(routes);
        let counted = || from_fn_with_state(Arc::clone(&state.in_flight), admission::admit);
        let by_rate = || from_fn_with_state(Arc::clone(&state.rates), admission::check_rate);
        let by_name = || from_fn_with_state(Arc::clone(&state.hosts), admission::check_host);
        let with_state = || state.clone();
        router = router.merge(match access {
            Access::Application => routes
                .route_layer(counted())
                .route_layer(from_fn_with_state(
                    with_state(),
                    authentication::authenticate,
                )),
            Access::Browser => routes
                .route_layer(counted())
                .route_layer(by_name())
                .route_layer(by_rate())
                .route_layer(from_fn_with_state(with_state(), pages::show_problem)),
            Access::Callback => routes
                .route_layer(counted())
                .route_layer(by_name())
                .route_layer(by_rate())
                .route_layer(from_fn_with_state(with_state(), oauth::leave_callback)),
            Access::Anyone => routes.route_layer(counted()),
            Access::Health => routes,
        });
    }
    let pages = Arc::clone(&state.pages);
    let router = router
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(state);
    middleware::surround(router, environment, pages)
}

/// Who may call a route, and how its problems are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Access {
    /// An application with its token.
    Application,
    /// A person, who reads pages.
    Browser,
    /// A person on the way back from a product.
    Callback,
    /// Anyone, without a token.
    Anyone,
    /// Anyone, however busy the service is.
    #[serde(rename = "anyone")]
    Health,
}

/// Every route of the service. What is not in it is not served.
fn table() -> [(Access, Vec<Route>); 6] {
    [
        (Access::Application, rest::routes()),
        (Access::Browser, connect::routes()),
        (Access::Callback, oauth::callback_routes()),
        (Access::Anyone, oauth::token_routes()),
        (Access::Health, rest::health_routes()),
        (Access::Anyone, index::routes()),
    ]
}

async fn unknown_path() -> Problem {
    Error::new(
        ErrorKind::NotFound,
        "there is nothing at this path; GET / lists what there is",
    )
    .into()
}

/// The router adds `Allow` itself.
async fn wrong_method() -> Problem {
    Error::new(
        ErrorKind::MethodNotAllowed,
        "this path takes another method; the header Allow names it",
    )
    .into()
}
