//! `DELETE /v1/accounts/{connection_name}/{identifier}?revoke_at_product=true&erase=true&dry_run=true`: shreds the
//! credential, removes what names the user where that is asked for, and says what happens to the grant at the product.

use stead::core::resource::{Disconnected, Disconnection};

use crate::{
    extract::{Acting, Json, Path, Query},
    openapi::{Parameter, flag},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    flag(
        "revoke_at_product",
        "Also revokes the grant at the product.",
    ),
    flag(
        "erase",
        "Also erases the user's personal data, including in the history.",
    ),
    flag(
        "dry_run",
        "Changes nothing and returns what would be disconnected.",
    ),
];

pub(in crate::rest) async fn disconnect(
    Acting(environment): Acting,
    Path((connection_name, identifier)): Path<(String, String)>,
    mut query: Query,
) -> Result<Json<Disconnected>> {
    let revoke_at_product = query.flag("revoke_at_product")?;
    let erase = query.flag("erase")?;
    let dry_run = query.flag("dry_run")?;
    query.end()?;
    let how = Disconnection::new()
        .revoke_at_product(revoke_at_product)
        .erase(erase)
        .dry_run(dry_run);
    let told = environment
        .disconnect_account(&connection_name, &identifier, how)
        .await?;
    Ok(Json(told))
}
