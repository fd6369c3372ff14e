//! The router checks a request before a method runs.
//!
//! The order is: token, version, path in that version, IDs, query, body, capability.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    errors::{ApiError, success},
    ids,
    method::Version,
    method::{Call, Method},
    methods::{METHODS, NOT_PLAYED},
};
use crate::{
    oauth::TokenState,
    request::{Request, match_path},
    response::Response,
    workspace::State,
};

/// The largest body in bytes (Notion API, "Request limits").
const BODY_BYTES: usize = 500_000;

/// Checks and runs a request to the API.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    let serial = state.ids.fresh("notion request", 12);
    let request_id = ids::id_of(&serial);
    match run(state, request) {
        Ok(value) => success(value, &request_id),
        Err(error) => error.response(&request_id),
    }
}

fn run(state: &mut State, request: &Request) -> Result<Value, ApiError> {
    let access = identify(state, request).ok_or_else(ApiError::unauthorized)?;
    let (user, client, roots) = access;
    let version = Version::of(request)?;
    let (method, path) = find(request, version).ok_or_else(|| not_found(request))?;
    let query = request.query_parameters();
    if let Some((name, value)) = query.iter().find(|(name, _)| !method.query.contains(name)) {
        let should = format!("not present, instead was `\"{value}\"`");
        return Err(ApiError::at(&format!("query.{name}"), &should));
    }
    let call = Call {
        user,
        client,
        roots,
        version,
        path: path_ids(method, &path)?,
        query,
        body: body(method, request)?,
    };
    if method
        .needs
        .is_some_and(|needed| state.lost_capabilities.contains(&needed))
    {
        return Err(ApiError::restricted());
    }
    (method.run)(state, &call)
}

/// The user, the client and the shared pages of the request's token.
fn identify(state: &State, request: &Request) -> Option<(String, String, BTreeSet<String>)> {
    let access = state.oauth.access(request.bearer_token()?, state.now);
    match access {
        TokenState::Alive(grant, roots) => Some((
            grant.user.clone(),
            grant.asked.client_id.clone(),
            roots.clone(),
        )),
        TokenState::Expired(_) | TokenState::Dead => None,
    }
}

fn find(request: &Request, version: Version) -> Option<(&'static Method, Vec<String>)> {
    let methods = METHODS.iter().filter(|method| {
        let (oldest, newest) = method.versions;
        method.verb == request.method.as_str() && (oldest..=newest).contains(&version)
    });
    let mut methods = methods;
    methods.find_map(|method| Some((method, match_path(method.path, &request.path)?)))
}

/// 501 for a method that Notion has and the sandbox doesn't.
fn not_found(request: &Request) -> ApiError {
    let known = NOT_PLAYED.lines().find(|line| {
        let (verb, path) = line.split_once(' ').unwrap_or_default();
        verb == request.method.as_str() && match_path(path, &request.path).is_some()
    });
    known.map_or_else(ApiError::url, ApiError::not_played)
}

fn path_ids(method: &Method, values: &[String]) -> Result<Vec<String>, ApiError> {
    let names = method
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names
        .zip(values)
        .map(|(name, value)| {
            ids::read(value).ok_or_else(|| {
                let should = format!("a valid uuid, instead was `\"{value}\"`");
                ApiError::at(&format!("path.{name}"), &should)
            })
        })
        .collect()
}

fn body(method: &Method, request: &Request) -> Result<Value, ApiError> {
    if method.verb == "GET" {
        if request.body.is_empty() {
            return Ok(json!({}));
        }
        return Err(ApiError::invalid("A GET request has no body."));
    }
    if !request.has_media_type("application/json") {
        return Err(ApiError::json());
    }
    if request.body.len() > BODY_BYTES {
        let message = format!(
            "The request body has {} bytes; at most {BODY_BYTES} are taken.",
            request.body.len()
        );
        return Err(ApiError::invalid(message));
    }
    serde_json::from_slice(&request.body).map_err(|_| ApiError::json())
}
