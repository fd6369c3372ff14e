//! `GET /v1/authorizations/{authorization_id}`.

use stead::core::resource::Authorization;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(authorization_id): Path<String>,
) -> Result<Json<Authorization>> {
    Ok(Json(environment.authorization(&authorization_id).await?))
}
