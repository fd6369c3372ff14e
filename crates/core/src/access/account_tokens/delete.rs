//! Ends an account token before its time.

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::AccountToken,
    identifier::{AccountTokenId, ConnectionName},
    store::Versioned,
};

/// Ends a token: at once in this process, within 5 s in others.
pub(crate) async fn delete(context: &Context, token_id: &str) -> Result<()> {
    let missing = || {
        Error::new(
            ErrorKind::NotFound,
            "there is no account token with this id",
        )
    };
    let id: AccountTokenId = token_id.parse().map_err(|_| missing())?;
    let digest = context
        .change(
            "account_token.delete",
            || load(context, id),
            |loaded: Option<(Versioned<AccountToken>, Option<ConnectionName>)>| {
                let (found, connection) = loaded.ok_or_else(missing)?;
                let ended = found.row.audit("account_token.ended", connection.as_ref());
                let change = Change::none()
                    .audit(ended)
                    .delete(found.row.id, found.version);
                Ok((change, found.row.token))
            },
        )
        .await?;
    context.access_tokens.forget_token(&digest);
    Ok(())
}

/// A token that the caller may know of, with the connection of its account.
async fn load(
    context: &Context,
    id: AccountTokenId,
) -> Result<Option<(Versioned<AccountToken>, Option<ConnectionName>)>> {
    let Some(found) = context.store.account_token(id).await? else {
        return Ok(None);
    };
    let account = context.store.account(found.row.account_id).await?;
    let names = match account {
        Some(account) => context.names_of(account.row.connection_id).await,
        None => None,
    };
    let connection = names.map(|(name, _)| name);
    let is_seen = context
        .caller
        .sees(connection.as_ref().map_or("", ConnectionName::as_str));
    Ok(is_seen.then_some((found, connection)))
}
