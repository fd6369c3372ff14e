//! Checks a bearer token.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;

use super::{account_tokens, mcp_sessions};
use crate::{
    Error, ErrorKind, Result,
    caller::{Application, Caller},
    context::{Context, KnownIssuer, access_tokens::Checked},
    digest::Digest,
    scope::ScopeName,
};

/// While the store is down, a token that was good is accepted for so long.
const OUTAGE: Duration = Duration::from_secs(300);

/// Whose bearer token it is.
pub(crate) async fn authenticate(context: &Context, bearer: &str) -> Result<Caller> {
    check(context, bearer, None).await
}

/// The same at `/mcp`, where JWTs of the operator's issuer are taken too.
pub(crate) async fn authenticate_agent(context: &Context, bearer: &str) -> Result<Caller> {
    // No token of this environment has a full stop.
    let issuer = context.mcp_issuer.as_ref();
    check(context, bearer, issuer.filter(|_| bearer.contains('.'))).await
}

async fn check(context: &Context, bearer: &str, issuer: Option<&KnownIssuer>) -> Result<Caller> {
    context.tasks.open()?;
    let digest = Digest::of(bearer);
    let reliable_since = context.reliable_since().await;
    let (now, monotonic) = (context.now(), context.monotonic());
    let tokens = &context.access_tokens;
    let known = |since| tokens.caller(&digest, now, since);
    if let Some(caller) = known(reliable_since) {
        return Ok(caller);
    }
    let epoch = tokens.epoch();
    let checked = if let Some(issuer) = issuer {
        mcp_sessions::check_jwt(context, issuer, bearer).await
    } else if bearer.starts_with(account_tokens::PREFIX) {
        account_tokens::check(context, &digest, now).await
    } else if bearer.starts_with(mcp_sessions::PREFIX) {
        mcp_sessions::check(context, &digest, now).await
    } else {
        check_access_token(context, &digest, now).await
    };
    match checked {
        Ok((caller, expires_at)) => {
            let checked = Checked {
                caller: caller.clone(),
                expires_at,
                at: monotonic,
            };
            tokens.keep(&digest, checked, epoch);
            Ok(caller)
        }
        Err(error) if error.kind() == ErrorKind::StorageUnavailable => {
            known(monotonic.saturating_sub(OUTAGE)).ok_or(error)
        }
        Err(error) => Err(error),
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
    // A token ends with its credential, and with the secret that it was made with.
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
        // Who makes owners has no limit, and keys and policies are those of every connection.
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
