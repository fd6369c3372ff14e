//! `POST /v1/accounts/{connection_name}/{identifier}/resume`: ends the pause.

use stead::core::resource::Account;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn resume(
    Acting(environment): Acting,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Result<Json<Account>> {
    let account = environment
        .resume_account(&connection_name, &identifier)
        .await?;
    Ok(Json(account))
}
