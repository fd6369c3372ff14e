//! `/`: describes the service and links its parts.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use stead_core::{environment::Environment, scope::ScopeName};

use crate::{
    Access, document,
    openapi::Draft,
    pages::{self, Language, Pages},
    routes::{Route, get},
    state::address,
};

/// The root, and the files that browsers request with every page.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        get("/", show)
            .summary(
                "index",
                "Describes this service and lists the routes for applications.",
            )
            .describe(describe),
        get("/openapi.json", document::show)
            .summary(
                "document",
                "Returns the OpenAPI document of this interface.",
            )
            .describe(document::describe),
        get("/icon.svg", pages::icon),
        get("/logo", pages::logo),
        get("/favicon.ico", async || StatusCode::NO_CONTENT),
    ]
}

/// A page for browsers, and JSON for everyone else.
async fn show(
    State(environment): State<Environment>,
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
) -> Response {
    let index = Index::of(&environment);
    if pages::is_browser(&headers) {
        pages.index(Language::of(&headers), &index)
    } else {
        Json(index).into_response()
    }
}

fn describe(draft: &mut Draft<'_>) {
    draft.gives::<Index>(200);
    draft.gives_any(200, "", "text/html");
}

/// What this is and where to look.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = json!({
    "service": "stead", "version": env!("CARGO_PKG_VERSION"),
    "token_url": "https://stead.example.com/oauth/token", "tools_url": "https://stead.example.com/v1/tools",
    "health_url": "https://stead.example.com/healthz", "openapi_url": "https://stead.example.com/openapi.json",
    "resources": [
        { "method": "GET", "path": "/v1/connections", "access": "application", "scope": "connections:read" },
    ],
}))]
struct Index {
    /// `stead`.
    service: &'static str,
    /// Version of the service.
    version: &'static str,
    /// Where tokens come from.
    token_url: String,
    /// Where the catalogue is.
    tools_url: String,
    /// Where to ask whether the process responds.
    health_url: String,
    /// Where this interface is described.
    openapi_url: String,
    /// The routes, but for those of the dashboard's pages.
    resources: Vec<Resource>,
}

/// One method of one path, below the public URL.
#[derive(Debug, Serialize, JsonSchema)]
struct Resource {
    /// Method; `ANY` where every one is taken.
    method: &'static str,
    /// Path.
    path: &'static str,
    /// Who may call it: `application`, `browser`, `dashboard`, `callback` or `anyone`.
    #[schemars(with = "String")]
    access: Access,
    /// Scope that an application needs for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
}

impl Index {
    fn of(environment: &Environment) -> Self {
        let table = crate::table().into_iter();
        // Routes to which browsers are redirected aren't listed.
        let table = table.filter(|(access, _)| !access.is_for_browsers());
        let resources = table.flat_map(|(access, routes)| {
            routes.into_iter().map(move |route| Resource {
                method: route.method,
                path: route.path,
                access,
                scope: route.scope.map(ScopeName::name),
            })
        });
        Self {
            service: "stead",
            version: env!("CARGO_PKG_VERSION"),
            token_url: address(environment, "/oauth/token"),
            tools_url: address(environment, "/v1/tools"),
            health_url: address(environment, "/healthz"),
            openapi_url: address(environment, "/openapi.json"),
            resources: resources.collect(),
        }
    }
}
