//! `GET /v1/app-credentials/{client_id}`.

use stead::core::resource::AppCredential;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(client_id): Path<String>,
) -> Result<Json<AppCredential>> {
    Ok(Json(environment.app_credential(&client_id).await?))
}
