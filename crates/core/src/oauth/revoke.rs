//! Revokes tokens at the product (RFC 7009), through the outbox.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, header};
use jiff::SignedDuration;
use secrecy::ExposeSecret as _;

use super::{client::ClientCredentials, token_endpoint::encoded};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, TokenSet},
    domain::{Account, Connection, Credential, OutboxEntry, OutboxTask},
    identifier::{AccountId, OutboxId},
    ports::Limits,
    product::ClientAuthentication,
    seal::AssociatedData,
    sealed::Sealed,
    store::{Batch, Commit, Versioned},
};

/// Attempts before a revocation is given up: with the growing pauses, about two days.
const ATTEMPTS: u32 = 12;

/// Entries that one round takes at once.
const ROUND: u32 = 50;
/// While an entry is being worked on, no other process takes it for so long.
const CLAIM: SignedDuration = SignedDuration::from_mins(2);

/// The outbox entry that revokes a credential which the application gives up for good. What cannot be revoked (no
/// endpoint, nothing to open) is shredded all the same.
pub(crate) async fn revocation(
    context: &Context,
    account: &Account,
    credential: &Credential,
) -> Option<OutboxEntry> {
    let sealed = credential.sealed.as_ref()?;
    let tokens = TokenSet::open(&context.vault, account, credential.generation, sealed);
    match tokens {
        Ok(tokens) => revocation_of_tokens(context, account, credential.generation, &tokens).await,
        Err(error) => {
            tracing::warn!(account = %account.id, kind = %error.kind(), "a credential cannot be opened, so it is not revoked at the product");
            None
        }
    }
}

/// The same for a credential that was never confirmed: not where the product would end the account's working grant
/// with it.
pub(super) async fn revocation_of_unconfirmed(
    context: &Context,
    account: &Account,
    credential: &Credential,
) -> Option<OutboxEntry> {
    if would_end_working_grant(context, account).await {
        None
    } else {
        revocation(context, account, credential).await
    }
}

/// The same for tokens that were never stored.
pub(crate) async fn discard(context: &Context, account: &Account, tokens: &TokenSet) {
    if would_end_working_grant(context, account).await {
        return;
    }
    if let Some(entry) =
        revocation_of_tokens(context, account, account.last_generation, tokens).await
    {
        match context.store.commit(Batch::new().insert(entry)).await {
            Ok(_) => work_off_outbox(context),
            Err(error) => {
                tracing::warn!(account = %account.id, kind = %error.kind(), "tokens that no one keeps could not be revoked")
            }
        }
    }
}

async fn would_end_working_grant(context: &Context, account: &Account) -> bool {
    let Ok(connection) = context.connection_by_id(account.connection_id).await else {
        return true;
    };
    let Ok(endpoints) = context.endpoints_of(&connection.row) else {
        return true;
    };
    endpoints.product.oauth.revocation_ends_grant && account.generation > 0
}

async fn revocation_of_tokens(
    context: &Context,
    account: &Account,
    generation: u64,
    tokens: &TokenSet,
) -> Option<OutboxEntry> {
    let connection = context
        .connection_by_id(account.connection_id)
        .await
        .ok()?
        .row;
    context.endpoints_of(&connection).ok()?.revoke()?;
    let id = OutboxId::from_uuid(context.new_id());
    let token = context
        .vault
        .seal(
            token_place(id),
            tokens.revocable().expose_secret().as_bytes(),
        )
        .ok()?;
    let task = OutboxTask::Revoke {
        connection_id: connection.id,
        account_id: account.id,
        generation,
        token,
    };
    Some(OutboxEntry {
        id,
        task,
        attempts: 0,
        due_at: context.now(),
        extra: Default::default(),
    })
}

/// Works off what is due, in the background: one worker per process, however often it is asked.
pub(crate) fn work_off_outbox(context: &Context) {
    if !context.outbox.ask() {
        return;
    }
    let guard = context.tasks.begin();
    let worker = context.clone();
    context.runtime.spawn(Box::pin(async move {
        loop {
            if let Err(error) = work_off(&worker).await {
                tracing::warn!(kind = %error.kind(), "the outbox could not be read");
            }
            if !worker.outbox.ask_again() {
                break;
            }
        }
        drop(guard);
    }));
}

