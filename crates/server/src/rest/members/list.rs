//! `GET /v1/members?page_token=&page_size=`.

use stead::core::resource::{Member, Page};

use crate::{
    extract::{Acting, Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<Member>>> {
    let page = query.paging()?;
    query.end()?;
    let members = environment.members(page.token.as_deref(), page.size);
    Ok(Json(members.await?))
}
