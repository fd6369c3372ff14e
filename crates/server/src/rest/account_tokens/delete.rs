//! `DELETE /v1/account-tokens/{token_id}`: ends a token before its time.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(token_id): Path<String>,
) -> Result<StatusCode> {
    environment.delete_account_token(&token_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
