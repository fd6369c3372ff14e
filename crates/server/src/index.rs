//! `/`: what this is and where to look.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, header};
use serde::Serialize;
use stead::core::environment::Environment;

use crate::{
    pages::{self, Pages},
    routes::{Route, get},
    state::address,
};

/// The root.
pub(crate) fn routes() -> Vec<Route> {
    vec![get("/", show), get("/icon.svg", pages::icon)]
}

/// A page for a browser, JSON for the rest.
async fn show(
    State(environment): State<Environment>,
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
) -> Response {
    let wants_page = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    let index = Index::of(&environment);
    if wants_page {
        pages.index(&index)
    } else {
        Json(index).into_response()
    }
}

/// What this is and where to look.
#[derive(Debug, Serialize)]
struct Index {
    service: &'static str,
    version: &'static str,
    token_url: String,
    tools_url: String,
    health_url: String,
}

impl Index {
    fn of(environment: &Environment) -> Self {
        Self {
            service: "stead",
            version: env!("CARGO_PKG_VERSION"),
            token_url: address(environment, "/oauth/token"),
            tools_url: address(environment, "/v1/tools"),
            health_url: address(environment, "/healthz"),
        }
    }
}
