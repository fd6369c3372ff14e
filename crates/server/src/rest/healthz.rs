//! `GET /healthz`: this process responds.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{extract::Json, openapi::Draft};

/// How the process is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = json!({ "status": "ok" }))]
pub(super) struct Health {
    /// `ok`, or `ready`.
    pub(super) status: &'static str,
}

/// The document's description of the route.
pub(super) fn describe(draft: &mut Draft<'_>) {
    draft.gives::<Health>(200);
}

pub(super) async fn show() -> Json<Health> {
    Json(Health { status: "ok" })
}
