//! `POST /v1/account-imports`: responds with what became of each account.

use stead::core::resource::{AccountImport, AccountImportResults};

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(import): Json<AccountImport>,
) -> Result<Json<AccountImportResults>> {
    Ok(Json(environment.import_accounts(import).await?))
}
