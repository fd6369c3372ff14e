//! `DELETE /v1/accounts/{connection_name}/{identifier}?revoke_at_product=true`: shreds the credential.

use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{
    extract::{Path, Query},
    problem::Result,
};

pub(in crate::rest) async fn disconnect(
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
    mut query: Query,
) -> Result<StatusCode> {
    let revoke_at_product = query.flag("revoke_at_product")?;
    query.end()?;
    environment
        .disconnect_account(&connection_name, &identifier, revoke_at_product)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
