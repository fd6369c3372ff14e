//! `PATCH /v1/app-credentials/{client_id}`: members that are absent stay.

use stead::core::resource::{AppCredential, AppCredentialChange};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn change(
    Acting(environment): Acting,
    Path(client_id): Path<String>,
    Json(change): Json<AppCredentialChange>,
) -> Result<Json<AppCredential>> {
    let credential = environment.change_app_credential(&client_id, change);
    Ok(Json(credential.await?))
}
