//! Notion's authorization server (Notion API, "Authorization").

mod authorize;
mod consent;
pub(crate) mod grants;
mod token;

use axum::http::StatusCode;
use serde_json::json;

use super::ids::id_of;
use crate::{pages, request::Request, response::Response, workspace::State};

/// Everything below `/v1/oauth/`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/v1/oauth/authorize") => {
            pages::with_security_headers(authorize::respond(state, request))
        }
        ("POST", "/v1/oauth/token") => token::respond(state, request),
        ("POST", "/v1/oauth/revoke") => token::revoke(state, request),
        ("POST", "/v1/oauth/introspect") => token::introspect(state, request),
        ("POST", path) => match path.strip_prefix("/v1/oauth/consent/") {
            Some(id) => pages::with_security_headers(consent::respond(state, request, id)),
            None => super::errors::ApiError::url().response(&id_of(&request.path)),
        },
        _ => super::errors::ApiError::url().response(&id_of(&request.path)),
    }
}

/// An error that stays on Notion's own page.
fn problem(text: &str) -> Response {
    let page = pages::problem("Notion cannot go on", text);
    Response::html(StatusCode::BAD_REQUEST, page)
}

/// An error of the token endpoint (RFC 6749, section 5.2).
pub(crate) fn error(status: StatusCode, error: &str, description: &str) -> Response {
    let body = json!({
        "error": error,
        "error_description": description,
        "request_id": id_of(description),
    });
    Response::json(status, &body, false)
}
