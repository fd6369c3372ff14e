//! The router of the SQL API. It checks the path and method, the query, the headers and the token, in this order.

use axum::http::Method;

use super::{Call, Caller, errors::ApiError, statements};
use crate::{
    oauth::TokenState, request::Repeated, request::Request, response::Response, warehouse::State,
};

/// A query parameter, and the check of its values.
type Parameter = (&'static str, fn(&str) -> bool);

/// An operation and its query parameters (`sqlapi.yaml`).
struct Operation {
    method: Method,
    parameters: &'static [Parameter],
    run: fn(&mut State, &Call<'_>, &str) -> Result<Response, ApiError>,
}

static SUBMIT: Operation = Operation {
    method: Method::POST,
    parameters: &[
        ("requestId", is_uuid),
        ("retry", is_flag),
        ("async", is_flag),
        ("nullable", is_flag),
    ],
    run: |state, call, _| statements::submit(state, call),
};
static STATUS: Operation = Operation {
    method: Method::GET,
    parameters: &[("requestId", is_uuid), ("partition", is_number)],
    run: statements::status,
};
static CANCEL: Operation = Operation {
    method: Method::POST,
    parameters: &[("requestId", is_uuid)],
    run: statements::cancel,
};

/// The methods that the sandbox plays, below `/api/v2/`.
pub(super) const PLAYED: [(&str, &str); 3] = [
    ("submit a statement", "POST statements"),
    (
        "check it, get its result",
        "GET statements/{statementHandle}",
    ),
    ("cancel it", "POST statements/{statementHandle}/cancel"),
];
/// Snowflake's other APIs, and their numbers of methods: `grant.yaml` and `result.yaml`.
pub(super) const NOT_PLAYED: [(&str, usize); 2] = [("grants", 7), ("results", 1)];

/// Checks and runs a request.
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    run(state, request).unwrap_or_else(|error| error.response())
}

fn run(state: &mut State, request: &Request) -> Result<Response, ApiError> {
    let segments: Vec<&str> = request.path.split('/').skip(3).collect();
    let (operation, handle) = match segments.as_slice() {
        ["statements"] => (&SUBMIT, ""),
        ["statements", handle] => (&STATUS, *handle),
        ["statements", handle, "cancel"] => (&CANCEL, *handle),
        [first, ..] if NOT_PLAYED.iter().any(|(path, _)| path.starts_with(first)) => {
            return Err(ApiError::not_played(request.method.as_str(), &request.path));
        }
        _ => return Err(ApiError::not_found("Endpoint not found.")),
    };
    if request.method != operation.method {
        return Err(ApiError::wrong_method());
    }
    let query = request.query_parameters();
    for (name, value) in query.iter() {
        let known = operation
            .parameters
            .iter()
            .find(|(parameter, _)| *parameter == name);
        let Some((_, matches)) = known else {
            return Err(ApiError::invalid(format!(
                "Unknown query parameter {name}."
            )));
        };
        if let Err(Repeated(name)) = query.one(name) {
            return Err(ApiError::invalid(format!(
                "Query parameter {name} was given more than once."
            )));
        }
        if !matches(value) {
            return Err(ApiError::invalid(format!(
                "Invalid value for query parameter {name}."
            )));
        }
    }
    headers(request)?;
    let caller = identify(state, request)?;
    let call = Call {
        caller,
        query,
        request,
    };
    (operation.run)(state, &call, handle)
}

/// Checks the headers that the API's description requires.
fn headers(request: &Request) -> Result<(), ApiError> {
    if request
        .header("user-agent")
        .is_none_or(|agent| agent.trim().is_empty())
    {
        return Err(ApiError::invalid("The header User-Agent is required."));
    }
    let accept = request.header("accept").unwrap_or_default();
    let takes_json = accept.split(',').any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim();
        matches!(range, "application/json" | "application/*" | "*/*")
    });
    if !takes_json {
        return Err(ApiError::media_type(
            "The header Accept must be application/json.",
        ));
    }
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !request.body.is_empty() && kind != "application/json" {
        return Err(ApiError::media_type(
            "The header Content-Type must be application/json.",
        ));
    }
    match request.header("x-snowflake-authorization-token-type") {
        None | Some("OAUTH") => Ok(()),
        Some("KEYPAIR_JWT" | "PROGRAMMATIC_ACCESS_TOKEN") => Err(ApiError::invalid_token()),
        Some(_) => Err(ApiError::invalid(
            "Unknown value of the header X-Snowflake-Authorization-Token-Type.",
        )),
    }
}

fn identify(state: &State, request: &Request) -> Result<Caller, ApiError> {
    let token = request.bearer_token().ok_or_else(ApiError::invalid_token)?;
    match state.oauth.access(token, state.now) {
        TokenState::Alive(grant, terms) if grant.asked.host == request.host => Ok(Caller {
            email: grant.user.clone(),
            role: terms.first().cloned(),
        }),
        TokenState::Expired(grant) if grant.asked.host == request.host => {
            Err(ApiError::expired_token())
        }
        _ => Err(ApiError::invalid_token()),
    }
}

fn is_flag(text: &str) -> bool {
    matches!(text, "true" | "false")
}

fn is_number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && text
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
