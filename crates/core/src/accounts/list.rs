//! Lists accounts by id.

use std::collections::{BTreeMap, btree_map::Entry};

use crate::{
    Result,
    context::{Context, account_view},
    domain::{Account, Connection},
    identifier::{AccountId, ConnectionId, Identifier},
    resource::{self, AccountFilter, Page},
};

/// How many times a page's worth of rows is read in search of accounts that match.
const ROUNDS: u32 = 20;

/// Accounts by id. A page may hold fewer than `page_size` although more follow.
pub(crate) async fn list(
    context: &Context,
    filter: &AccountFilter,
    page_token: Option<&str>,
    page_size: u32,
) -> Result<Page<resource::Account>> {
    let after = page_token.map(str::parse::<AccountId>).transpose()?;
    let limit = page_size.clamp(1, 100);
    if let Some(product) = &filter.product {
        context.endpoints(product)?;
    }
    let connection = match &filter.connection_name {
        Some(name) => Some(context.connection_row(name).await?.row),
        None => None,
    };
    if let Some(identifier) = &filter.identifier {
        let identifier = Identifier::new(identifier)?;
        let connections = match connection {
            Some(one) => vec![one],
            None => context.seen_connections().await?,
        };
        return of_user(context, &connections, &identifier, filter, after, limit).await;
    }
    scan(context, connection.map(|one| one.id), filter, after, limit).await
}

/// The accounts of one user: as many as there are connections, at most.
async fn of_user(
    context: &Context,
    connections: &[Connection],
    identifier: &Identifier,
    filter: &AccountFilter,
    after: Option<AccountId>,
    limit: u32,
) -> Result<Page<resource::Account>> {
    let mut items = Vec::new();
    for connection in connections {
        let found = context.store.account_of(connection.id, identifier).await?;
        let row = found
            .map(|found| found.row)
            .filter(|row| after.is_none_or(|after| row.id > after));
        items.extend(row.and_then(|row| matching(filter, connection, row)));
    }
    items.sort_by_key(|account| account.id);
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items
        .last()
        .filter(|_| more)
        .map(|last| last.id.to_string());
    Ok(Page::new(items, next))
}

async fn scan(
    context: &Context,
    connection: Option<ConnectionId>,
    filter: &AccountFilter,
    mut after: Option<AccountId>,
    limit: u32,
) -> Result<Page<resource::Account>> {
    let mut items = Vec::new();
    let mut connections: BTreeMap<ConnectionId, Option<Connection>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let rows = context.store.accounts(connection, after, limit).await?;
        let last = rows.len() < limit as usize;
        for row in rows {
            let id = row.row.connection_id;
            let connection = match connections.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let found = context.store.connection(id).await?.map(|found| found.row);
                    unknown.insert(found.filter(|row| context.caller.sees(row.name.as_str())))
                }
            };
            after = Some(row.row.id);
            // The connection may have been deleted since the page was read, or be one that the caller may not know of.
            if let Some(connection) = connection {
                items.extend(matching(filter, connection, row.row));
            }
            if items.len() == limit as usize {
                return Ok(Page::new(items, after.map(|id| id.to_string())));
            }
        }
        if last {
            return Ok(Page::new(items, None));
        }
    }
    Ok(Page::new(items, after.map(|id| id.to_string())))
}

fn matching(
    filter: &AccountFilter,
    connection: &Connection,
    row: Account,
) -> Option<resource::Account> {
    let product = filter.product.as_deref();
    if product.is_some_and(|product| connection.product != product) {
        return None;
    }
    let view = account_view(connection, row);
    let state = filter.state;
    state
        .is_none_or(|state| view.state == state)
        .then_some(view)
}
