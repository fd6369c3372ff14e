//! `POST /v1/keys/{key_id}/retire`: destroys a data key with which nothing is sealed any more.

use stead::core::resource::DataKey;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn retire(
    Acting(environment): Acting,
    Path(key_id): Path<String>,
) -> Result<Json<DataKey>> {
    Ok(Json(environment.retire_key(&key_id).await?))
}
