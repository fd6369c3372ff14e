//! `POST /v1/app-credentials/{client_id}/rotate`: responds with the credential and its new secret, which is shown only
//! here.

use stead::core::resource::{IssuedAppSecret, SecretRotation};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn rotate(
    Acting(environment): Acting,
    Path(client_id): Path<String>,
    Json(rotation): Json<SecretRotation>,
) -> Result<Json<IssuedAppSecret>> {
    let issued = environment.rotate_app_credential(&client_id, rotation);
    Ok(Json(issued.await?))
}
