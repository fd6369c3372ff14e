//! Disconnects the accounts and ends the authorizations that belong to a connection's previous client.
//!
//! Accounts, authorizations and credentials carry the epoch of their client. Once the client has changed, no credential
//! of an earlier one can be used. This module only updates the rows accordingly, and emits their events.

use super::end::end;
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{
        Account, Authorization, Connection, account,
        authorization::{CLIENT_CHANGED, End},
    },
    identifier::AccountId,
    store::Versioned,
};

/// Number of authorizations read at a time.
const AUTHORIZATIONS: u32 = 500;
/// Number of accounts disconnected in one transaction.
const ACCOUNTS: u32 = 100;

/// Disconnects the accounts and ends the authorizations that belong to a connection's previous client. Does nothing if
/// that's already done. If it's interrupted, it can run again.
pub(crate) async fn end_older_clients(context: &Context, connection: &Connection) -> Result<()> {
    if connection.ended_epoch == connection.client_epoch {
        return Ok(());
    }
    end_authorizations(context, connection).await?;
    let mut after = None;
    loop {
        let last = end_accounts(context, connection, after).await?;
        if last.is_none() {
            break;
        }
        after = last;
    }
    context
        .change(
            "connection.ended_epoch",
            || context.store.connection(connection.id),
            |found: Option<Versioned<Connection>>| {
                let mut change = Change::none();
                if let Some(Versioned {
                    mut row, version, ..
                }) = found
                    && row.ended_epoch < connection.client_epoch
                {
                    row.ended_epoch = connection.client_epoch;
                    change = change.update(row, version);
                }
                Ok((change, ()))
            },
        )
        .await
}

/// Does the same for every connection for which it was interrupted.
pub(crate) async fn end_all_older_clients(context: &Context) -> Result<()> {
    for connection in context.all_connections().await? {
        end_older_clients(context, &connection).await?;
    }
    Ok(())
}

async fn end_authorizations(context: &Context, connection: &Connection) -> Result<()> {
    let mut after = None;
    loop {
        let page = context
            .store
            .pending_authorizations(after, AUTHORIZATIONS)
            .await?;
        let last = page.len() < AUTHORIZATIONS as usize;
        after = page.last().map(|last| (last.row.expires_at, last.row.id));
        for Versioned { row, .. } in page {
            if row.connection_id == connection.id && row.is_of_other_client(connection) {
                let holds = |row: &Authorization| row.is_of_other_client(connection);
                end(context, row.id, holds, End::Failed, CLIENT_CHANGED).await?;
            }
        }
        if last {
            return Ok(());
        }
    }
}

/// Disconnects the next accounts. Returns the last one it looked at, if more may follow.
async fn end_accounts(
    context: &Context,
    connection: &Connection,
    after: Option<AccountId>,
) -> Result<Option<AccountId>> {
    context
        .change(
            "connection.reauthorize",
            || context.store.accounts(Some(connection.id), after, ACCOUNTS),
            |page: Vec<Versioned<Account>>| {
                let more = page.len() == ACCOUNTS as usize;
                let last = page.last().map(|last| last.row.id).filter(|_| more);
                let mut change = Change::none();
                for Versioned { row, version, .. } in page {
                    if !row.is_of_client(connection) {
                        let changed =
                            row.on(account::Trigger::ClientChanged, context.host.now())?;
                        change = change.account(changed, row.state, version);
                    }
                }
                Ok((change, last))
            },
        )
        .await
}

#[cfg(test)]
mod tests;
