//! The revocation endpoint (RFC 7009; Google responds with 400 for an unknown token).

use axum::http::StatusCode;
use serde_json::json;

use super::errors::oauth;
use crate::{
    google::State,
    oauth::{Policy, project_of},
    request::Request,
    response::Response,
};

/// `POST /revoke` with `token`: an access or a refresh token. A client may prove itself besides, and then ends
/// only its own tokens. All clients of the same project lose the user (OAuth 2.0 for Web Server Applications,
/// "Revoking a token").
pub(super) fn respond(state: &mut State, policy: &dyn Policy, request: &Request) -> Response {
    let Some(form) = request.form_parameters() else {
        return invalid("invalid_request", "The body is not a form.");
    };
    let token = match form.one("token") {
        Ok(Some(token)) if !token.is_empty() => token,
        _ => return invalid("invalid_request", "Bad Request"),
    };
    let proves = request.header("authorization").is_some() || form.first("client_secret").is_some();
    let client = proves.then(|| state.oauth.authenticated(policy, request));
    let client = match client.transpose() {
        Ok(client) => client.map(|(id, _)| id),
        Err(response) => return *response,
    };
    let same_project = |own: &str, other: &str| project_of(own) == project_of(other);
    if state
        .oauth
        .revoke(state.now, token, client.as_deref(), same_project)
    {
        Response::json(StatusCode::OK, &json!({}), true)
    } else {
        invalid("invalid_token", "Token expired or revoked")
    }
}

fn invalid(error: &str, description: &str) -> Response {
    oauth(StatusCode::BAD_REQUEST, error, description)
}
