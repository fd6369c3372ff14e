//! Lists accounts.

use std::collections::{BTreeMap, btree_map::Entry};

use crate::{
    Error, Result,
    context::{Context, account_view},
    domain::{Account, Connection},
    identifier::{AccountId, ConnectionId, Identifier},
    resource::{self, AccountFilter, ListAccounts, Page},
    state::AccountState,
};

/// How many times a page's worth of rows is read in search of accounts that match.
const ROUNDS: u32 = 20;

/// Accounts by ID. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(
    context: &Context,
    ListAccounts { filter, page }: ListAccounts,
) -> Result<Page<resource::Account>> {
    let (after, limit) = (page.after()?, page.limit());
    let product = match &filter.product {
        Some(product) => Some(context.products.endpoints(product)?.product.name.to_owned()),
        None => None,
    };
    let filter = &AccountFilter {
        product,
        ..filter.clone()
    };
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
    if let Some(prefix) = &filter.identifier_prefix {
        let connections = match connection {
            Some(one) => vec![one],
            None => context.seen_connections().await?,
        };
        return of_prefix(context, &connections, prefix, filter, after, limit).await;
    }
    scan(context, connection.map(|one| one.id), filter, after, limit).await
}

/// The accounts of one user, at most one per connection.
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

/// The accounts of users whose identifier has this prefix, by connection and then by identifier.
async fn of_prefix(
    context: &Context,
    connections: &[Connection],
    prefix: &str,
    filter: &AccountFilter,
    after: Option<AccountId>,
    limit: u32,
) -> Result<Page<resource::Account>> {
    let mut last = match after {
        None => None,
        Some(id) => Some(context.store.account(id).await?.ok_or_else(|| {
            let message = "the account that this page token points to was deleted; list from the start, without a page token";
            Error::invalid_at("/page_token", message)
        })?),
    }
    .map(|found| found.row);
    let begun = last.as_ref().map(|row| row.connection_id);
    let left = connections
        .iter()
        .skip_while(|connection| begun.is_some_and(|id| connection.id != id));
    let (mut items, mut rounds) = (Vec::new(), 0);
    for connection in left {
        let mut from = last.take();
        let whole = Identifier::new(prefix).ok();
        if let (None, Some(identifier)) = (&from, whole) {
            let found = context.store.account_of(connection.id, &identifier).await?;
            items.extend(found.and_then(|found| matching(filter, connection, found.row)));
            if items.len() >= limit as usize {
                let end = items.last().map(|last| last.id.to_string());
                return Ok(Page::new(items, end));
            }
        }
        loop {
            let store = &context.store;
            let behind = from.as_ref().map(|row| &row.identifier);
            let rows = store.accounts_of_prefix(connection.id, prefix, behind, limit);
            let rows = rows.await?;
            rounds += 1;
            let all = rows.len() < limit as usize;
            for row in rows {
                let id = row.row.id;
                from = Some(row.row.clone());
                items.extend(matching(filter, connection, row.row));
                if items.len() >= limit as usize {
                    return Ok(Page::new(items, Some(id.to_string())));
                }
            }
            if all {
                break;
            }
            if rounds >= ROUNDS {
                return Ok(Page::new(items, from.map(|row| row.id.to_string())));
            }
        }
    }
    Ok(Page::new(items, None))
}

/// The accounts of a connection or all, by ID. If an account's connection has just got a different client, the filter
/// uses the old state until the row is updated.
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
        let store = &context.store;
        let rows = match filter.state {
            // Few accounts aren't active, so searching by state is faster than searching by connection.
            Some(state) if connection.is_none() || state != AccountState::Active => {
                store.accounts_in_state(state, after, limit).await?
            }
            _ => store.accounts(connection, after, limit).await?,
        };
        let last = rows.len() < limit as usize;
        for row in rows {
            let id = row.row.connection_id;
            after = Some(row.row.id);
            if connection.is_some_and(|connection| connection != id) {
                continue;
            }
            let connection = match connections.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let found = context.store.connection(id).await?.map(|found| found.row);
                    unknown.insert(found.filter(|row| context.caller.sees(row.name.as_str())))
                }
            };
            // The connection may have been deleted since the page was read, or the caller can't see it.
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
    let beginning = filter.identifier_prefix.as_deref().unwrap_or_default();
    if !row.identifier.as_str().starts_with(beginning) {
        return None;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Paging;
    use crate::{
        domain::account::new_account,
        state::AccountState,
        store::{Batch, Commit},
        testing::{STABLE, START, World, always, context, insert_account, insert_account_of},
    };

    #[test]
    fn a_prefix_finds_only_its_users_in_pages() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        // Both have the account `ada`.
        let one = world.run(insert_account(&context, AccountState::Active));
        let of_other = insert_account_of(&context, "other", "demo", AccountState::Suspended);
        let other = world.run(of_other);
        let mut batch = Batch::default();
        for (connection, identifier) in [
            (one.connection_id, "ad"),
            (one.connection_id, "ada%_lovelace"),
            (one.connection_id, "adb"),
            (one.connection_id, "adaü"),
            (other.connection_id, "Ada"),
            (other.connection_id, "ada-2"),
        ] {
            let id = AccountId::from_uuid(context.host.new_id());
            let identifier = Identifier::new(identifier).unwrap();
            batch = batch.insert(new_account(id, connection, identifier, START));
        }
        let committed = world.ok(context.store.commit(batch));
        assert_eq!(committed, Commit::Committed);
        let pages = |prefix: &str, state, size| {
            let filter = AccountFilter {
                identifier_prefix: Some(prefix.to_owned()),
                state,
                ..AccountFilter::default()
            };
            let (mut found, mut token) = (Vec::new(), None::<String>);
            loop {
                let page = world.ok(list(
                    &context,
                    ListAccounts::new()
                        .filter(filter.clone())
                        .page(Paging::new(token.as_deref(), size)),
                ));
                assert!(page.items.len() <= size as usize);
                let names = page.items.iter().map(|one| one.identifier.to_string());
                found.extend(names);
                token = page.next_page_token;
                if token.is_none() {
                    found.sort();
                    return found;
                }
            }
        };
        for size in [1, 2, 3, 100] {
            let expected = ["ada", "ada", "ada%_lovelace", "ada-2", "adaü"];
            assert_eq!(pages("ada", None, size), expected, "{size}");
            let suspended = Some(AccountState::Suspended);
            assert_eq!(pages("a", suspended, size), ["ada"], "{size}");
            assert_eq!(pages("Ad", None, size), ["Ada"], "{size}");
            assert!(pages("%", None, size).is_empty(), "{size}");
        }
    }
}
