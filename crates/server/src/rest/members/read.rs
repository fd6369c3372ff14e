//! `GET /v1/members/{member_id}`.

use stead::core::resource::Member;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(member_id): Path<String>,
) -> Result<Json<Member>> {
    Ok(Json(environment.member(&member_id).await?))
}
