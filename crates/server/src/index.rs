//! `/`: what this is and where to look.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use stead::core::environment::Environment;

use crate::{
    Access,
    pages::{self, Pages},
    routes::{Route, get},
    state::address,
};

/// The root, and what browsers ask for with every page.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        get("/", show),
        get("/icon.svg", pages::icon),
        get("/favicon.ico", async || StatusCode::NO_CONTENT),
    ]
}

/// A page for a browser, JSON for the rest.
async fn show(
    State(environment): State<Environment>,
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
) -> Response {
    let index = Index::of(&environment);
    if pages::is_browser(&headers) {
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
    resources: Vec<Resource>,
}

/// One method of one path, below the public URL.
#[derive(Debug, Serialize)]
struct Resource {
    method: &'static str,
    path: &'static str,
    access: Access,
}

impl Index {
    fn of(environment: &Environment) -> Self {
        let resources = crate::table().into_iter().flat_map(|(access, routes)| {
            routes.into_iter().map(move |route| Resource {
                method: route.method,
                path: route.path,
                access,
            })
        });
        Self {
            service: "stead",
            version: env!("CARGO_PKG_VERSION"),
            token_url: address(environment, "/oauth/token"),
            tools_url: address(environment, "/v1/tools"),
            health_url: address(environment, "/healthz"),
            resources: resources.collect(),
        }
    }
}
