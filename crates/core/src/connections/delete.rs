//! Deletes a connection that no usable account depends on.

use super::accounts_of;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{Account, Connection},
    store::Versioned,
};

/// A connection with its accounts, and whether each holds credentials.
struct Loaded {
    connection: Versioned<Connection>,
    accounts: Vec<(Versioned<Account>, bool)>,
}

/// Deletes a connection that no usable account depends on; its other accounts go with it.
///
/// # Errors
/// [`ErrorKind::InvalidTransition`] while accounts hold credentials: disconnect them first.
pub(crate) async fn delete(context: &Context, name: &str) -> Result<()> {
    context
        .change(|| load(context, name), |loaded| decide(loaded, name))
        .await
}

async fn load(context: &Context, name: &str) -> Result<Loaded> {
    let connection = context.connection_row(name).await?;
    let mut accounts = Vec::new();
    for account in accounts_of(context, connection.row.id).await? {
        let holds = !context.store.credentials(account.row.id).await?.is_empty();
        accounts.push((account, holds));
    }
    Ok(Loaded {
        connection,
        accounts,
    })
}

fn decide(loaded: Loaded, name: &str) -> Result<(Change, ())> {
    let Versioned { row, version, .. } = loaded.connection;
    let mut change = Change::none().delete_connection(&row, version);
    for (account, holds_credentials) in loaded.accounts {
        if holds_credentials {
            return Err(Error::new(
                ErrorKind::InvalidTransition,
                format!(
                    "the account of {} is connected through {name}; disconnect its accounts first",
                    account.row.identifier
                ),
            ));
        }
        change = change.delete(account.row.id, account.version);
    }
    Ok((change, ()))
}
