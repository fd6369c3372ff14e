//! `DELETE /v1/accounts/{connection_name}/{identifier}?revoke_at_product=true`: shreds the credential,
//! and says what happens to the grant at the product.

use axum::{Json, extract::State};
use stead::core::{environment::Environment, resource::Disconnected};

use crate::{
    extract::{Path, Query},
    problem::Result,
};

pub(in crate::rest) async fn disconnect(
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
    mut query: Query,
) -> Result<Json<Disconnected>> {
    let revoke_at_product = query.flag("revoke_at_product")?;
    query.end()?;
    let told = environment
        .disconnect_account(&connection_name, &identifier, revoke_at_product)
        .await?;
    Ok(Json(told))
}
