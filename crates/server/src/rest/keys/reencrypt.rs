//! `POST /v1/keys/reencrypt`: starts to seal everything again with the active key; `GET /v1/keys` says how far it is.

use stead::core::resource::Reencryption;

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn reencrypt(Acting(environment): Acting) -> Result<Json<Reencryption>> {
    Ok(Json(environment.start_reencryption().await?))
}
