//! The sandbox's own routes: what came in, what shall go wrong, the world.

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use crate::{Sandbox, faults::Fault, log::Received, pages};

/// The home page and `/sandbox/…`.
pub(crate) fn router() -> Router<Sandbox> {
    Router::new()
        .route("/", get(home))
        .route("/sandbox/log", get(log))
        .route("/sandbox/faults", get(waiting).post(fault))
        .route("/sandbox/reset", post(reset))
        .route("/sandbox/world", get(world))
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
    match outcome {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(reason) => refuse(&reason),
    }
}

fn refuse(reason: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({"error": reason}))).into_response()
}
