//! `PATCH /v1/members/{member_id}`: members of the body that are absent stay.

use stead::core::resource::{Member, MemberChange};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn change(
    Acting(environment): Acting,
    Path(member_id): Path<String>,
    Json(change): Json<MemberChange>,
) -> Result<Json<Member>> {
    Ok(Json(environment.change_member(&member_id, change).await?))
}
