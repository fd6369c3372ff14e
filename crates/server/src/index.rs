//! `/`: what this is and where to look. `/healthz`, `/readyz` in `rest`.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{HeaderMap, header};
use serde::Serialize;
use stead::core::environment::Environment;

use crate::{ServerState, address, pages::Pages};

pub(crate) fn routes() -> Router<ServerState> {
    Router::new().route("/", get(show))
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
pub(crate) struct Index {
    service: &'static str,
    version: &'static str,
    token_url: String,
    tools_url: String,
    health_url: String,
}

impl Index {
    pub(crate) fn of(environment: &Environment) -> Self {
        Self {
            service: "stead",
            version: env!("CARGO_PKG_VERSION"),
            token_url: address(environment, "/oauth/token"),
            tools_url: address(environment, "/v1/tools"),
            health_url: address(environment, "/healthz"),
        }
    }
}