/// Takes what is due until nothing is.
async fn work_off(context: &Context) -> Result<()> {
    loop {
        let due = context.store.due(context.now(), ROUND).await?;
        let last = due.len() < ROUND as usize;
        for entry in due {
            work_off_entry(context, entry).await?;
        }
        if last {
            return Ok(());
        }
    }
}

async fn work_off_entry(context: &Context, entry: Versioned<OutboxEntry>) -> Result<()> {
    let Versioned {
        mut row, version, ..
    } = entry;
    row.due_at = context.now().checked_add(CLAIM).unwrap_or(row.due_at);
    if context
        .store
        .commit(Batch::new().update(row.clone(), version))
        .await?
        == Commit::Conflict
    {
        // Another process has it.
        return Ok(());
    }
    let OutboxTask::Revoke {
        connection_id,
        account_id,
        generation,
        token,
    } = &row.task;
    let done = if superseded(context, *account_id, *generation).await? {
        Ok(())
    } else {
        match context.store.connection(*connection_id).await? {
            Some(connection) => revoke(context, &connection.row, row.id, token).await,
            None => Ok(()),
        }
    };
    if let Err(error) = &done {
        tracing::info!(kind = %error.kind(), attempts = row.attempts + 1, "a token could not be revoked at the product");
    }
    finish(
        context,
        Versioned {
            row,
            version: version + 1,
            read_at: entry.read_at,
        },
        done.is_ok(),
    )
    .await
}

/// Whether the user has authorized again since, and the revocation would end that grant too.
async fn superseded(context: &Context, account: AccountId, generation: u64) -> Result<bool> {
    let Some(account) = context.store.account(account).await? else {
        return Ok(false);
    };
    Ok(account.row.generation > generation && would_end_working_grant(context, &account.row).await)
}

async fn finish(context: &Context, entry: Versioned<OutboxEntry>, done: bool) -> Result<()> {
    let Versioned {
        mut row, version, ..
    } = entry;
    let batch = if done || row.attempts + 1 >= ATTEMPTS {
        Batch::new().delete(row.id, version)
    } else {
        row.attempts += 1;
        let pause = SignedDuration::from_mins(2_i64.saturating_pow(row.attempts).min(720));
        row.due_at = context.now().checked_add(pause).unwrap_or(row.due_at);
        Batch::new().update(row, version)
    };
    // A conflict means that another process has settled it.
    let _ = context.store.commit(batch).await?;
    Ok(())
}

/// RFC 7009, 2.1: the client proves itself as at the token endpoint. Servers that take the secret in the body
/// ask for none here.
async fn revoke(
    context: &Context,
    connection: &Connection,
    entry: OutboxId,
    token: &Sealed,
) -> Result<()> {
    let endpoints = context.endpoints_of(connection)?;
    let Some(url) = endpoints.revoke() else {
        return Ok(());
    };
    let token = context.vault.open_sealed(token_place(entry), token)?;
    let token = String::from_utf8_lossy(&token);
    let oauth = &endpoints.product.oauth;
    let (body, content_type) = encoded(oauth.token_format, &[("token", &token)]);
    let mut request = http::Request::new(body);
    *request.method_mut() = Method::POST;
    *request.uri_mut() = url
        .parse()
        .map_err(|_| Error::new(ErrorKind::Internal, "the revocation endpoint is not a URI"))?;
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    for (name, value) in oauth.token_headers {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    if oauth.client_authentication == ClientAuthentication::Basic
        && let Some(credentials) = ClientCredentials::of(context, connection)?
    {
        headers.insert(header::AUTHORIZATION, credentials.basic()?);
    }
    let limits = Limits {
        total: Duration::from_secs(20),
        response_bytes: 64 * 1024,
        ..Limits::DEFAULT
    };
    request.extensions_mut().insert(limits);
    let unavailable = |why: String| Error::new(ErrorKind::ProductUnavailable, why);
    let response = context
        .transport
        .send(request)
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    match response.status().as_u16() {
        200..=299 => Ok(()),
        status if oauth.revoked_already.contains(&status) => Ok(()),
        status => Err(unavailable(format!(
            "the revocation endpoint answered {status}"
        ))),
    }
}

fn token_place(id: OutboxId) -> AssociatedData<'static> {
    AssociatedData::new("outbox", id.uuid(), "token")
}
