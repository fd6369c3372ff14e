//! `POST /v1/members/{member_id}/reset`: responds with the member and the link that sets another password, which is shown
//! only here.

use stead::core::resource::{IssuedMemberLink, MemberReset};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn reset(
    Acting(environment): Acting,
    Path(member_id): Path<String>,
    Json(how): Json<MemberReset>,
) -> Result<Json<IssuedMemberLink>> {
    Ok(Json(environment.reset_member(&member_id, how).await?))
}
