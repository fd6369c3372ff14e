//! The revocation endpoint (RFC 7009; Google answers 400 for an unknown token).

use axum::http::StatusCode;
use serde_json::json;

use super::errors::oauth;
use crate::answer::Answer;
use crate::request::Request;
use crate::state::State;

/// `POST /revoke` with `token`: an access or a refresh token.
pub(super) fn answer(state: &mut State, request: &Request) -> Answer {
    let Some(form) = request.form_pairs() else {
        return invalid("invalid_request", "The body is not a form.");
    };
    let token = match form.one("token") {
        Ok(Some(token)) if !token.is_empty() => token,
        _ => return invalid("invalid_request", "Bad Request"),
    };
    if state.ledger.revoke_token(token, state.now) {
        Answer::json(StatusCode::OK, &json!({}), true)
    } else {
        invalid("invalid_token", "Token expired or revoked")
    }
}

fn invalid(error: &str, description: &str) -> Answer {
    oauth(StatusCode::BAD_REQUEST, error, description)
}
