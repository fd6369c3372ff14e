//! The sandbox's own routes: what came in, what shall go wrong, the world and its records.

use std::collections::BTreeMap;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
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

/// Whose records are meant.
#[derive(Deserialize)]
struct Whose {
    user: String,
}

async fn records(State(sandbox): State<Sandbox>, Query(whose): Query<Whose>) -> Json<Vec<Section>> {
    Json(sandbox.sections(&whose.user))
}

/// A record to be added.
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

/// A record to be deleted.
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

/// An application's endpoint that takes every event.
async fn webhook() -> StatusCode {
    StatusCode::NO_CONTENT
}

async fn world(State(sandbox): State<Sandbox>) -> Json<Value> {
    Json(sandbox.world())
}

/// Takes one fault, or a list of them.
async fn fault(State(sandbox): State<Sandbox>, body: Bytes) -> Response {
    let faults = match serde_json::from_slice::<Value>(&body) {
        Ok(Value::Array(list)) => list,
        Ok(one) => vec![one],
        Err(error) => return refuse(&error.to_string()),
    };
    // All are read before the first one is done.
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
        Err(reason) => refuse(&reason),
    }
}

fn refuse(reason: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({"error": reason}))).into_response()
}
