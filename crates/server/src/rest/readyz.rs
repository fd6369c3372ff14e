use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use super::json;
use crate::problem::Answer;

/// `GET /readyz`: this process can serve calls, which needs its store.
pub(super) async fn show(State(environment): State<Environment>) -> Answer {
    environment.ready().await?;
    json(StatusCode::OK, &serde_json::json!({"status": "ready"}))
}
