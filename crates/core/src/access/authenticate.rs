//! Checks a bearer token.

use std::time::Duration;

use jiff::Timestamp;

use crate::{Error, ErrorKind, Result, context::Context, digest::Digest};

/// A token that was good is accepted for so long without asking the store: a revocation acts after that at the latest.
const CACHED: Duration = Duration::from_secs(5);
/// While the store is down, such a token is accepted for so long.
const OUTAGE: Duration = Duration::from_secs(300);

/// Checks a bearer token.
pub(crate) async fn authenticate(context: &Context, bearer: &str) -> Result<()> {
    context.tasks.open()?;
    let digest = Digest::of(bearer);
    let (now, monotonic) = (context.now(), context.monotonic());
    if context
        .access_tokens
        .is_good(&digest, now, monotonic, CACHED)
    {
        return Ok(());
    }
    match check_access_token(context, &digest, now).await {
        Ok(expires_at) => {
            context.access_tokens.keep(digest, expires_at, monotonic);
            Ok(())
        }
        Err(error)
            if error.kind() == ErrorKind::StorageUnavailable
                && context
                    .access_tokens
                    .is_good(&digest, now, monotonic, OUTAGE) =>
        {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

async fn check_access_token(
    context: &Context,
    digest: &Digest,
    now: Timestamp,
) -> Result<Timestamp> {
    let refused = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "the bearer token is unknown or expired; get one at POST /oauth/token",
        )
    };
    let row = context
        .store
        .access_token(digest)
        .await?
        .ok_or_else(refused)?
        .row;
    if row.expires_at <= now
        || context
            .store
            .app_credential(&row.client_id)
            .await?
            .is_none()
    {
        return Err(refused());
    }
    Ok(row.expires_at)
}
