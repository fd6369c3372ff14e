//! What Google refuses before a method runs, and the method.
//!
//! In order: address and method, query parameters, token, scopes. Then the method runs, and `fields` cuts its
//! response.

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode, header};
use bytes::Bytes;
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

/// A request that may be run.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) caller: Caller,
    /// What `fields` asks for.
    pub(super) selection: Option<Selection>,
    /// Whether the response is indented.
    pub(super) indented: bool,
}

/// Checks and runs one request that is not an upload.
pub(super) fn respond(api: &Api, state: &mut State, request: &Request) -> Response {
    let query = request.query_parameters();
    let indented = query.first("prettyPrint") != Some("false");
    let methods = api
        .methods
        .iter()
        .map(|method| (*method, &method.verb, method.path));
    let (method, path) = match find(methods, &request.method, &request.path) {
        Found::Method(method, path) => (method, path),
        Found::WrongVerb => return pages::wrong_method(request),
        Found::Nothing => {
            return pages::not_found(request);
        }
    };
    run(api, method, path, query, state, request)
        .unwrap_or_else(|error| error.response(api.errors, indented))
}

/// The caller's token: known, alive, and shown in the one place for it.
pub(crate) fn identify(state: &State, request: &Request) -> Result<Caller, ApiError> {
    let token = request
        .bearer_token()
        .ok_or_else(ApiError::missing_credentials)?;
    match state.oauth.access(token, state.now) {
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
) -> Result<Response, ApiError> {
    let mut downloads = api.downloads.iter();
    let download = downloads.find(|download| std::ptr::eq(download.method, method));
    let wants_media = query.first("alt") == Some("media");
    if wants_media && download.is_none() {
        return Err(ApiError::invalid("Unsupported output format media."));
    }
    let admitted = admit(api, method, &query, state, request)?;
    is_json(request)?;
    let call = call(&admitted, path, query, request);
    if let Some(download) = download.filter(|download| wants_media || download.is_only_use) {
        let range = request.header(header::RANGE.as_str());
        let range = range.filter(|_| download.takes_ranges);
        return (download.run)(state, &call)?.respond(range);
    }
    let value = (method.run)(state, &call)?;
    let etag = value["etag"].as_str().map(str::to_owned);
    let known = request.header(header::IF_NONE_MATCH.as_str());
    let response = match (&etag, known) {
        (Some(etag), Some(known)) if method.verb == Method::GET && known == etag => {
            Response::whole(StatusCode::NOT_MODIFIED, "text/html", Bytes::new())
        }
        _ => {
            let (selection, indented) = (admitted.selection.as_ref(), admitted.indented);
            json(StatusCode::OK, value, selection, indented)
        }
    };
    Ok(match etag {
        Some(etag) => response.with(header::ETAG, &etag),
        None => response,
    })
}

/// Parameters, token and scopes are as the method's description says.
pub(super) fn admit(
    api: &Api,
    method: &ApiMethod,
    query: &Query,
    state: &State,
    request: &Request,
) -> Result<Admitted, ApiError> {
    check_parameters(method, query)?;
    if !request.body.is_empty() && method.verb == Method::GET {
        return Err(ApiError::invalid("A GET request has no body."));
    }
    refuse_unsupported(query)?;
    let caller = identify(state, request)?;
    if !method
        .scopes
        .iter()
        .any(|scope| caller.scopes.contains(*scope))
    {
        let challenge = format!(
            r#"Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="{}""#,
            method.scopes.join(" ")
        );
        let refused = ApiError::insufficient_scope(api.service, method.id);
        return Err(refused.with_header(header::WWW_AUTHENTICATE, challenge));
    }
    let selection = query
        .first("fields")
        .map(|mask| Selection::parse(mask, method.schema))
        .transpose()?;
    Ok(Admitted {
        caller,
        selection,
        indented: query.first("prettyPrint") != Some("false"),
    })
}

/// A body is JSON, and says so.
pub(super) fn is_json(request: &Request) -> Result<(), ApiError> {
    if request.body.is_empty() || request.has_media_type("application/json") {
        return Ok(());
    }
    Err(ApiError::invalid(
        "Invalid JSON payload received. The body's Content-Type must be application/json.",
    ))
}

/// What the method gets to see.
pub(super) fn call(
    admitted: &Admitted,
    path: Vec<String>,
    query: Query,
    request: &Request,
) -> Call {
    Call {
        user: admitted.caller.user.clone(),
        scopes: admitted.caller.scopes.clone(),
        path,
        query,
        body: request.body.clone(),
        media: None,
        if_match: request.header(header::IF_MATCH.as_str()).map(str::to_owned),
    }
}

/// The value with the fields that were asked for; `null` becomes 204 and no body.
pub(super) fn json(
    status: StatusCode,
    value: Value,
    selection: Option<&Selection>,
    indented: bool,
) -> Response {
    if value.is_null() {
        return Response::whole(StatusCode::NO_CONTENT, "text/html", Bytes::new());
    }
    let value = match selection {
        Some(selection) => selection.cut(value),
        None => value,
    };
    Response::json(status, &value, indented).with(header::CACHE_CONTROL, "private")
}

/// What an address and a verb name.
#[derive(Debug)]
pub(super) enum Found<Item> {
    /// A method, and the variables of its path.
    Method(Item, Vec<String>),
    WrongVerb,
    Nothing,
}

/// The first of the methods that fits.
pub(super) fn find<'a, Item>(
    methods: impl Iterator<Item = (Item, &'a Method, &'static str)>,
    given: &Method,
    path: &str,
) -> Found<Item> {
    let mut wrong_verb = false;
    for (method, verb, template) in methods {
        let variables = match_path(template, path);
        let Some(variables) = variables.filter(|all| all.iter().all(|one| !one.is_empty())) else {
            continue;
        };
        if verb == given {
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
    if let Some(other) = query.first("alt").filter(|alt| *alt == "proto") {
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
