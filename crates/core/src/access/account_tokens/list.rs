//! Lists the account tokens of an account.

use crate::{
    Result,
    context::Context,
    domain::{self, AccountRef},
    identifier::ConnectionName,
    resource::{AccountToken, ListAccountTokens, Page},
};

/// The valid tokens of an account, oldest first. A token for several connections is listed at the first of them. A page
/// can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(context: &Context, list: ListAccountTokens) -> Result<Page<AccountToken>> {
    let of = &AccountRef::new(&list.of.connection_name, &list.of.identifier)?;
    let (after, limit) = (list.page.after()?, list.page.limit());
    let (_, account) = context.account_rows(of).await?;
    let account = account.row;
    let rows = context
        .store
        .account_tokens(account.id, after, limit)
        .await?;
    let next = list.page.next(&rows, |row| row.id);
    let now = context.host.now();
    let good = rows
        .into_iter()
        .map(|found| found.row)
        .filter(|row| row.expires_at > now && row.is_of(&account));
    let mut items = Vec::new();
    for row in good {
        let names = connections(context, of, &row).await?;
        items.push(row.shown(of.clone(), names));
    }
    Ok(Page::new(items, next))
}

/// Names of all connections of a token whose first account is this one.
async fn connections(
    context: &Context,
    of: &AccountRef,
    row: &domain::AccountToken,
) -> Result<Vec<ConnectionName>> {
    let mut names = vec![of.connection.clone()];
    for other in &row.others {
        if let Some(account) = context.store.account(other.account_id).await?
            && let Some((name, _)) = context.names_of(account.row.connection_id).await
        {
            names.push(name);
        }
    }
    Ok(names)
}
