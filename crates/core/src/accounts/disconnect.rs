//! Ends an account.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::{Account, AccountRef, Credential, OutboxEntry, account::Trigger},
    identifier::AccountId,
    oauth,
    store::Versioned,
};

/// An account with its live credentials, each with its revocation where that is asked for.
struct Loaded {
    account: Versioned<Account>,
    credentials: Vec<(Versioned<Credential>, Option<OutboxEntry>)>,
}

/// Ends an account: its credentials are shredded at once. With `revoke_at_product` the grant is then ended at the
/// product too; a product that does not answer is asked again later.
///
/// # Errors
/// [`ErrorKind::AccountNotFound`](crate::ErrorKind::AccountNotFound).
pub(crate) async fn disconnect(
    context: &Context,
    of: &AccountRef,
    revoke_at_product: bool,
) -> Result<()> {
    let (_, account) = context.account_rows(of).await?;
    let id = account.row.id;
    context
        .detached(move |context| async move {
            context
                .change(
                    || load(&context, id, revoke_at_product),
                    |loaded| decide(&context, loaded),
                )
                .await?;
            if revoke_at_product {
                oauth::work_off_outbox(&context);
            }
            Ok(())
        })
        .await?
}

async fn load(context: &Context, id: AccountId, revoke_at_product: bool) -> Result<Loaded> {
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
    Ok(Loaded {
        account,
        credentials,
    })
}

fn decide(context: &Context, loaded: Loaded) -> Result<(Change, ())> {
    let mut change = Change::none();
    for (credential, revocation) in loaded.credentials {
        if let Some(entry) = revocation {
            change = change.insert(entry);
        }
        change = change.update(credential.row.shredded(), credential.version);
    }
    let account = loaded.account;
    if let Some(changed) = account.row.on(Trigger::Disconnected, context.now())? {
        change = change.account(changed, account.version);
    }
    Ok((change, ()))
}
