//! `POST /v1/account-tokens`: responds 201 with the token, which is shown this once.

use http::StatusCode;
use stead::core::resource::{IssuedAccountToken, NewAccountToken};

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewAccountToken>,
) -> Result<(StatusCode, Json<IssuedAccountToken>)> {
    let token = environment.create_account_token(new).await?;
    Ok((StatusCode::CREATED, Json(token)))
}
