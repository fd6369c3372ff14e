//! `POST /v1/keys/rewrap`: puts the data keys under the first key of the ring; responds with the keys as they are then.

use stead::core::resource::Keys;

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn rewrap(Acting(environment): Acting) -> Result<Json<Keys>> {
    environment.rewrap_keys().await?;
    Ok(Json(environment.keys(false).await?))
}
