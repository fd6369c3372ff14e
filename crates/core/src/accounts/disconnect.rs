//! Ends an account.

use crate::context::change::gone;
use crate::{
    Result,
    context::Context,
    domain::{Connection, account, credential::shredded},
    identifier::AccountId,
    oauth,
    store::{Batch, Commit, Versioned},
};

/// Ends an account: its credentials are shredded at once. With `revoke_at_product` the grant is then ended at the
/// product too; a product that does not answer is asked again later.
///
/// # Errors
/// [`ErrorKind::AccountNotFound`].
pub(crate) async fn disconnect(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    revoke_at_product: bool,
) -> Result<()> {
    let (connection, account) = context.account_rows(connection_name, identifier).await?;
    context
        .detached(|context| async move {
            run(&context, connection.row, account.row.id, revoke_at_product).await
        })
        .await?
}

async fn run(
    context: &Context,
    connection: Connection,
    id: AccountId,
    revoke_at_product: bool,
) -> Result<()> {
    loop {
        let Versioned { row, version, .. } = context.store.account(id).await?.ok_or_else(gone)?;
        let mut batch = Batch::new();
        for credential in context.store.credentials(row.id).await? {
            if revoke_at_product
                && let Some(entry) = oauth::revocation(context, &row, &credential.row).await
            {
                batch = batch.insert(entry);
            }
            batch = batch.update(shredded(&credential.row), credential.version);
        }
        let (changed, event) = account::disconnect(&row, context.now());
        let event = context.account_event(event, &changed);
        let outcome = context
            .store
            .commit(batch.update(changed, version).insert(event))
            .await;
        context
            .snapshots
            .forget(connection.name.as_str(), row.identifier.as_str());
        if outcome? == Commit::Conflict {
            continue;
        }
        if revoke_at_product {
            oauth::work_off_outbox(context);
        }
        return Ok(());
    }
}
