//! `POST /v1/members`: responds 201 with the member and the link of the invitation, which is shown only here.

use axum::response::AppendHeaders;
use http::{HeaderName, StatusCode, header};
use stead::core::resource::{IssuedMemberLink, NewMember};

use crate::{
    extract::{Acting, Json},
    problem::Result,
    state::address,
};

type Location = AppendHeaders<[(HeaderName, String); 1]>;

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewMember>,
) -> Result<(StatusCode, Location, Json<IssuedMemberLink>)> {
    let issued = environment.invite_member(new).await?;
    let path = format!("/v1/members/{}", issued.member.member_id);
    let location = AppendHeaders([(header::LOCATION, address(&environment, &path))]);
    Ok((StatusCode::CREATED, location, Json(issued)))
}
