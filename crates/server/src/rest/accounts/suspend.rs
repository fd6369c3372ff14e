//! `POST /v1/accounts/{connection_name}/{identifier}/suspend`: pauses the account; its credential is kept.

use stead::core::resource::Account;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn suspend(
    Acting(environment): Acting,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Result<Json<Account>> {
    let account = environment
        .suspend_account(&connection_name, &identifier)
        .await?;
    Ok(Json(account))
}
