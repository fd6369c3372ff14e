//! Revokes tokens at the product (RFC 7009), through the outbox.

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::{
    client_health::note_client,
    token_endpoint::{error_of, exchange, request, shown_code},
};
use crate::{
    ErrorKind, Result,
    caller::Caller,
    context::{Context, Endpoints, TokenSet, change::Change},
    domain::{Account, Connection, Credential, NewEvent, OutboxEntry, OutboxTask, account},
    identifier::{AccountId, OutboxId},
    product::Product,
    scrub::Secrets,
    sealed::{Sealed, place},
    state::{AccountReason, ConnectionHealth},
    store::{Batch, Commit, Versioned},
};

/// Number of attempts before Stead gives up a revocation. With the growing pauses, they take about two days.
const ATTEMPTS: u32 = 12;

/// Number of entries read per round.
const ROUND: u32 = 50;
/// How long a process claims an entry. No other process works on it during that time.
const CLAIM: SignedDuration = SignedDuration::from_mins(2);

/// Creates the outbox entry that revokes a credential which the application gives up permanently, and names the
/// accounts that end with it. Returns `None` if the credential can't be revoked, because there's no endpoint or it
/// can't be decrypted. The credential is shredded either way.
pub(crate) async fn revocation(
    context: &Context,
    account: &Account,
    credential: &Credential,
    also_ends: &[AccountId],
) -> Result<Option<OutboxEntry>> {
    let Some(tokens) = opened(context, account, credential).await else {
        return Ok(None);
    };
    let Some((connection, _)) = revocable(context, account, &tokens).await? else {
        return Ok(None);
    };
    entry(
        context,
        &connection,
        account,
        credential.generation,
        &tokens,
        also_ends,
    )
    .map(Some)
}

/// Creates the entry that revokes the new tokens of a refresh, if the presented credential is to be revoked: the
/// product may have replaced the tokens in the outbox with these.
pub(super) async fn revocation_of_refreshed(
    context: &Context,
    account: &Account,
    presented: u64,
    tokens: &TokenSet,
) -> Result<Option<OutboxEntry>> {
    if presented > account.revoked_generation {
        return Ok(None);
    }
    let connection = revocable(context, account, tokens).await?;
    connection
        .map(|(connection, _)| entry(context, &connection, account, presented, tokens, &[]))
        .transpose()
}

/// Returns the connection through which an account's tokens can be revoked. The product needs a revocation endpoint,
/// and the client must be the one that they were issued to.
async fn revocable(
    context: &Context,
    account: &Account,
    tokens: &TokenSet,
) -> Result<Option<(Connection, &'static Product)>> {
    let connection = context.store.connection(account.connection_id).await?;
    let connection =
        connection.filter(|connection| connection.row.client_epoch == tokens.client_epoch());
    Ok(connection.and_then(|Versioned { row, .. }| {
        let endpoints = context.endpoints_of(&row).ok()?;
        endpoints.revoke()?;
        Some((row, endpoints.product))
    }))
}

async fn opened(context: &Context, account: &Account, credential: &Credential) -> Option<TokenSet> {
    let sealed = credential.sealed.as_ref()?;
    let (generation, client_epoch) = (credential.generation, credential.client_epoch);
    TokenSet::open(&context.store.vault, account, generation, client_epoch, sealed)
        .await
        .inspect_err(|error| {
            tracing::warn!(account = %account.id, kind = %error.kind(), "a credential can't be decrypted, so it isn't revoked at the product");
        })
        .ok()
}

fn entry(
    context: &Context,
    connection: &Connection,
    account: &Account,
    generation: u64,
    tokens: &TokenSet,
    also_ends: &[AccountId],
) -> Result<OutboxEntry> {
    let id = OutboxId::from_uuid(context.host.new_id());
    let token = tokens.revocable().expose_secret();
    let task = OutboxTask::Revoke {
        connection_id: connection.id,
        account_id: account.id,
        generation,
        client_epoch: connection.client_epoch,
        token: context.store.vault.seal(
            &place::OutboxToken(id, connection.client_epoch),
            token.as_bytes(),
        )?,
        also_ends: also_ends.to_vec(),
    };
    Ok(OutboxEntry {
        id,
        task,
        attempts: 0,
        due_at: context.host.now(),
        extra: Default::default(),
    })
}

