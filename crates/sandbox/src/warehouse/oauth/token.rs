//! The token endpoint (Snowflake OAuth, "Token endpoint").

use axum::http::{StatusCode, header};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::grants::{Exchange, Issued};
use crate::{
    query::{Query, Repeated},
    request::Request,
    response::Response,
    state::State,
    warehouse::errors::oauth,
};

/// A refusal: status, code and words.
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
    for (name, _) in form.iter() {
        form.one(name).map_err(|Repeated(_)| INVALID_REQUEST)?;
    }
    let client_id = authenticate(state, request, &form)?;
    let warehouse = &mut state.warehouse;
    let (issued, by_code) = match required(&form, "grant_type")? {
        "authorization_code" => {
            let shown = Exchange {
                host: &request.host,
                client_id: &client_id,
                code: required(&form, "code")?,
                redirect_uri: required(&form, "redirect_uri")?,
                challenge: form.first("code_verifier").map(challenge_of).transpose()?,
            };
            (
                warehouse.grants.exchange(&mut state.ids, state.now, &shown),
                true,
            )
        }
        "refresh_token" => {
            let token = required(&form, "refresh_token")?;
            (
                warehouse.grants.refresh(
                    &mut state.ids,
                    state.now,
                    &request.host,
                    &client_id,
                    token,
                ),
                false,
            )
        }
        _ => return Err(UNSUPPORTED),
    };
    let issued = issued.ok_or(INVALID_GRANT)?;
    Ok(token_response(state, &issued, by_code))
}

/// The client, by Basic alone.
fn authenticate(state: &State, request: &Request, form: &Query) -> Result<String, TokenError> {
    if form.first("client_secret").is_some() {
        return Err(INVALID_REQUEST);
    }
    let (id, secret) = request
        .header("authorization")
        .and_then(basic)
        .ok_or(INVALID_CLIENT)?;
    if form.first("client_id").is_some_and(|named| named != id) {
        return Err(INVALID_REQUEST);
    }
    match state.warehouse.clients.find(&id) {
        Some(client) if client.knows(&secret) => Ok(id),
        _ => Err(INVALID_CLIENT),
    }
}

/// Id and secret, each encoded like a form's value before base64 (RFC 6749, section 2.3.1).
fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decode = |text: &str| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    Some((decode(id)?, decode(secret)?))
}

/// The challenge of a well-formed verifier (RFC 7636, sections 4.1 and 4.2).
fn challenge_of(verifier: &str) -> Result<String, TokenError> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if !(43..=128).contains(&verifier.len()) || !verifier.bytes().all(letters) {
        return Err(INVALID_REQUEST);
    }
    Ok(URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
}

/// The user's name and the refresh token come with the code alone, unless refresh tokens serve once.
fn token_response(state: &State, issued: &Issued, by_code: bool) -> Response {
    let mut scopes = Vec::new();
    if issued.offline {
        scopes.push("refresh_token".to_owned());
    }
    scopes.extend(issued.role.as_deref().map(role_scope));
    let mut body = json!({
        "access_token": issued.access,
        "expires_in": issued.seconds,
        "token_type": "Bearer",
        "scope": scopes.join(" "),
        "idpInitiated": false,
    });
    if by_code && let Some(person) = state.world.warehouse.person(&issued.user) {
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
    form.first(name)
        .filter(|value| !value.is_empty())
        .ok_or(INVALID_REQUEST)
}
