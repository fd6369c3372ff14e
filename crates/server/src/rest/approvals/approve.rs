//! `POST /v1/approvals/{approval_id}/approve`: the call may be made once.

use stead::core::resource::{Approval, ApprovalDecision};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn approve(
    Acting(environment): Acting,
    Path(id): Path<String>,
    Json(decision): Json<ApprovalDecision>,
) -> Result<Json<Approval>> {
    Ok(Json(environment.approve(&id, decision).await?))
}
