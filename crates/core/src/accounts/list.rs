//! Lists accounts by id.

use std::collections::{BTreeMap, btree_map::Entry};

use crate::{
    Result,
    context::{Context, account_view},
    domain::Connection,
    identifier::{AccountId, ConnectionId},
    resource::{self, Page},
};

/// Accounts by id: of one connection, or all.
pub(crate) async fn list(
    context: &Context,
    connection_name: Option<&str>,
    page_token: Option<&str>,
    page_size: u32,
) -> Result<Page<resource::Account>> {
    let connection = match connection_name {
        Some(name) => Some(context.connection_row(name).await?.row.id),
        None => None,
    };
    let after = page_token.map(str::parse::<AccountId>).transpose()?;
    let limit = page_size.clamp(1, 100);
    let rows = context.store.accounts(connection, after, limit).await?;
    let next_page_token = (rows.len() == limit as usize)
        .then(|| rows.last().map(|row| row.row.id.to_string()))
        .flatten();
    let mut items = Vec::with_capacity(rows.len());
    let mut connections: BTreeMap<ConnectionId, Option<Connection>> = BTreeMap::new();
    for row in rows {
        let id = row.row.connection_id;
        let connection = match connections.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                unknown.insert(context.store.connection(id).await?.map(|found| found.row))
            }
        };
        // The connection may have been deleted since the page was read.
        if let Some(connection) = connection {
            items.push(account_view(connection, row.row));
        }
    }
    Ok(Page {
        items,
        next_page_token,
    })
}
