//! Checks a bearer token.

use std::sync::Arc;

use futures_util::FutureExt as _;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};

use super::{
    account_tokens, mcp_sessions,
    token::{Token, look_up},
};
use crate::{
    ErrorKind, Result,
    caller::{Application, Caller},
    context::{Context, access_tokens::Checked},
    digest::Digest,
    domain::{self, AccessToken, AppCredential},
    scope::ScopeName,
    store::{Records, Versioned},
};

/// The caller of a bearer token.
pub(crate) async fn authenticate(context: &Context, bearer: &str) -> Result<Caller> {
    check(context, bearer, false).await
}

/// The same at `/mcp`, which also accepts JWTs of the operator's issuer.
pub(crate) async fn authenticate_agent(context: &Context, bearer: &str) -> Result<Caller> {
    // Only JWTs contain a full stop. Stead's own tokens don't.
    check(context, bearer, bearer.contains('.')).await
}

/// A recently checked token is accepted without the store while that is reliable. While the store is unavailable, it's
/// accepted for the configured time.
async fn check(context: &Context, bearer: &str, by_issuer: bool) -> Result<Caller> {
    context.host.tasks.open()?;
    let digest = Digest::of(bearer);
    let reliable = context.reliable_since().await;
    let now = context.host.now();
    let tokens = &context.memory.access_tokens;
    let known = |since| tokens.caller(&digest, now, since);
    if let Some(caller) = known(reliable.since) {
        return Ok(caller);
    }
    let last = known(reliable.now.saturating_sub(context.memory.store_outage));
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
    let epoch = context.memory.access_tokens.epoch();
    let key = (digest.clone(), epoch);
    let work = |guard| {
        let (context, digest) = (context.clone(), digest.clone());
        let bearer = SecretString::from(bearer);
        async move {
            let (at, tokens) = (context.host.monotonic(), &context.memory.access_tokens);
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
    let runtime = context.host.runtime.as_ref();
    context
        .memory
        .access_tokens
        .readings
        .join(runtime, key, work)
}

async fn read(
    context: &Context,
    bearer: &str,
    digest: &Digest,
    by_issuer: bool,
) -> Result<(Caller, Timestamp)> {
    match &context.issuers.mcp {
        Some(issuer) if by_issuer => mcp_sessions::check_jwt(context, issuer, bearer).await,
        _ if bearer.starts_with(account_tokens::PREFIX) => {
            look_up::<domain::AccountToken>(context, digest).await
        }
        _ if bearer.starts_with(mcp_sessions::PREFIX) => {
            look_up::<domain::McpSession>(context, digest).await
        }
        _ => look_up::<AccessToken>(context, digest).await,
    }
}

impl Token for AccessToken {
    type Opened = Caller;

    const REFUSED: &'static str =
        "the bearer token is unknown, expired or revoked; get one at POST /oauth/token";

    async fn find(store: &Records, digest: &Digest) -> Result<Option<Versioned<Self>>> {
        store.access_token(digest).await
    }

    fn client_id(&self) -> Option<&str> {
        Some(&self.client_id)
    }

    fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// A token also stops working with the secret that it was created with.
    async fn open(
        found: Versioned<Self>,
        context: &Context,
        credential: Option<AppCredential>,
    ) -> Result<Option<(Caller, Option<Timestamp>)>> {
        let (token, now) = (found.row, context.host.now());
        let Some(credential) = credential else {
            return Ok(None);
        };
        let Some(secret) = credential.secret_of(&token, now) else {
            return Ok(None);
        };
        let stops = secret.expires_at;
        context
            .memory
            .access_tokens
            .note_use(&token.client_id, &secret.id, now);
        let mut scopes = token.scopes(&credential);
        if !credential.connections.are_all() {
            // These affect all connections: owners have no limit, and keys and policies are shared. This is decided
            // here, so that no route can forget it.
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
        Ok(Some((Caller::Application(Arc::new(application)), stops)))
    }
}

#[cfg(test)]
mod tests;
