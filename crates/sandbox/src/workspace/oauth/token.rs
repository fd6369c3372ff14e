//! The token, revocation and introspection endpoints. They take JSON alone, and the client proves itself by
//! HTTP Basic (Notion API, "Create a token").

use axum::http::{StatusCode, header};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::{bot_id, error, grants::Issued};
use crate::{
    request::Request,
    response::Response,
    state::State,
    workspace::{ids::id_of, router, shapes},
};

/// Client and body of a request that is well-formed.
struct Asked {
    client: String,
    body: Map<String, Value>,
}

/// `POST /v1/oauth/token`
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let asked = match read(state, request) {
        Ok(asked) => asked,
        Err(refused) => return *refused,
    };
    let text = |name: &str| asked.body.get(name).and_then(Value::as_str);
    let grants = &mut state.workspace.grants;
    let issued = match (text("grant_type"), text("code"), text("refresh_token")) {
        (Some("authorization_code"), Some(code), _) => {
            let redirect_uri = text("redirect_uri").unwrap_or_default();
            grants.exchange(&mut state.ids, state.now, &asked.client, code, redirect_uri)
        }
        (Some("refresh_token"), _, Some(token)) => {
            grants.refresh(&mut state.ids, &asked.client, token)
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
        Some(issued) => tokens(state, &issued),
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
        Err(refused) => return *refused,
    };
    let Some(token) = asked.body.get("token").and_then(Value::as_str) else {
        return invalid_request("body failed validation: body.token should be defined.");
    };
    if state.workspace.grants.revoke(&asked.client, token) {
        Response::json(StatusCode::OK, &json!({"request_id": id_of(token)}), false)
    } else {
        invalid_request("The token is not known.")
    }
}

/// `POST /v1/oauth/introspect`
pub(super) fn introspect(state: &mut State, request: &Request) -> Response {
    let asked = match read(state, request) {
        Ok(asked) => asked,
        Err(refused) => return *refused,
    };
    let Some(token) = asked.body.get("token").and_then(Value::as_str) else {
        return invalid_request("body failed validation: body.token should be defined.");
    };
    let active = state.workspace.grants.access(token).is_some();
    Response::json(
        StatusCode::OK,
        &json!({"active": active, "request_id": id_of(token)}),
        false,
    )
}

fn read(state: &State, request: &Request) -> Result<Asked, Box<Response>> {
    let client = basic(request)
        .filter(|(id, secret)| {
            let client = state.workspace.clients.find(id);
            client.is_some_and(|client| client.knows(secret))
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
    if let Err(error) = router::version(request) {
        return Err(Box::new(error.response(&id_of(&request.path))));
    }
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let body = kind
        .eq_ignore_ascii_case("application/json")
        .then(|| serde_json::from_slice(&request.body).ok())
        .flatten();
    match body {
        Some(Value::Object(body)) => Ok(Asked { client, body }),
        _ => Err(Box::new(invalid_request(
            "body failed validation: body should be a JSON object.",
        ))),
    }
}

/// Id and secret, each encoded like a form's value before base64 (RFC 6749, section 2.3.1).
fn basic(request: &Request) -> Option<(String, String)> {
    let (scheme, encoded) = request.header("authorization")?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        Some(percent_decode_str(&spaced).decode_utf8().ok()?.into_owned())
    };
    Some((decode(id)?, decode(secret)?))
}

/// The answer with tokens: it tells no lifetime.
fn tokens(state: &State, issued: &Issued) -> Response {
    let (client, user) = (&issued.grant.client, &issued.grant.user);
    let body = json!({
        "access_token": issued.access,
        "token_type": "bearer",
        "refresh_token": issued.refresh,
        "bot_id": bot_id(client, user),
        "workspace_icon": null,
        "workspace_name": shapes::WORKSPACE_NAME,
        "workspace_id": shapes::workspace_id(),
        "owner": {"type": "user", "user": state.world.user(user).map(shapes::person)},
        "duplicated_template_id": null,
        "request_id": id_of(&issued.access),
    });
    Response::json(StatusCode::OK, &body, false).with(header::CACHE_CONTROL, "no-store")
}

fn invalid_request(description: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "invalid_request", description)
}
