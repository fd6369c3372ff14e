//! `GET /v1/approvals/{approval_id}`: with the exact arguments of the call.

use stead::core::resource::Approval;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(id): Path<String>,
) -> Result<Json<Approval>> {
    Ok(Json(environment.approval(&id).await?))
}
