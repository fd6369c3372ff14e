//! The token endpoint (Snowflake OAuth, "Token endpoint").

use axum::http::{StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::grants::{Exchange, Issued};
use crate::{
    oauth::challenge_of,
    query::Query,
    request::Request,
    response::Response,
    warehouse::{State, errors::oauth},
};

/// An error: status, code and message.
type TokenError = (StatusCode, &'static str, &'static str);

const INVALID_CLIENT: TokenError = (
    StatusCode::UNAUTHORIZED,
    "invalid_client",
    "This is an invalid client.",
);
const INVALID_GRANT: TokenError = (
    StatusCode::BAD_REQUEST,
    "invalid_grant",
    "This is an invalid grant.",
);
const INVALID_REQUEST: TokenError = (
    StatusCode::BAD_REQUEST,
    "invalid_request",
    "This is an invalid request.",
);
const UNSUPPORTED: TokenError = (
    StatusCode::BAD_REQUEST,
    "unsupported_grant_type",
    "This grant type is not supported.",
);

/// `POST /oauth/token-request`.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match grant(state, request) {
        Ok(response) => response,
        Err((status, error, message)) => oauth(status, error, message),
    }
}

fn grant(state: &mut State, request: &Request) -> Result<Response, TokenError> {
    let form = request.form_parameters().ok_or(INVALID_REQUEST)?;
    if form.repeated_name().is_some() {
        return Err(INVALID_REQUEST);
    }
    let client_id = authenticate(state, request, &form)?;
    let (issued, by_code) = match required(&form, "grant_type")? {
        "authorization_code" => {
            let shown = Exchange {
                host: &request.host,
                client_id: &client_id,
                code: required(&form, "code")?,
                redirect_uri: required(&form, "redirect_uri")?,
                challenge: match form.first("code_verifier") {
                    Some(verifier) => Some(challenge_of(verifier).ok_or(INVALID_REQUEST)?),
                    None => None,
                },
            };
            (state.grants.exchange(state.ids, state.now, &shown), true)
        }
        "refresh_token" => {
            let token = required(&form, "refresh_token")?;
            (
                state
                    .grants
                    .refresh(state.ids, state.now, (&request.host, &client_id), token),
                false,
            )
        }
        _ => return Err(UNSUPPORTED),
    };
    let issued = issued.ok_or(INVALID_GRANT)?;
    Ok(token_response(state, &issued, by_code))
}

/// The client, by Basic only.
fn authenticate(state: &State, request: &Request, form: &Query) -> Result<String, TokenError> {
    if form.first("client_secret").is_some() {
        return Err(INVALID_REQUEST);
    }
    let (id, secret) = request.basic_credentials().ok_or(INVALID_CLIENT)?;
    if form.first("client_id").is_some_and(|named| named != id) {
        return Err(INVALID_REQUEST);
    }
    match state.clients.find(&id) {
        Some(client) if client.has_secret(&secret) => Ok(id),
        _ => Err(INVALID_CLIENT),
    }
}

/// The user's name and the refresh token come only with the code, unless refresh tokens can be used only
/// once.
fn token_response(state: &State, issued: &Issued, by_code: bool) -> Response {
    let mut scopes = Vec::new();
    if issued.offline {
        scopes.push("refresh_token".to_owned());
    }
    scopes.extend(issued.terms.role.as_deref().map(role_scope));
    let mut body = json!({
        "access_token": issued.access,
        "expires_in": issued.seconds,
        "token_type": "Bearer",
        "scope": scopes.join(" "),
        "idpInitiated": false,
    });
    if by_code && let Some(person) = state.account.person(&issued.user) {
        body["username"] = json!(person.name);
    }
    if let Some(refresh) = &issued.refresh {
        body["refresh_token"] = json!(refresh);
        body["refresh_token_expires_in"] = json!(7_775_999);
    }
    Response::json(StatusCode::OK, &body, false)
        .with(header::CACHE_CONTROL, "no-store")
        .with(header::PRAGMA, "no-cache")
}

/// The scope of a role; special characters are encoded.
fn role_scope(role: &str) -> String {
    let plain = role
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        return format!("session:role:{role}");
    }
    format!(
        "session:role-encoded:{}",
        utf8_percent_encode(role, NON_ALPHANUMERIC)
    )
}

fn required<'form>(form: &'form Query, name: &str) -> Result<&'form str, TokenError> {
    form.filled(name).ok_or(INVALID_REQUEST)
}
