//! Deletes a connection that no usable account depends on.

use super::accounts_of;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{Account, Connection},
    resource::DeleteConnection,
    store::Versioned,
};

/// Deletes a connection without usable accounts. Its other accounts are deleted with it.
pub(crate) async fn delete(context: &Context, delete: DeleteConnection) -> Result<()> {
    let name = delete.connection_name.as_str();
    context
        .change(
            "connection.delete",
            || load(context, name),
            |(connection, accounts)| decide(&connection, accounts),
        )
        .await
}

/// A connection with its accounts, and whether each holds credentials.
type Loaded = (Versioned<Connection>, Vec<(Versioned<Account>, bool)>);

async fn load(context: &Context, name: &str) -> Result<Loaded> {
    let connection = context.connection_row(name).await?;
    let mut accounts = Vec::new();
    for account in accounts_of(context, connection.row.id).await? {
        let holds = !context.store.credentials(account.row.id).await?.is_empty();
        accounts.push((account, holds));
    }
    Ok((connection, accounts))
}

fn decide(
    connection: &Versioned<Connection>,
    accounts: Vec<(Versioned<Account>, bool)>,
) -> Result<(Change, ())> {
    let mut change = Change::none()
        .audit(connection.row.audit("connection.deleted"))
        .delete_connection(&connection.row, connection.version);
    for (account, holds_credentials) in accounts {
        if holds_credentials {
            return Err(Error::new(
                ErrorKind::InvalidTransition,
                format!(
                    "the account of {} is still connected through {}; disconnect the connection's accounts first",
                    account.row.identifier, connection.row.name
                ),
            ));
        }
        // After this commit, the connection can't be looked up by its ID, so the event includes its name.
        let last = account.row.event("account.deleted");
        let last = last.with("connection_name", &connection.row.name);
        let last = last.with("product", &connection.row.product);
        change = change.delete_account(&account.row, account.version, last);
    }
    Ok((change, ()))
}
