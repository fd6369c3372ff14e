use axum::extract::State;
use stead::core::environment::Environment;

use crate::{
    authentication::Authenticated,
    extract::{Path, Query},
    problem::Answer,
    rest::nothing,
};

/// `DELETE /v1/accounts/{connection_name}/{identifier}?revoke_at_product=true`: shreds the credential.
pub(in crate::rest) async fn disconnect(
    _: Authenticated,
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
    mut query: Query,
) -> Answer {
    let revoke_at_product = query.flag("revoke_at_product")?;
    query.end()?;
    environment
        .disconnect_account(&connection_name, &identifier, revoke_at_product)
        .await?;
    nothing()
}
