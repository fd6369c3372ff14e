//! Deletes a connection that no usable account depends on.

use super::accounts_of;
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    store::{Batch, Versioned},
};

/// Deletes a connection that no usable account depends on; its other accounts go with it.
///
/// # Errors
/// [`ErrorKind::InvalidTransition`] while accounts hold credentials: disconnect them first.
pub(crate) async fn delete(context: &Context, name: &str) -> Result<()> {
    let Versioned { row, version, .. } = context.connection_row(name).await?;
    let mut batch = Batch::new().delete(row.id, version);
    for account in accounts_of(context, row.id).await? {
        if !context.store.credentials(account.row.id).await?.is_empty() {
            return Err(Error::new(
                ErrorKind::InvalidTransition,
                format!(
                    "the account of {} is connected through {name}; disconnect its accounts first",
                    account.row.identifier
                ),
            ));
        }
        batch = batch.delete(account.row.id, account.version);
    }
    let event = context.new_event(
        "connection.deleted",
        None,
        serde_json::json!({ "connection_name": name }),
    );
    let changed = Error::new(
        ErrorKind::InvalidTransition,
        "the connection changed meanwhile; try again",
    );
    context.commit_or(batch.insert(event), changed).await?;
    context.snapshots.forget_connection(name);
    Ok(())
}
