//! `POST /v1/approvals/{approval_id}/deny`: the call may not be made.

use stead::core::resource::{Approval, ApprovalDecision};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn deny(
    Acting(environment): Acting,
    Path(id): Path<String>,
    Json(decision): Json<ApprovalDecision>,
) -> Result<Json<Approval>> {
    Ok(Json(environment.deny_approval(&id, decision).await?))
}
