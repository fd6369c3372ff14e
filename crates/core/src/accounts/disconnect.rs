//! Ends an account.

use crate::{
    Result,
    context::{
        Context,
        change::{Change, Shredded},
    },
    domain::{Account, AccountRef, account::Trigger},
    identifier::AccountId,
    oauth,
    resource::{Disconnected, Revocation},
    store::Versioned,
};

/// Ends an account: its credentials are shredded at once. With `revoke_at_product` the grant is then ended at the
/// product too; a product that does not answer is asked again later.
pub(crate) async fn disconnect(
    context: &Context,
    of: &AccountRef,
    revoke_at_product: bool,
) -> Result<Disconnected> {
    let (connection, account) = context.account_rows(of).await?;
    let ends_grant = context
        .endpoints_of(&connection.row)
        .is_ok_and(|endpoints| endpoints.product.oauth.revocation_ends_grant);
    let id = account.row.id;
    context
        .detached(move |context| async move {
            let asked = context
                .change(
                    "account.disconnect",
                    || load(&context, id, revoke_at_product),
                    |(account, credentials)| {
                        let asked = credentials.iter().any(|(_, entry)| entry.is_some());
                        let change = Change::none().shred(credentials);
                        let disconnected = account.row.on(Trigger::Disconnected, context.now())?;
                        Ok((change.account(disconnected, account.version), asked))
                    },
                )
                .await?;
            if revoke_at_product {
                oauth::work_off_outbox(&context);
            }
            Ok(Disconnected {
                revocation: match (revoke_at_product, asked) {
                    (false, _) => Revocation::None,
                    (true, true) => Revocation::Requested,
                    (true, false) => Revocation::NotPossible,
                },
                ends_other_grants: asked && ends_grant,
            })
        })
        .await?
}

/// An account with its live credentials, each with its revocation where that is asked for.
async fn load(
    context: &Context,
    id: AccountId,
    revoke_at_product: bool,
) -> Result<(Versioned<Account>, Vec<Shredded>)> {
    let account = context.existing_account(id).await?;
    let mut credentials = Vec::new();
    for credential in context.store.credentials(id).await? {
        let revocation = if revoke_at_product {
            oauth::revocation(context, &account.row, &credential.row).await
        } else {
            None
        };
        credentials.push((credential, revocation));
    }
    Ok((account, credentials))
}
