//! The router of every API: what Google refuses before a method runs.
//!
//! In order: address and method, query parameters, token, scopes. Then the method runs, and `fields` cuts its
//! response.

use std::collections::BTreeSet;

use axum::http::{StatusCode, header};
use serde_json::Value;

use super::{
    errors::ApiError,
    fields::Selection,
    method::{Api, ApiMethod, Call, Kind, Parameter},
};
use crate::{
    google::State,
    oauth::TokenState,
    pages,
    query::{Query, Repeated},
    request::{Request, match_path},
    response::Response,
};

/// Parameters of every Google API (discovery, `parameters`).
static COMMON: [Parameter; 11] = [
    Parameter::one("$.xgafv", Kind::OneOf(&["1", "2"])),
    Parameter::one("access_token", Kind::Text),
    Parameter::one("alt", Kind::OneOf(&["json", "media", "proto"])),
    Parameter::one("callback", Kind::Text),
    Parameter::one("fields", Kind::Text),
    Parameter::one("key", Kind::Text),
    Parameter::one("oauth_token", Kind::Text),
    Parameter::one("prettyPrint", Kind::Flag),
    Parameter::one("quotaUser", Kind::Text),
    Parameter::one("uploadType", Kind::Text),
    Parameter::one("upload_protocol", Kind::Text),
];

/// Who calls, by the token that came along.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) user: String,
    pub(crate) scopes: BTreeSet<String>,
}

/// Checks and runs one request of an API.
pub(crate) fn respond(api: &Api, state: &mut State, request: &Request) -> Response {
    let query = request.query_parameters();
    let indented = query.first("prettyPrint") != Some("false");
    let (method, path) = match find(api, request) {
        Found::Method(method, path) => (method, path),
        Found::WrongVerb => return pages::wrong_method(request),
        Found::Nothing => {
            return pages::not_found(request);
        }
    };
    match run(api, method, path, query, state, request) {
        Ok(Value::Null) => {
            Response::whole(StatusCode::NO_CONTENT, "text/html", bytes::Bytes::new())
        }
        Ok(value) => {
            Response::json(StatusCode::OK, &value, indented).with(header::CACHE_CONTROL, "private")
        }
        Err(error) => error.response(api.errors, indented),
    }
}

/// The caller's token: known, alive, and shown in the one place for it.
pub(crate) fn identify(state: &State, request: &Request) -> Result<Caller, ApiError> {
    let token = request
        .bearer_token()
        .ok_or_else(ApiError::missing_credentials)?;
    match state.grants.access(token, state.now) {
        TokenState::Alive(grant, scopes) => Ok(Caller {
            user: grant.user.clone(),
            scopes: scopes.clone(),
        }),
        TokenState::Expired(_) | TokenState::Dead => Err(ApiError::invalid_credentials()),
    }
}

fn run(
    api: &Api,
    method: &'static ApiMethod,
    path: Vec<String>,
    query: Query,
    state: &mut State,
    request: &Request,
) -> Result<Value, ApiError> {
    check_parameters(method, &query)?;
    if !request.body.is_empty() && method.verb == axum::http::Method::GET {
        return Err(ApiError::invalid("A GET request has no body."));
    }
    refuse_unsupported(&query)?;
    let caller = identify(state, request)?;
    if !method
        .scopes
        .iter()
        .any(|scope| caller.scopes.contains(*scope))
    {
        return Err(ApiError::insufficient_scope(api.service, method.id));
    }
    let selection = query
        .first("fields")
        .map(|mask| Selection::parse(mask, method.schema))
        .transpose()?;
    if !request.body.is_empty() && !request.has_media_type("application/json") {
        return Err(ApiError::invalid(
            "Invalid JSON payload received. The body's Content-Type must be application/json.",
        ));
    }
    let call = Call {
        user: caller.user,
        scopes: caller.scopes,
        path,
        query,
        body: request.body.clone(),
        if_match: request.header(header::IF_MATCH.as_str()).map(str::to_owned),
    };
    let value = (method.run)(state, &call)?;
    Ok(match selection {
        Some(selection) => selection.cut(value),
        None => value,
    })
}

enum Found {
    Method(&'static ApiMethod, Vec<String>),
    WrongVerb,
    Nothing,
}

fn find(api: &Api, request: &Request) -> Found {
    let mut wrong_verb = false;
    for method in api.methods {
        let variables = match_path(method.path, &request.path);
        let Some(variables) = variables.filter(|all| all.iter().all(|one| !one.is_empty())) else {
            continue;
        };
        if method.verb == request.method {
            return Found::Method(method, variables);
        }
        wrong_verb = true;
    }
    if wrong_verb {
        Found::WrongVerb
    } else {
        Found::Nothing
    }
}

/// Every parameter is known, fits its type and comes once unless it may repeat.
fn check_parameters(method: &ApiMethod, query: &Query) -> Result<(), ApiError> {
    for (name, value) in query.iter() {
        let Some(parameter) = method
            .parameters
            .iter()
            .chain(&COMMON)
            .find(|parameter| parameter.name == name)
        else {
            return Err(ApiError::unbound(
                "",
                format!(
                    "Invalid JSON payload received. Unknown name \"{name}\": Cannot bind query parameter. Field '{name}' could not be found in request message."
                ),
            ));
        };
        if !parameter.repeated
            && let Err(Repeated(name)) = query.one(parameter.name)
        {
            return Err(ApiError::unbound(
                "",
                format!(
                    "Invalid JSON payload received. Unknown name \"{name}\": Proto field is not repeating, cannot start list."
                ),
            ));
        }
        parameter.check(value)?;
    }
    Ok(())
}

/// Common parameters that would change the response in a way not supported here.
fn refuse_unsupported(query: &Query) -> Result<(), ApiError> {
    if let Some(other) = query.first("alt").filter(|alt| *alt != "json") {
        return Err(ApiError::invalid(format!(
            "Unsupported output format {other}."
        )));
    }
    if query.first("callback").is_some() {
        return Err(ApiError::invalid(
            "The sandbox does not respond with scripts.",
        ));
    }
    if query.first("key").is_some() {
        let error = ApiError::invalid("API key not valid. Please pass a valid API key.");
        return Err(error.with_info("API_KEY_INVALID"));
    }
    // Discovery asks for at most 40 characters.
    if query
        .first("quotaUser")
        .is_some_and(|user| user.chars().count() > 40)
    {
        return Err(ApiError::invalid(
            "quotaUser must not exceed 40 characters.",
        ));
    }
    Ok(())
}