/// Processes due entries in the background. Each process has one worker, however often this is called.
pub(crate) fn work_off_outbox(context: &Context) {
    if !context.store.outbox.ask() {
        return;
    }
    // This continues until nothing is due, whoever requested it.
    context
        .acting_as(Caller::Stead)
        .detach(|worker| async move {
            loop {
                if let Err(error) = work_off(&worker).await {
                    tracing::warn!(kind = %error.kind(), "couldn't process pending revocations");
                }
                if !worker.store.outbox.ask_again() {
                    break;
                }
            }
        });
}

/// Processes due entries until there are none.
async fn work_off(context: &Context) -> Result<()> {
    loop {
        let due = context.store.due(context.host.now(), ROUND).await?;
        let last = due.len() < ROUND as usize;
        for entry in due {
            let id = entry.row.id;
            if let Err(error) = work_off_entry(context, entry).await {
                if error.kind() == ErrorKind::StorageUnavailable {
                    return Err(error);
                }
                tracing::warn!(entry = %id, kind = %error.kind(), "couldn't process a pending revocation");
            }
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
    row.due_at = context.host.now().checked_add(CLAIM).unwrap_or(row.due_at);
    if context
        .store
        .commit(
            Batch::new()
                .named("outbox.claim")
                .update(row.clone(), version),
        )
        .await?
        == Commit::Conflict
    {
        // Another process has claimed it.
        return Ok(());
    }
    let asked_at = context.host.now();
    let outcome = outcome(context, &row)
        .await
        .unwrap_or_else(|error| Outcome::Later(error.to_string()));
    let entry = Versioned {
        row,
        version: version + 1,
        read_at: entry.read_at,
    };
    finish(context, entry, outcome, asked_at).await
}

async fn outcome(context: &Context, entry: &OutboxEntry) -> Result<Outcome> {
    let OutboxTask::Revoke {
        connection_id,
        account_id,
        generation,
        client_epoch,
        token,
        ..
    } = &entry.task;
    let Some(connection) = context.store.connection(*connection_id).await? else {
        return Ok(Outcome::Refused(String::from("the connection was deleted")));
    };
    if connection.row.client_epoch != *client_epoch {
        let why =
            String::from("the connection has another client, to which the token does not belong");
        return Ok(Outcome::Refused(why));
    }
    let endpoints = context.endpoints_of(&connection.row)?;
    if endpoints.product.oauth.revocation_ends_grant
        && superseded(context, *account_id, *generation).await?
    {
        return Ok(Outcome::NotNeeded);
    }
    revoke(context, &connection.row, &endpoints, entry.id, token).await
}

/// Result of a revocation.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// The token is no longer valid.
    Revoked,
    /// Revoking it would end more than was asked for.
    NotNeeded,
    /// The product rejected it permanently, with this message.
    Refused(String),
    /// The product has no revocation endpoint.
    Unsupported,
    /// It may work later. The text says what failed.
    Later(String),
}

/// Whether the user has authorized again since, so that the revocation would also end the new grant.
async fn superseded(context: &Context, account: AccountId, generation: u64) -> Result<bool> {
    let account = context.store.account(account).await?;
    Ok(account.is_some_and(|account| account.row.generation > generation))
}

/// Completes an entry with its event, or schedules the next attempt. `asked_at` is from before the request to the
/// product.
async fn finish(
    context: &Context,
    entry: Versioned<OutboxEntry>,
    outcome: Outcome,
    asked_at: Timestamp,
) -> Result<()> {
    let Versioned {
        mut row, version, ..
    } = entry;
    let OutboxTask::Revoke {
        connection_id,
        account_id,
        also_ends,
        ..
    } = &row.task;
    let (name, said, why) = match outcome {
        Outcome::Later(why) if row.attempts + 1 < ATTEMPTS => {
            tracing::info!(account = %account_id, why, attempts = row.attempts + 1, "couldn't revoke a token at the product; Stead tries again");
            row.attempts += 1;
            let pause = SignedDuration::from_mins(2_i64.saturating_pow(row.attempts).min(720));
            row.due_at = context.host.now().checked_add(pause).unwrap_or(row.due_at);
            // A conflict means that another process was first.
            let _ = context
                .store
                .commit(Batch::new().named("outbox.retry").update(row, version))
                .await?;
            return Ok(());
        }
        Outcome::Later(why) | Outcome::Refused(why) => {
            tracing::warn!(account = %account_id, why, "a token isn't revoked at the product");
            ("account.revocation_failed", "failed", Some(why))
        }
        Outcome::Unsupported => ("account.revocation_failed", "unsupported", None),
        Outcome::Revoked => ("account.revoked_at_product", "revoked", None),
        Outcome::NotNeeded => ("account.revocation_dropped", "dropped", None),
    };
    let ended: &[AccountId] = match said {
        "revoked" => also_ends,
        _ => &[],
    };
    let account = context.store.account(*account_id).await.ok().flatten();
    let identifier = account.map(|account| account.row.identifier);
    let event = NewEvent::new(name, json!({ "outcome": said, "reason": why }));
    let event = identifier.iter().fold(event, |event, identifier| {
        event.with("identifier", identifier)
    });
    let event = event.of_account(*account_id, *connection_id);
    context
        .change(
            "outbox.end",
            || load_ended(context, row.id, ended),
            |(present, accounts)| {
                // Another process may have been first.
                if present.is_none_or(|present| present.version != version) {
                    return Ok((Change::none(), ()));
                }
                let mut change = Change::none().delete(row.id, version).event(event.clone());
                for (account, issued_at) in accounts {
                    if account.row.is_connected() && issued_at < asked_at {
                        let died = account::Trigger::CredentialDied(AccountReason::RefreshRejected);
                        let changed = account.row.on(died, context.host.now())?;
                        change = change.account(changed, account.row.state, account.version);
                    }
                }
                Ok((change, ()))
            },
        )
        .await
}

/// Loads an entry, and the accounts that ended with its grant, with the time when each one's current tokens were
/// stored.
async fn load_ended(
    context: &Context,
    id: OutboxId,
    accounts: &[AccountId],
) -> Result<(
    Option<Versioned<OutboxEntry>>,
    Vec<(Versioned<Account>, Timestamp)>,
)> {
    let entry = context.store.outbox_entry(id).await?;
    let mut ended = Vec::new();
    for id in accounts {
        let Some(account) = context.store.account(*id).await? else {
            continue;
        };
        let current = context
            .store
            .credential(*id, account.row.generation)
            .await?;
        if let Some(current) = current {
            ended.push((account, current.row.created_at));
        }
    }
    Ok((entry, ended))
}

/// Asks the product to revoke a token (RFC 7009).
async fn revoke(
    context: &Context,
    connection: &Connection,
    endpoints: &Endpoints,
    entry: OutboxId,
    token: &Sealed<place::OutboxToken>,
) -> Result<Outcome> {
    let Some(url) = endpoints.revoke() else {
        return Ok(Outcome::Unsupported);
    };
    let place = place::OutboxToken(entry, connection.client_epoch);
    let token = context.store.vault.open(&place, token).await?;
    let token = String::from_utf8_lossy(&token);
    let product = endpoints.product;
    let token = [("token", token.as_ref())];
    let (request, secrets) = request(context, product, connection, url, &token).await?;
    Ok(match exchange(context, request).await {
        Ok((status, body)) => {
            let error = error_of(&body, product);
            if error.is_some_and(|error| is_of_client(&error.code)) {
                note_client(context, connection, ConnectionHealth::ClientRejected).await;
            }
            outcome_of(status.as_u16(), &body, product, &secrets)
        }
        Err(error) => Outcome::Later(error.to_string()),
    })
}

/// Interprets a response of the revocation endpoint (RFC 7009, 2.2).
fn outcome_of(status: u16, body: &[u8], product: &Product, secrets: &Secrets) -> Outcome {
    let error = error_of(body, product);
    let code = error.as_ref().map_or("", |error| error.code.as_str());
    let members = serde_json::from_slice(body).unwrap_or_default();
    let shown = |error| shown_code(error, product, secrets);
    let shown = error.as_ref().map_or_else(String::new, shown);
    let said = format!("the revocation endpoint returned {status} {shown}");
    match status {
        200..=299 => Outcome::Revoked,
        400..=499 if code == "invalid_token" => Outcome::Revoked,
        400..=499 if (product.oauth.revoked_already)(status, &members) => Outcome::Revoked,
        408 | 429 => Outcome::Later(said),
        // The client can be fixed, and outages end. Until then, the token is still valid.
        400..=499 if is_passing(code, product) => Outcome::Later(said),
        400..=499 => Outcome::Refused(said),
        _ => Outcome::Later(said),
    }
}

/// Whether an error is about the client's ID or secret.
fn is_of_client(code: &str) -> bool {
    matches!(code, "invalid_client" | "unauthorized_client")
}

/// Whether an error can go away without a change of the request (RFC 6749, 5.2 and 4.1.2.1).
fn is_passing(code: &str, product: &Product) -> bool {
    is_of_client(code)
        || ["temporarily_unavailable", "server_error"].contains(&code)
        || product.oauth.temporary_errors.contains(&code)
}

#[cfg(test)]
mod tests;
