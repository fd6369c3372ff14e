//! `POST /v1/accounts/{connection_name}/{identifier}/suspend`: pauses the account; its credential is kept.

use axum::extract::State;
use stead::core::{environment::Environment, resource::Account};

use crate::{
    extract::{Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn suspend(
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Result<Json<Account>> {
    let account = environment
        .suspend_account(&connection_name, &identifier)
        .await?;
    Ok(Json(account))
}
