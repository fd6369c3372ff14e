//! The router: what the product refuses before a method runs.
//!
//! In order: token, version, address in that version, ids, query, body, capability.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    capability::Capability,
    content::{Content, Origin},
    errors::{ApiError, success},
    ids,
    methods::METHODS,
    version::Version,
};
use crate::{
    oauth::TokenState,
    query::Query,
    request::{Request, match_path},
    response::Response,
    workspace::State,
};

/// Bytes of a body (Notion API, "Request limits").
const BODY_BYTES: usize = 500_000;

/// One method of the API.
#[derive(Debug)]
pub(crate) struct Method {
    /// HTTP method.
    pub(crate) verb: &'static str,
    /// Path, where `{name}` is an id.
    pub(crate) path: &'static str,
    /// Oldest and newest version that have it.
    pub(crate) versions: (Version, Version),
    /// Capability that it needs.
    pub(crate) needs: Option<Capability>,
    /// Query parameters.
    pub(crate) query: &'static [&'static str],
    /// What it does.
    pub(crate) run: fn(&mut State, &Call) -> Result<Value, ApiError>,
}

/// The versions of most methods.
pub(crate) const ALL: (Version, Version) = (Version::Databases, Version::InTrash);

/// A request that has passed the checks.
#[derive(Debug)]
pub(crate) struct Call {
    /// Mail address of the user whose token came along.
    pub(crate) user: String,
    /// Id of the integration's client.
    pub(crate) client: String,
    /// Pages that the user has shared.
    pub(crate) roots: BTreeSet<String>,
    pub(crate) version: Version,
    /// Ids of the path.
    pub(crate) path: Vec<String>,
    pub(crate) query: Query,
    /// The body; an empty object where there is none.
    pub(crate) body: Value,
}

/// Checks and runs one request of the API.
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
    let version = version(request)?;
    let (method, path) = find(request, version).ok_or_else(ApiError::url)?;
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

/// User, client and shared pages of the token that came along.
fn identify(state: &State, request: &Request) -> Option<(String, String, BTreeSet<String>)> {
    let access = state.grants.access(request.bearer_token()?, state.now);
    match access {
        TokenState::Alive(grant, roots) => Some((
            grant.user.clone(),
            grant.request.client.clone(),
            roots.clone(),
        )),
        TokenState::Expired(_) | TokenState::Dead => None,
    }
}

/// The version that the request names (Notion API, "Versioning").
pub(crate) fn version(request: &Request) -> Result<Version, ApiError> {
    let date = request
        .header("notion-version")
        .ok_or_else(ApiError::missing_version)?;
    Version::named(date).ok_or_else(|| {
        let should = format!(
            "`\"2022-06-28\"` or `\"2025-09-03\"` or `\"2026-03-11\"`, instead was `\"{date}\"`"
        );
        ApiError::at("Notion-Version header", &should)
    })
}

fn find(request: &Request, version: Version) -> Option<(&'static Method, Vec<String>)> {
    let methods = METHODS.iter().filter(|method| {
        let (oldest, newest) = method.versions;
        method.verb == request.method.as_str() && (oldest..=newest).contains(&version)
    });
    methods
        .copied()
        .find_map(|method| Some((method, match_path(method.path, &request.path)?)))
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

impl Call {
    /// The nth id of the path.
    pub(crate) fn id(&self, index: usize) -> &str {
        self.path.get(index).map_or("", String::as_str)
    }

    /// Whether something is shared with the integration.
    pub(crate) fn can_see(&self, content: &Content, id: &str) -> bool {
        content.is_shared(id, &self.roots)
    }

    /// Id of the integration as the author of what it makes.
    pub(crate) fn bot(&self) -> String {
        super::oauth::bot_id(&self.client, &self.user)
    }

    /// Made by this call, now.
    pub(crate) fn origin(&self, state: &State) -> Origin {
        Origin {
            created: state.now,
            edited: state.now,
            author: self.bot(),
        }
    }
}
