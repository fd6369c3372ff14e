//! Checks a request to one of Google's APIs as Google does, and runs its method.
//!
//! In order: address and method, query parameters, token, scopes. Then the method runs, and `fields` cuts its
//! response.

use std::{collections::BTreeSet, sync::LazyLock};

use axum::http::{Method, StatusCode, header};
use bytes::Bytes;
use serde_json::Value;

use super::{
    Api,
    errors::ApiError,
    fields::Selection,
    method::{ApiMethod, Call, Parameter},
    schema,
};
use crate::{
    google::State,
    oauth::TokenState,
    pages,
    request::{Query, Repeated},
    request::{Request, match_path},
    response::Response,
};

/// Parameters of every Google API (discovery, `parameters`).
static COMMON: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    let text = "$.xgafv=1|2 access_token alt=json|media|proto callback fields key oauth_token prettyPrint:flag quotaUser \
        uploadType upload_protocol";
    text.split_whitespace().map(Parameter::parse).collect()
});

/// The caller, as the request's token says.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) user: String,
    pub(crate) scopes: BTreeSet<String>,
}

/// A request that passed the checks.
#[derive(Debug)]
pub(super) struct Admitted {
    api: &'static Api,
    pub(super) method: &'static ApiMethod,
    pub(super) caller: Caller,
    /// The fields that the request asks for.
    pub(super) selection: Option<Selection>,
    /// Whether the response is indented.
    pub(super) indented: bool,
}

/// Checks and runs a request that isn't an upload.
pub(super) fn respond(api: &'static Api, state: &mut State, request: &Request) -> Response {
    let query = request.query_parameters();
    let indented = query.first("prettyPrint") != Some("false");
    let (method, path) = match find(api, &request.method, &request.path) {
        Found::Method(method, path) => (method, path),
        Found::WrongVerb => return pages::wrong_method(request),
        Found::Nothing => return pages::not_found(request),
    };
    run(api, method, path, query, state, request)
        .unwrap_or_else(|error| error.response(api.errors, indented))
}

/// Identifies the caller by the token in the `Authorization` header. The token must be known and not expired.
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
    api: &'static Api,
    method: &'static ApiMethod,
    path: Vec<String>,
    query: Query,
    state: &mut State,
    request: &Request,
) -> Result<Response, ApiError> {
    if !api.has(method) {
        return Err(ApiError::not_played(method.id));
    }
    let wants_media = query.first("alt") == Some("media");
    if wants_media && !method.downloads {
        return Err(ApiError::invalid("Unsupported output format media."));
    }
    let admitted = admit(api, method, &query, state, request)?;
    is_json(request)?;
    let call = call(&admitted, path, query, request, &request.body)?;
    // If a method has no response in JSON, it returns bytes.
    if let Some(download) = api
        .download(method)
        .filter(|_| wants_media || method.gives.is_empty())
    {
        return download(state, &call)?.respond(request.header(header::RANGE.as_str()));
    }
    let value = api.run(state, &call)?;
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

/// Checks the parameters, the token and the scopes against the method's description.
pub(super) fn admit(
    api: &'static Api,
    method: &'static ApiMethod,
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
        .any(|scope| caller.scopes.contains(scope))
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
        .map(|mask| Selection::parse(mask, method.gives))
        .transpose()?;
    Ok(Admitted {
        api,
        method,
        caller,
        selection,
        indented: query.first("prettyPrint") != Some("false"),
    })
}

/// Checks that a body is JSON and has the content type of JSON.
pub(super) fn is_json(request: &Request) -> Result<(), ApiError> {
    if request.body.is_empty() || request.has_media_type("application/json") {
        return Ok(());
    }
    Err(ApiError::invalid(
        "Invalid JSON payload received. The body's Content-Type must be application/json.",
    ))
}

/// The call for the method. `body` is JSON.
pub(super) fn call(
    admitted: &Admitted,
    path: Vec<String>,
    query: Query,
    request: &Request,
    body: &[u8],
) -> Result<Call, ApiError> {
    let (api, method) = (admitted.api, admitted.method);
    Ok(Call {
        api,
        method,
        user: admitted.caller.user.clone(),
        scopes: admitted.caller.scopes.clone(),
        path,
        query,
        body: schema::body(api, method, body)?,
        media: None,
        if_match: request.header(header::IF_MATCH.as_str()).map(str::to_owned),
    })
}

/// A response with the requested fields of the value. `null` becomes 204 without a body.
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

/// The method for an address and an HTTP method.
#[derive(Debug)]
pub(super) enum Found {
    /// A method, and the variables of its path.
    Method(&'static ApiMethod, Vec<String>),
    WrongVerb,
    Nothing,
}

/// Finds the method for a path. If several fit, the one with the fewest variables wins, because an ID can be any text.
pub(super) fn find(api: &Api, given: &Method, path: &str) -> Found {
    let fitting = api.methods().filter_map(|method| {
        let variables = match_path(method.path, path)?;
        let is_filled = variables.iter().all(|one| !one.is_empty());
        is_filled.then_some((method, variables))
    });
    let fitting: Vec<_> = fitting.collect();
    let is_known = !fitting.is_empty();
    let own = fitting
        .into_iter()
        .filter(|(method, _)| method.verb == given);
    match own.min_by_key(|(_, variables)| variables.len()) {
        Some((method, variables)) => Found::Method(method, variables),
        None if is_known => Found::WrongVerb,
        None => Found::Nothing,
    }
}

/// Checks that every parameter is known and fits its type, and occurs only once unless it may repeat.
fn check_parameters(method: &ApiMethod, query: &Query) -> Result<(), ApiError> {
    for (name, value) in query.iter() {
        let Some(parameter) = method
            .parameters
            .iter()
            .chain(COMMON.iter())
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

/// Refuses common parameters whose effect on the response isn't supported here.
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
    // The discovery document allows at most 40 characters.
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
