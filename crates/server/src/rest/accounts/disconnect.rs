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
        "Asks the product to end the grant too.",
    ),
    flag("erase", "Removes what names the user, in the history too."),
    flag("dry_run", "Does nothing, and says what would end."),
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
