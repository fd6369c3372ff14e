//! Ends an account token before its time.

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::AccountToken,
    identifier::AccountTokenId,
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
            async || context.store.account_token(id).await?.ok_or_else(missing),
            |found: Versioned<AccountToken>| {
                let change = Change::none().delete(found.row.id, found.version);
                Ok((change, found.row.token))
            },
        )
        .await?;
    context.access_tokens.forget_token(&digest);
    Ok(())
}
