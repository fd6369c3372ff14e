//! The authorization server of an account (Snowflake OAuth, "Configure Snowflake OAuth for custom clients"
//! and "OAuth endpoints").

mod authorize;
mod consent;
pub(crate) mod grants;
mod token;

use axum::http::StatusCode;

use crate::{pages, request::Request, response::Response, warehouse::State};

/// Path of the token endpoint.
pub(crate) const TOKEN_PATH: &str = "/oauth/token-request";

/// Everything below `/oauth/`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/oauth/authorize") => {
            pages::with_security_headers(authorize::respond(state, request))
        }
        ("POST", TOKEN_PATH) => token::respond(state, request),
        (_, "/oauth/authorize" | TOKEN_PATH) => pages::wrong_method(request),
        (method, path) => match path.strip_prefix("/oauth/consent/") {
            Some(id) if method == "POST" => {
                pages::with_security_headers(consent::respond(state, request, id))
            }
            Some(_) => pages::wrong_method(request),
            None => pages::not_found(request),
        },
    }
}

/// An error that stays on the account's own page.
fn problem(text: &str) -> Response {
    Response::html(
        StatusCode::BAD_REQUEST,
        pages::problem("Sign-in failed", text),
    )
}
