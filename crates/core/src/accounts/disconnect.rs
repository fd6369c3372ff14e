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
    resource::{AlsoEnded, Disconnected, Revocation},
    store::Versioned,
};

/// Ends an account: its credentials are shredded at once. With `revoke_at_product` the grant is then ended at the
/// product too; a product that does not answer is asked again later. Where that ends all that the user has granted to
/// the project, the accounts that end with it are named; each needs a new authorization once the product has done it.
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
    let also_ends = if revoke_at_product {
        oauth::shares_grant(context, &connection.row, &account.row).await?
    } else {
        Vec::new()
    };
    let also_ended: Vec<AccountId> = also_ends.iter().map(|other| other.id).collect();
    context
        .detached(move |context| async move {
            context.store.remove_unreadable_credentials(id).await?;
            let asked = context
                .change(
                    "account.disconnect",
                    || load(&context, id, revoke_at_product, &also_ended),
                    |(account, credentials)| {
                        let asked = credentials.iter().any(|(_, entry)| entry.is_some());
                        let change = Change::none().shred(credentials);
                        let trigger = Trigger::Disconnected {
                            revoke: revoke_at_product,
                        };
                        let disconnected = account.row.on(trigger, context.now())?;
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
                also_ends: also_ends
                    .into_iter()
                    .filter(|_| asked)
                    .map(|other| AlsoEnded {
                        connection_name: other.connection_name,
                        identifier: other.identifier,
                    })
                    .collect(),
            })
        })
        .await?
}

/// An account with its live credentials, each with its revocation where that is asked for.
async fn load(
    context: &Context,
    id: AccountId,
    revoke_at_product: bool,
    also_ends: &[AccountId],
) -> Result<(Versioned<Account>, Vec<Shredded>)> {
    let account = context.existing_account(id).await?;
    let mut credentials = Vec::new();
    for credential in context.store.credentials(id).await? {
        let revocation = if revoke_at_product {
            oauth::revocation(context, &account.row, &credential.row, also_ends).await?
        } else {
            None
        };
        credentials.push((credential, revocation));
    }
    Ok((account, credentials))
}
