//! `DELETE /v1/app-credentials/{client_id}`: revokes it, with its secrets and tokens.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(client_id): Path<String>,
) -> Result<StatusCode> {
    environment.revoke_app_credential(&client_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
