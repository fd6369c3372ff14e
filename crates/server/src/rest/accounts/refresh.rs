//! `POST /v1/accounts/{connection_name}/{identifier}/refresh`: renews the access token now.

use axum::extract::State;
use stead::core::{environment::Environment, resource::Account};

use crate::{
    extract::{Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn refresh(
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Result<Json<Account>> {
    let account = environment
        .refresh_account(&connection_name, &identifier)
        .await?;
    Ok(Json(account))
}
