//! `POST /v1/keys/{key_id}/activate`: everything is sealed with this key from now on.

use stead::core::resource::{DataKey, KeyActivation};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn activate(
    Acting(environment): Acting,
    Path(key_id): Path<String>,
    Json(how): Json<KeyActivation>,
) -> Result<Json<DataKey>> {
    Ok(Json(environment.activate_key(&key_id, how.at_once).await?))
}
