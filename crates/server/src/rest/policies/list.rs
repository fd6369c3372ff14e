//! `GET /v1/policies`: all of them on one page.

use stead::core::resource::{Page, Policy};

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn list(Acting(environment): Acting) -> Result<Json<Page<Policy>>> {
    Ok(Json(environment.policies().await?))
}
