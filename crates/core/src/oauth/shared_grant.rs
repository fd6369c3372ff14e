//! Finds accounts that share a grant, for products where revoking one token revokes everything that a user granted to a
//! project.
//!
//! Revocations are rare, so Stead searches all accounts when one is requested, and keeps no index for it.

use crate::{
    Result,
    context::Context,
    domain::{Account, Connection},
    identifier::{AccountId, ConnectionName, Identifier},
};

/// Number of accounts read at a time.
const PAGE: u32 = 500;

/// An account that ends together with another's grant.
pub(crate) struct SharesGrant {
    pub(crate) id: AccountId,
    pub(crate) connection_name: ConnectionName,
    pub(crate) identifier: Identifier,
}

/// Finds the connected accounts that end if this account's grant is revoked at the product: those of the same product
/// user, through clients of the same project. Looks through all accounts of such clients.
pub(crate) async fn shares_grant(
    context: &Context,
    connection: &Connection,
    account: &Account,
) -> Result<Vec<SharesGrant>> {
    let mut found = Vec::new();
    let (Some(subject), Some((endpoint, project))) =
        (&account.subject, project_of(context, connection))
    else {
        return Ok(found);
    };
    for other in context.all_connections().await? {
        if project_of(context, &other) != Some((endpoint, project.clone())) {
            continue;
        }
        let mut after = None;
        loop {
            let page = context.store.accounts(Some(other.id), after, PAGE).await?;
            after = page.last().map(|last| last.row.id);
            let last = page.len() < PAGE as usize;
            found.extend(
                page.into_iter()
                    .map(|found| found.row)
                    .filter(|row| row.id != account.id && row.is_connected())
                    .filter(|row| row.subject.as_ref().is_some_and(|one| one.id == subject.id))
                    .map(|row| SharesGrant {
                        id: row.id,
                        connection_name: other.name.clone(),
                        identifier: row.identifier,
                    }),
            );
            if last {
                break;
            }
        }
    }
    Ok(found)
}

/// The revocation endpoint, and the client's project. A user's grants in one project end together.
fn project_of(context: &Context, connection: &Connection) -> Option<(&'static str, String)> {
    let oauth = &context
        .products
        .endpoints(&connection.product)
        .ok()?
        .product
        .oauth;
    let project = (oauth.project_of_client)(connection.client_id.as_deref()?);
    (oauth.revocation_ends_grant).then_some((oauth.revoke?, project.to_owned()))
}
