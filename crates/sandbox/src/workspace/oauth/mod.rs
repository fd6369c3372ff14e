//! Notion's authorization server (Notion API, "Authorization").

mod authorize;
mod consent;
pub(crate) mod ledger;
mod pages;
mod token;

use serde_json::json;

use super::ids::id_of;
use crate::answer::Answer;
use crate::google::pages::guarded;
use crate::request::Request;
use crate::state::State;
use axum::http::StatusCode;

/// Everything below `/v1/oauth/`.
pub(super) fn answer(state: &mut State, request: &Request) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/v1/oauth/authorize") => guarded(authorize::answer(state, request)),
        ("POST", "/v1/oauth/token") => token::answer(state, request),
        ("POST", "/v1/oauth/revoke") => token::revoke(state, request),
        ("POST", "/v1/oauth/introspect") => token::introspect(state, request),
        ("POST", path) => match path.strip_prefix("/v1/oauth/consent/") {
            Some(id) => guarded(consent::answer(state, request, id)),
            None => super::errors::Refusal::url().answer(&id_of(&request.path)),
        },
        _ => super::errors::Refusal::url().answer(&id_of(&request.path)),
    }
}

/// Id of the bot that an authorization makes: the same for the same integration
/// and user.
pub(super) fn bot_id(client: &str, user: &str) -> String {
    id_of(&format!("bot {client} {user}"))
}

/// An error of the token endpoint (RFC 6749, section 5.2).
pub(crate) fn error(status: StatusCode, error: &str, description: &str) -> Answer {
    let body = json!({
        "error": error,
        "error_description": description,
        "request_id": id_of(description),
    });
    Answer::json(status, &body, false)
}
