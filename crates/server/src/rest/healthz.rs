use http::StatusCode;

use super::json;
use crate::problem::Answer;

/// `GET /healthz`: this process answers.
pub(super) async fn show() -> Answer {
    json(StatusCode::OK, &serde_json::json!({"status": "ok"}))
}
