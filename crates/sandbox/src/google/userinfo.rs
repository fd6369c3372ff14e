//! Who the user is (OpenID Connect at Google, "Obtaining user profile information").

use axum::http::{StatusCode, header};
use serde_json::json;

use super::{check, errors::oauth};
use crate::{google::State, pages, request::Request, response::Response, users};

/// The host `openidconnect.googleapis.com`.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    if request.path != "/v1/userinfo" {
        return pages::not_found(request);
    }
    if !matches!(request.method.as_str(), "GET" | "POST") {
        return pages::wrong_method(request);
    }
    let Ok(caller) = check::identify(state, request) else {
        return refused(
            StatusCode::UNAUTHORIZED,
            "invalid_request",
            "Invalid Credentials",
        );
    };
    let has = |name: &str| {
        caller
            .scopes
            .iter()
            .any(|scope| scope == name || scope.ends_with(&format!("/userinfo.{name}")))
    };
    if !["openid", "email", "profile"].into_iter().any(has) {
        return refused(
            StatusCode::FORBIDDEN,
            "insufficient_scope",
            "Insufficient Permission",
        );
    }
    let Some(user) = users::find(&caller.user) else {
        return refused(
            StatusCode::UNAUTHORIZED,
            "invalid_request",
            "Invalid Credentials",
        );
    };
    let mut body = json!({"sub": user.subject});
    if has("email") {
        body["email"] = json!(user.email);
        body["email_verified"] = json!(true);
    }
    if has("profile") {
        let (given, family) = user.name.split_once(' ').unwrap_or((user.name, ""));
        body["name"] = json!(user.name);
        body["given_name"] = json!(given);
        body["family_name"] = json!(family);
        body["picture"] = json!(user.picture);
    }
    Response::json(StatusCode::OK, &body, true)
}

fn refused(status: StatusCode, error: &str, description: &str) -> Response {
    let challenge = format!(r#"Bearer realm="https://accounts.google.com/", error="{error}""#);
    oauth(status, error, description).with(header::WWW_AUTHENTICATE, &challenge)
}
