//! The revocation endpoint (RFC 7009; Google responds with 400 for an unknown token).

use axum::http::StatusCode;
use serde_json::json;

use super::errors::oauth;
use crate::{google::State, request::Request, response::Response};

/// `POST /revoke` with `token`: an access or a refresh token.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let Some(form) = request.form_parameters() else {
        return invalid("invalid_request", "The body is not a form.");
    };
    let token = match form.one("token") {
        Ok(Some(token)) if !token.is_empty() => token,
        _ => return invalid("invalid_request", "Bad Request"),
    };
    if state.grants.revoke_token(token, state.now) {
        Response::json(StatusCode::OK, &json!({}), true)
    } else {
        invalid("invalid_token", "Token expired or revoked")
    }
}

fn invalid(error: &str, description: &str) -> Response {
    oauth(StatusCode::BAD_REQUEST, error, description)
}
