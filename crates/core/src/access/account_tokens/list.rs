//! Lists the account tokens of an account.

use crate::{
    Result,
    context::Context,
    domain::AccountRef,
    identifier::AccountTokenId,
    resource::{AccountToken, Page},
};

/// The tokens of an account that are good, oldest first. A page may hold fewer than `page_size` although more follow.
pub(crate) async fn list(
    context: &Context,
    of: &AccountRef,
    page_token: Option<&str>,
    page_size: u32,
) -> Result<Page<AccountToken>> {
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
    let items = good
        .map(|row| AccountToken {
            token_id: row.id,
            connection_name: of.connection.clone(),
            identifier: of.identifier.clone(),
            access: row.access,
            client_id: row.client_id,
            created_at: row.created_at,
            expires_at: row.expires_at,
        })
        .collect();
    Ok(Page::new(items, next))
}
