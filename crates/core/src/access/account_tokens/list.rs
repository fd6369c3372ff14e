//! Lists the account tokens of an account.

use crate::{
    Result,
    context::Context,
    domain::{self, AccountRef},
    identifier::{AccountTokenId, ConnectionName},
    resource::{AccountToken, ListAccountTokens, Page},
};

/// The valid tokens of an account, oldest first. A token for several connections is listed at the first of them. A page
/// can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(context: &Context, list: ListAccountTokens) -> Result<Page<AccountToken>> {
    let of = &AccountRef::new(&list.of.connection_name, &list.of.identifier)?;
    let (page_token, page_size) = (list.page.token.as_deref(), list.page.size);
    let after = page_token.map(str::parse::<AccountTokenId>).transpose()?;
    let limit = page_size.clamp(1, 100);
    let (_, account) = context.account_rows(of).await?;
    let account = account.row;
    let rows = context
        .store
        .account_tokens(account.id, after, limit)
        .await?;
    let next = rows
        .last()
        .filter(|_| rows.len() == limit as usize)
        .map(|last| last.row.id.to_string());
    let now = context.now();
    let good = rows
        .into_iter()
        .map(|found| found.row)
        .filter(|row| row.expires_at > now && row.is_of(&account));
    let mut items = Vec::new();
    for row in good {
        items.push(AccountToken {
            token_id: row.id,
            connection_name: of.connection.clone(),
            connections: connections(context, of, &row).await?,
            identifier: of.identifier.clone(),
            access: row.access,
            client_id: row.client_id,
            created_at: row.created_at,
            expires_at: row.expires_at,
        });
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
