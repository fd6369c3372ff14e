//! `DELETE /v1/members/{member_id}`.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(member_id): Path<String>,
) -> Result<StatusCode> {
    environment.delete_member(&member_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
