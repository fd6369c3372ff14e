//! `GET /v1/policies/{policy_name}`.

use stead::core::resource::Policy;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(name): Path<String>,
) -> Result<Json<Policy>> {
    Ok(Json(environment.policy(&name).await?))
}
