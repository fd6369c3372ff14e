//! Revokes an account token.

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::AccountToken,
    identifier::{AccountTokenId, ConnectionId, ConnectionName},
    resource::DeleteAccountToken,
    store::Versioned,
};

/// Revokes a token: immediately in this process, within 1 s in others.
pub(crate) async fn delete(context: &Context, delete: DeleteAccountToken) -> Result<()> {
    let token_id = delete.token_id.as_str();
    let missing = || Error::new(ErrorKind::NotFound, "no account token has this id");
    let id: AccountTokenId = token_id.parse().map_err(|_| missing())?;
    let digest = context
        .change(
            "account_token.delete",
            || load(context, id),
            |loaded: Option<Loaded>| {
                let (found, connection, name) = loaded.ok_or_else(missing)?;
                let change = Change::none()
                    .event(found.row.event("account_token.ended", connection))
                    .audit(found.row.audit("account_token.ended", name.as_ref()))
                    .delete(found.row.id, found.version);
                Ok((change, found.row.token))
            },
        )
        .await?;
    context.memory.access_tokens.forget_token(&digest);
    Ok(())
}

/// A token with the connection of its account.
type Loaded = (
    Versioned<AccountToken>,
    Option<ConnectionId>,
    Option<ConnectionName>,
);

/// A token that the caller can see.
async fn load(context: &Context, id: AccountTokenId) -> Result<Option<Loaded>> {
    let Some(found) = context.store.account_token(id).await? else {
        return Ok(None);
    };
    let account = context.store.account(found.row.account_id).await?;
    let connection = account.map(|account| account.row.connection_id);
    let names = match connection {
        Some(id) => context.names_of(id).await,
        None => None,
    };
    let name = names.map(|(name, _)| name);
    let is_seen = context
        .caller
        .sees(name.as_ref().map_or("", ConnectionName::as_str));
    Ok(is_seen.then_some((found, connection, name)))
}
