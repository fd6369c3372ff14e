//! The sandbox's own routes for the request log, faults, the world and its records, and the check of browser requests.

use std::{collections::BTreeMap, net::IpAddr};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, Request, State},
    http::{HeaderMap, Method, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Sandbox, faults::Fault, log::Received, pages, records::Section};

/// The home page and `/sandbox/…`.
pub(crate) fn router() -> Router<Sandbox> {
    Router::new()
        .route("/", get(home))
        .route("/sandbox/log", get(log))
        .route("/sandbox/faults", get(waiting).post(fault))
        .route("/sandbox/reset", post(reset))
        .route("/sandbox/world", get(world))
        .route("/sandbox/records", get(records).post(add_record))
        .route("/sandbox/records/delete", post(delete_record))
        .route("/sandbox/hook", post(webhook))
}

async fn home(headers: HeaderMap) -> Html<String> {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    Html(pages::home(&format!(
        "http://{}",
        host.unwrap_or("localhost")
    )))
}

async fn log(State(sandbox): State<Sandbox>) -> Json<Vec<Received>> {
    Json(sandbox.received())
}

async fn waiting(State(sandbox): State<Sandbox>) -> Json<Vec<Value>> {
    Json(sandbox.state().faults.waiting())
}

async fn reset(State(sandbox): State<Sandbox>) -> StatusCode {
    sandbox.reset();
    StatusCode::NO_CONTENT
}

/// The user whose records are requested.
#[derive(Deserialize)]
struct Whose {
    user: String,
}

async fn records(State(sandbox): State<Sandbox>, Query(whose): Query<Whose>) -> Json<Vec<Section>> {
    Json(sandbox.sections(&whose.user))
}

/// A record to add.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Added {
    user: String,
    section: String,
    fields: BTreeMap<String, String>,
}

async fn add_record(State(sandbox): State<Sandbox>, body: Bytes) -> Response {
    let added = serde_json::from_slice::<Added>(&body).map_err(|error| error.to_string());
    done(added.and_then(|one| sandbox.add_record(&one.user, &one.section, &one.fields)))
}

/// A record to delete.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deleted {
    user: String,
    section: String,
    id: String,
}

async fn delete_record(State(sandbox): State<Sandbox>, body: Bytes) -> Response {
    let deleted = serde_json::from_slice::<Deleted>(&body).map_err(|error| error.to_string());
    done(deleted.and_then(|one| sandbox.delete_record(&one.user, &one.section, &one.id)))
}

/// An application's webhook, which accepts every event.
async fn webhook() -> StatusCode {
    StatusCode::NO_CONTENT
}

async fn world(State(sandbox): State<Sandbox>) -> Json<Value> {
    Json(sandbox.world())
}

/// Adds one fault, or a list of faults.
async fn fault(State(sandbox): State<Sandbox>, body: Bytes) -> Response {
    let faults = match serde_json::from_slice::<Value>(&body) {
        Ok(Value::Array(list)) => list,
        Ok(one) => vec![one],
        Err(error) => return refuse(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    // Read all faults before applying the first one.
    let read: Result<Vec<Fault>, _> = faults.into_iter().map(serde_json::from_value).collect();
    let outcome = match read {
        Ok(read) => read
            .into_iter()
            .try_for_each(|fault| sandbox.try_fault(fault)),
        Err(error) => Err(error.to_string()),
    };
    done(outcome)
}

fn done(outcome: Result<(), String>) -> Response {
    match outcome {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(reason) => refuse(StatusCode::BAD_REQUEST, &reason),
    }
}

fn refuse(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({"error": reason}))).into_response()
}

/// Accepts a browser's requests from the sandbox's own pages, and requests that only open a page. So another site's
/// page can't set a fault or change a record. A site whose name was made to lead here (DNS rebinding) can't read
/// anything either.
pub(crate) async fn check(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let given = headers.get(header::HOST).map(|host| host.as_bytes());
    let host = match (request.uri().authority(), given) {
        (Some(authority), _) => Ok(Some(authority.clone())),
        (None, host) => host.map(Authority::try_from).transpose(),
    };
    // A caller without a host isn't a browser.
    let is_named = host
        .as_ref()
        .is_ok_and(|host| host.as_ref().is_none_or(|host| is_own_name(host.host())));
    let host = host.ok().flatten();
    if !is_named {
        return refuse(
            StatusCode::FORBIDDEN,
            "the Host header has a name that may be another site's; use an address, or localhost",
        );
    }
    if is_of_another_site(headers, host.as_ref()) && !opens_a_page(request.method(), headers) {
        return refuse(
            StatusCode::FORBIDDEN,
            "a page of another site sent this; send it from the sandbox's own pages, or from outside a browser",
        );
    }
    next.run(request).await
}

/// Whether no internet site can have this name: it's an address, has no dot, or is below `localhost` or `internal`.
fn is_own_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let local = |(_, last): (&str, &str)| matches!(last, "localhost" | "internal");
    is_address || host.rsplit_once('.').is_none_or(local)
}

/// Whether the browser says that another site sent the request. A client that isn't a browser sends neither header.
fn is_of_another_site(headers: &HeaderMap, host: Option<&Authority>) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => !matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => {
            let origin = origin.split_once("://").map(|(_, origin)| origin);
            origin.is_none_or(|origin| host.is_none_or(|host| origin != host.as_str()))
        }
        (None, None) => false,
    }
}

/// Whether the browser shows the response, like a consent page to which the service redirected it. Such a request
/// changes nothing, and no other page can read the response.
fn opens_a_page(method: &Method, headers: &HeaderMap) -> bool {
    let navigates = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    navigates && matches!(*method, Method::GET | Method::HEAD)
}
