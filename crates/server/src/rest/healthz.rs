//! `GET /healthz`: this process responds.

use serde_json::{Value, json};

use crate::extract::Json;

pub(super) async fn show() -> Json<Value> {
    Json(json!({"status": "ok"}))
}
