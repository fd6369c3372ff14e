//! `DELETE /v1/app-credentials/{client_id}/secrets/{secret_id}`: responds with the credential and its other secret.

use stead::core::resource::AppCredential;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn revoke_secret(
    Acting(environment): Acting,
    Path((client_id, secret_id)): Path<(String, String)>,
) -> Result<Json<AppCredential>> {
    let credential = environment.revoke_app_secret(&client_id, &secret_id);
    Ok(Json(credential.await?))
}
