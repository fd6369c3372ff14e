//! The token, revocation and introspection endpoints. They take only JSON, and the client proves itself by
//! HTTP Basic (Notion API, "Create a token").

use axum::http::{StatusCode, header};
use serde_json::{Map, Value, json};

use super::{error, grants::Issued};
use crate::{
    oauth::TokenState,
    request::Request,
    response::Response,
    users,
    workspace::{State, ids::id_of, method::bot_id, shapes, version::Version},
};

/// Client and body of a request that is well-formed.
struct TokenRequest {
    client: String,
    body: Map<String, Value>,
}

/// `POST /v1/oauth/token`
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let asked = match read(state, request) {
        Ok(asked) => asked,
        Err(error) => return *error,
    };
    let text = |name: &str| asked.body.get(name).and_then(Value::as_str);
    let grants = &mut state.grants;
    let issued = match (text("grant_type"), text("code"), text("refresh_token")) {
        (Some("authorization_code"), Some(code), _) => {
            let redirect_uri = text("redirect_uri").unwrap_or_default();
            grants.exchange(state.ids, state.now, &asked.client, code, redirect_uri)
        }
        (Some("refresh_token"), _, Some(token)) => {
            grants.refresh(state.ids, state.now, &asked.client, token)
        }
        (Some("authorization_code" | "refresh_token") | None, _, _) => {
            return invalid_request("body failed validation: a parameter is missing.");
        }
        (Some(other), _, _) => {
            let description = format!("Invalid grant_type: {other}");
            return error(
                StatusCode::BAD_REQUEST,
                "unsupported_grant_type",
                &description,
            );
        }
    };
    match issued {
        Some(issued) => tokens(&asked.client, &issued),
        None => error(
            StatusCode::BAD_REQUEST,
            "invalid_grant",
            "Token has been expired or revoked.",
        ),
    }
}

/// `POST /v1/oauth/revoke`
pub(super) fn revoke(state: &mut State, request: &Request) -> Response {
    let asked = match read(state, request) {
        Ok(asked) => asked,
        Err(error) => return *error,
    };
    let Some(token) = asked.body.get("token").and_then(Value::as_str) else {
        return invalid_request("body failed validation: body.token should be defined.");
    };
    if state.grants.revoke(&asked.client, token) {
        Response::json(StatusCode::OK, &json!({"request_id": id_of(token)}), false)
    } else {
        invalid_request("The token is not known.")
    }
}

/// `POST /v1/oauth/introspect`
pub(super) fn introspect(state: &mut State, request: &Request) -> Response {
    let asked = match read(state, request) {
        Ok(asked) => asked,
        Err(error) => return *error,
    };
    let Some(token) = asked.body.get("token").and_then(Value::as_str) else {
        return invalid_request("body failed validation: body.token should be defined.");
    };
    let access = state.grants.access(token, state.now);
    let active = matches!(access, TokenState::Alive(..));
    Response::json(
        StatusCode::OK,
        &json!({"active": active, "request_id": id_of(token)}),
        false,
    )
}

fn read(state: &State, request: &Request) -> Result<TokenRequest, Box<Response>> {
    let client = request
        .basic_credentials()
        .filter(|(id, secret)| {
            let client = state.clients.find(id);
            client.is_some_and(|client| client.has_secret(secret))
        })
        .map(|(id, _)| id)
        .ok_or_else(|| {
            let description = "Client authentication failed.";
            Box::new(error(
                StatusCode::UNAUTHORIZED,
                "invalid_client",
                description,
            ))
        })?;
    if let Err(error) = Version::of(request) {
        return Err(Box::new(error.response(&id_of(&request.path))));
    }
    let body = request
        .has_media_type("application/json")
        .then(|| serde_json::from_slice(&request.body).ok())
        .flatten();
    match body {
        Some(Value::Object(body)) => Ok(TokenRequest { client, body }),
        _ => Err(Box::new(invalid_request(
            "body failed validation: body should be a JSON object.",
        ))),
    }
}

/// The response with tokens: it states no lifetime.
fn tokens(client: &str, issued: &Issued) -> Response {
    let user = &issued.user;
    let body = json!({
        "access_token": issued.access,
        "token_type": "bearer",
        "refresh_token": issued.refresh,
        "bot_id": bot_id(client, user),
        "workspace_icon": null,
        "workspace_name": shapes::WORKSPACE_NAME,
        "workspace_id": shapes::workspace_id(),
        "owner": {"type": "user", "user": users::find(user).map(shapes::person)},
        "duplicated_template_id": null,
        "request_id": id_of(&issued.access),
    });
    Response::json(StatusCode::OK, &body, false).with(header::CACHE_CONTROL, "no-store")
}

fn invalid_request(description: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "invalid_request", description)
}
