//! Stead as an [axum] router: REST, the OAuth callback and the page that the end user opens.
//!
//! [`router`] is a plain [`Router`]: serve it with [`serve`], or nest it in an axum application that then is its own Stead.
//! Every address that leaves this crate (links, redirects, cookies) is made from the platform's public URL, never from
//! a request's `Host` or `X-Forwarded-*`.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let key = std::fs::read_to_string("stead.key")?;
//! let platform = stead::Platform::builder("https://example.com/stead").key(&key).memory().build().await?;
//! let application: axum::Router = axum::Router::new().nest("/stead", stead_server::router(&platform));
//! # Ok(()) }
//! ```
//!
//! A folder is a resource and a file is a verb: `rest/accounts/suspend.rs` answers
//! `POST /v1/accounts/{connection_name}/{identifier}/suspend`.

mod authentication;
mod boundary;
mod connect;
mod extract;
mod index;
mod oauth;
mod pages;
mod problem;
mod rest;
mod serve;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::{Router, extract::FromRef};
use stead::{Error, ErrorKind, core::environment::Environment};

pub use serve::serve;

use crate::{boundary::Boundary, pages::Pages, problem::Problem};

/// All routes of a platform.
pub fn router(platform: &stead::Platform) -> Router {
    let environment = platform.environment().clone();
    let boundary = Boundary::new(environment.clone());
    let state = ServerState {
        pages: Arc::new(Pages::new(&environment)),
        environment,
    };
    Router::new()
        .merge(index::routes())
        .merge(rest::routes())
        .merge(oauth::routes())
        .merge(connect::routes())
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(boundary)
        .with_state(state)
}

/// What every handler can ask for.
#[derive(Clone)]
pub(crate) struct ServerState {
    environment: Environment,
    pages: Arc<Pages>,
}

impl FromRef<ServerState> for Environment {
    fn from_ref(state: &ServerState) -> Self {
        state.environment.clone()
    }
}

impl FromRef<ServerState> for Arc<Pages> {
    fn from_ref(state: &ServerState) -> Self {
        Self::clone(&state.pages)
    }
}

/// An address of this environment: the public URL followed by `path`, which starts with a slash.
pub(crate) fn address(environment: &Environment, path: &str) -> String {
    format!(
        "{}{path}",
        environment.public_url().as_str().trim_end_matches('/')
    )
}

async fn unknown_path() -> Problem {
    Error::new(
        ErrorKind::NotFound,
        "there is nothing at this path; GET / says where to look",
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
