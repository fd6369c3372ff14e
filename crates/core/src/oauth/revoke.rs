//! Revokes tokens at the product (RFC 7009), through the outbox.

use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::token_endpoint::{error_of, exchange, request};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, TokenSet, change::Change},
    domain::{Account, Connection, Credential, NewEvent, OutboxEntry, OutboxTask},
    identifier::{AccountId, OutboxId},
    product::Product,
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
    let outcome = if superseded(context, *account_id, *generation).await? {
        Outcome::NotNeeded
    } else {
        match context.store.connection(*connection_id).await? {
            Some(connection) => revoke(context, &connection.row, row.id, token)
                .await
                .unwrap_or_else(|error| Outcome::Later(error.to_string())),
            None => Outcome::Refused(String::from("the connection was deleted")),
        }
    };
    finish(
        context,
        Versioned {
            row,
            version: version + 1,
            read_at: entry.read_at,
        },
        outcome,
    )
    .await
}

/// What became of a revocation.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// The token is dead.
    Revoked,
    /// It would end more than was asked for.
    NotNeeded,
    /// The product refuses it for good; with what it said.
    Refused(String),
    /// It may work later; with what was wrong.
    Later(String),
}

/// Whether the user has authorized again since, and the revocation would end that grant too.
async fn superseded(context: &Context, account: AccountId, generation: u64) -> Result<bool> {
    let Some(account) = context.store.account(account).await? else {
        return Ok(false);
    };
    Ok(account.row.generation > generation && would_end_working_grant(context, &account.row).await)
}

/// Ends an entry with its event, or plans the next attempt.
async fn finish(context: &Context, entry: Versioned<OutboxEntry>, outcome: Outcome) -> Result<()> {
    let Versioned {
        mut row, version, ..
    } = entry;
    let OutboxTask::Revoke { account_id, .. } = &row.task;
    let (name, why) = match outcome {
        Outcome::Later(why) if row.attempts + 1 < ATTEMPTS => {
            tracing::info!(account = %account_id, why, attempts = row.attempts + 1, "a token could not be revoked at the product; it is tried again");
            row.attempts += 1;
            let pause = SignedDuration::from_mins(2_i64.saturating_pow(row.attempts).min(720));
            row.due_at = context.now().checked_add(pause).unwrap_or(row.due_at);
            // A conflict means that another process was first.
            let _ = context
                .store
                .commit(Batch::new().update(row, version))
                .await?;
            return Ok(());
        }
        Outcome::Later(why) | Outcome::Refused(why) => {
            tracing::warn!(account = %account_id, why, "a token is not revoked at the product");
            ("account.revocation_failed", Some(why))
        }
        Outcome::Revoked => ("account.revoked_at_product", None),
        Outcome::NotNeeded => ("account.revocation_dropped", None),
    };
    let event = NewEvent {
        name,
        account_id: Some(*account_id),
        data: json!({ "reason": why }),
    };
    let ended = Change::none().delete(row.id, version).event(event);
    let done_elsewhere = Error::new(ErrorKind::AlreadyExists, "another process was first");
    match context.add("outbox.end", ended, done_elsewhere).await {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Asks the product to end a token (RFC 7009).
async fn revoke(
    context: &Context,
    connection: &Connection,
    entry: OutboxId,
    token: &Sealed,
) -> Result<Outcome> {
    let endpoints = context.endpoints_of(connection)?;
    let Some(url) = endpoints.revoke() else {
        return Ok(Outcome::Refused(String::from(
            "the product has no revocation endpoint",
        )));
    };
    let token = context.vault.open_sealed(token_place(entry), token)?;
    let token = String::from_utf8_lossy(&token);
    let product = endpoints.product;
    let request = request(context, product, connection, url, &[("token", &token)])?;
    Ok(match exchange(context, request).await {
        Ok((status, body)) => outcome_of(status.as_u16(), &body, product),
        Err(error) => Outcome::Later(error.to_string()),
    })
}

/// What a response of the revocation endpoint means (RFC 7009, 2.2).
fn outcome_of(status: u16, body: &[u8], product: &Product) -> Outcome {
    let error = error_of(body, product);
    let code = error.as_ref().map_or("", |error| error.code.as_str());
    let members = serde_json::from_slice(body).unwrap_or_default();
    let said = format!("the revocation endpoint answered {status} {code}");
    match status {
        200..=299 => Outcome::Revoked,
        400..=499 if code == "invalid_token" => Outcome::Revoked,
        400..=499 if (product.oauth.revoked_already)(status, &members) => Outcome::Revoked,
        408 | 429 => Outcome::Later(said),
        // The client can be corrected, and an outage ends: until then the token lives.
        400..=499 if is_passing(code, product) => Outcome::Later(said),
        400..=499 => Outcome::Refused(said),
        _ => Outcome::Later(said),
    }
}

/// Whether an error of the endpoint can end without a change of the request (RFC 6749, 5.2 and 4.1.2.1).
fn is_passing(code: &str, product: &Product) -> bool {
    [
        "invalid_client",
        "unauthorized_client",
        "temporarily_unavailable",
        "server_error",
    ]
    .contains(&code)
        || product.oauth.temporary_errors.contains(&code)
}

fn token_place(id: OutboxId) -> AssociatedData<'static> {
    AssociatedData::new("outbox", id.uuid(), "token")
}

#[cfg(test)]
#[path = "revoke_tests.rs"]
mod tests;
