//! The authorization server of an account (Snowflake OAuth, "Configure
//! Snowflake OAuth for custom clients" and "OAuth endpoints").

mod authorize;
mod consent;
pub(crate) mod ledger;
mod token;

use axum::http::StatusCode;

use crate::answer::Answer;
use crate::google::pages;
use crate::request::Request;
use crate::state::State;

/// Path of the token endpoint.
pub(crate) const TOKEN_PATH: &str = "/oauth/token-request";

/// Everything below `/oauth/`.
pub(super) fn answer(state: &mut State, request: &Request) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/oauth/authorize") => pages::guarded(authorize::answer(state, request)),
        ("POST", TOKEN_PATH) => token::answer(state, request),
        (_, "/oauth/authorize" | TOKEN_PATH) => pages::wrong_method(request),
        (method, path) => match path.strip_prefix("/oauth/consent/") {
            Some(id) if method == "POST" => pages::guarded(consent::answer(state, request, id)),
            Some(_) => pages::wrong_method(request),
            None => Answer::html(StatusCode::NOT_FOUND, pages::not_found(request)),
        },
    }
}

/// An error that stays on the account's own page.
fn problem(text: &str) -> Answer {
    Answer::html(
        StatusCode::BAD_REQUEST,
        pages::problem("Sign-in failed", text),
    )
}
