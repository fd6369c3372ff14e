//! Exports accounts with their tokens.

use std::collections::{BTreeMap, btree_map::Entry};

use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::{Context, change::Change},
    domain::{Account, Connection, NewAudit},
    identifier::ConnectionId,
    resource::{AccountWithTokens, AccountsExported},
    state::AccountState,
};

/// Accounts that are read at a time.
const PAGE: u32 = 100;

/// Passes every connected account with its tokens to `write`. An audit entry records the start before the first
/// account. Another one records the number of exported accounts at the end, even if `write` or the store failed.
pub(crate) async fn export(
    context: &Context,
    connection: Option<&str>,
    mut write: impl FnMut(AccountWithTokens) -> Result<()>,
) -> Result<AccountsExported> {
    if *context.caller != Caller::Operator {
        let message = "only the operator can export tokens";
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    let only = match connection {
        Some(name) => Some(context.connection_row(name).await?.row),
        None => None,
    };
    let entry = |action| match &only {
        Some(connection) => NewAudit::new(action, "connection", connection.id)
            .fact("connection_name", connection.name.as_str()),
        None => NewAudit::new(action, "connection", "all"),
    };
    note(context, &entry("accounts.export_started")).await?;
    let mut exported = AccountsExported::default();
    let connection_id = only.as_ref().map(|connection| connection.id);
    let written = give_out(context, connection_id, &mut exported, &mut write).await;
    let ended = entry("accounts.exported").fact("accounts", exported.accounts);
    let noted = note(context, &ended).await;
    written.and(noted).map(|()| exported)
}

async fn note(context: &Context, entry: &NewAudit) -> Result<()> {
    let change = |()| Ok((Change::none().audit(entry.clone()), ()));
    context
        .change("accounts.export", || std::future::ready(Ok(())), change)
        .await
}

async fn give_out(
    context: &Context,
    only: Option<ConnectionId>,
    exported: &mut AccountsExported,
    write: &mut impl FnMut(AccountWithTokens) -> Result<()>,
) -> Result<()> {
    let mut connections: BTreeMap<ConnectionId, Option<Connection>> = BTreeMap::new();
    let mut after = None;
    loop {
        let rows = context.store.accounts(only, after, PAGE).await?;
        let last = rows.len() < PAGE as usize;
        for row in rows {
            let (id, of) = (row.row.id, row.row.connection_id);
            after = Some(id);
            let connection = match connections.entry(of) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let found = context.store.connection(of).await?;
                    unknown.insert(found.map(|found| found.row))
                }
            };
            // It may have been deleted since the page was read.
            let Some(connection) = connection else {
                continue;
            };
            match with_tokens(context, connection, row.row).await {
                Ok(Some(account)) => {
                    write(account)?;
                    exported.accounts += 1;
                }
                Ok(None) => exported.without_tokens += 1,
                Err(error) if error.kind() == ErrorKind::IntegrityViolated => {
                    tracing::warn!(account_id = %id, %error, "an account can't be exported");
                    exported.unreadable += 1;
                }
                Err(error) => return Err(error),
            }
        }
        if last {
            return Ok(());
        }
    }
}

/// An account with its tokens. `None` if it has no working tokens. If a refresh changes it in the meantime, it's read
/// again.
async fn with_tokens(
    context: &Context,
    connection: &Connection,
    row: Account,
) -> Result<Option<AccountWithTokens>> {
    let id = row.id;
    let mut row = row.through(connection);
    for _ in 0..3 {
        if !row.is_connected() || !row.is_of_client(connection) {
            return Ok(None);
        }
        if let Some(tokens) = context.tokens(&row, row.generation).await? {
            let name = connection.name.as_str();
            let access_token = tokens.access_token().clone();
            return Ok(Some(AccountWithTokens {
                state: (row.state == AccountState::Suspended).then(|| row.state.name().to_owned()),
                scopes: Some(row.granted_scopes),
                expires_at: tokens.expires_at(),
                refresh_token: tokens.refresh_token().cloned(),
                product_user_id: row.subject.as_ref().map(|subject| subject.id.clone()),
                product_user: row.subject.and_then(|subject| subject.display),
                ..AccountWithTokens::new(name, row.identifier, access_token)
            }));
        }
        match context.store.account(id).await? {
            Some(found) => row = found.row.through(connection),
            None => return Ok(None),
        }
    }
    Ok(None)
}
