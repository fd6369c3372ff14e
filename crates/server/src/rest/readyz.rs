//! `GET /readyz`: this process can serve calls, which needs its store.

use axum::extract::State;
use serde_json::{Value, json};
use stead::core::environment::Environment;

use crate::{extract::Json, problem::Result};

pub(super) async fn show(State(environment): State<Environment>) -> Result<Json<Value>> {
    environment.ready().await?;
    Ok(Json(json!({"status": "ready"})))
}
