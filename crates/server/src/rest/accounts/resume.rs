//! `POST /v1/accounts/{connection_name}/{identifier}/resume`: ends the pause.

use axum::extract::State;
use stead::core::{environment::Environment, resource::Account};

use crate::{
    extract::{Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn resume(
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Result<Json<Account>> {
    let account = environment
        .resume_account(&connection_name, &identifier)
        .await?;
    Ok(Json(account))
}
