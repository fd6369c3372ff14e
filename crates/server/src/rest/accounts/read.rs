//! `GET /v1/accounts/{connection_name}/{identifier}`.

use stead::core::resource::Account;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Result<Json<Account>> {
    let account = environment.account(&connection_name, &identifier).await?;
    Ok(Json(account))
}
