//! Checks a bearer token.

use std::sync::Arc;

use futures_util::FutureExt as _;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};

use super::{account_tokens, mcp_sessions};
use crate::{
    Error, ErrorKind, Result,
    caller::{Application, Caller},
    context::{Context, access_tokens::Checked},
    digest::Digest,
    scope::ScopeName,
};

/// The caller of a bearer token.
pub(crate) async fn authenticate(context: &Context, bearer: &str) -> Result<Caller> {
    check(context, bearer, false).await
}

/// The same at `/mcp`, which also accepts JWTs of the operator's issuer.
pub(crate) async fn authenticate_agent(context: &Context, bearer: &str) -> Result<Caller> {
    // No token of this environment has a full stop.
    check(context, bearer, bearer.contains('.')).await
}

/// A recently checked token is accepted without the store while that is reliable. While the store is unavailable, it's
/// accepted for the configured time.
async fn check(context: &Context, bearer: &str, by_issuer: bool) -> Result<Caller> {
    context.tasks.open()?;
    let digest = Digest::of(bearer);
    let reliable = context.reliable_since().await;
    let now = context.now();
    let tokens = &context.access_tokens;
    let known = |since| tokens.caller(&digest, now, since);
    if let Some(caller) = known(reliable.since) {
        return Ok(caller);
    }
    let last = known(reliable.now.saturating_sub(context.store_outage));
    let asking = || ask(context, bearer, &digest, by_issuer);
    context.last_or_read(last, reliable.began, asking).await
}

/// Looks up a token, or joins a running lookup, which continues even if no one waits for it.
fn ask(
    context: &Context,
    bearer: &str,
    digest: &Digest,
    by_issuer: bool,
) -> impl Future<Output = Result<Caller>> + Unpin + Send + 'static {
    let epoch = context.access_tokens.epoch();
    let key = (digest.clone(), epoch);
    let work = |guard| {
        let (context, digest) = (context.clone(), digest.clone());
        let bearer = SecretString::from(bearer);
        async move {
            let (at, tokens) = (context.monotonic(), &context.access_tokens);
            let caller = match read(&context, bearer.expose_secret(), &digest, by_issuer).await {
                Ok((caller, expires_at)) => {
                    let checked = Checked {
                        caller: caller.clone(),
                        expires_at,
                        at,
                    };
                    tokens.keep(&digest, checked, epoch);
                    Ok(caller)
                }
                Err(error) => {
                    if error.kind() != ErrorKind::StorageUnavailable {
                        tokens.drop_token(&digest);
                    }
                    Err(error)
                }
            };
            drop(guard);
            caller
        }
        .boxed()
    };
    let runtime = context.runtime.as_ref();
    context.access_tokens.readings.join(runtime, key, work)
}

async fn read(
    context: &Context,
    bearer: &str,
    digest: &Digest,
    by_issuer: bool,
) -> Result<(Caller, Timestamp)> {
    let now = context.now();
    match &context.mcp_issuer {
        Some(issuer) if by_issuer => mcp_sessions::check_jwt(context, issuer, bearer).await,
        _ if bearer.starts_with(account_tokens::PREFIX) => {
            account_tokens::check(context, digest, now).await
        }
        _ if bearer.starts_with(mcp_sessions::PREFIX) => {
            mcp_sessions::check(context, digest, now).await
        }
        _ => check_access_token(context, digest, now).await,
    }
}

async fn check_access_token(
    context: &Context,
    digest: &Digest,
    now: Timestamp,
) -> Result<(Caller, Timestamp)> {
    let refused = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "the bearer token is unknown, expired or revoked; get one at POST /oauth/token",
        )
    };
    let token = context.store.access_token(digest).await?;
    let token = token.ok_or_else(refused)?.row;
    let credential = context.store.app_credential(&token.client_id).await?;
    let credential = credential.ok_or_else(refused)?.row;
    // A token stops working with its credential, and with the secret that it was created with.
    let secret = credential.secret_of(&token, now).ok_or_else(refused)?;
    let ends = [
        Some(token.expires_at),
        credential.expires_at,
        secret.expires_at,
    ];
    let end = ends.into_iter().flatten().min().unwrap_or(now);
    if end <= now {
        return Err(refused());
    }
    context
        .access_tokens
        .note_use(&token.client_id, &secret.id, now);
    let mut scopes = token.scopes(&credential);
    if !credential.connections.are_all() {
        // These affect all connections: owners have no limit, and keys and policies are shared. This is decided here, so
        // that no route can forget it.
        scopes = scopes
            .without(ScopeName::MembersManage)
            .without(ScopeName::KeysManage)
            .without(ScopeName::PoliciesManage)
            .without(ScopeName::PoliciesRead);
    }
    let application = Application {
        client_id: token.client_id,
        scopes,
        rate_per_minute: credential.rate_per_minute,
        connections: credential.connections,
        policy: credential.policy,
    };
    Ok((Caller::Application(Arc::new(application)), end))
}

#[cfg(test)]
#[path = "authenticate_tests.rs"]
mod tests;
