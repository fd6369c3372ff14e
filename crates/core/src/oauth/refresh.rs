//! Refreshing a credential: one flight per account in this process, a lease among processes, and no token lost.
//!
//! The work runs on `Runtime::spawn`: a caller that goes away never cuts it between the product's answer and the commit.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use oauth2::RefreshToken;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::client::{Granted, TokenEndpoint, TokenFailure, oauth_client};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    context::Snapshot,
    context::TokenSet,
    domain::{Account, AuthorizationState, Connection, Credential, Lease},
    domain::{account::needs_reauthorization, credential::shredded},
    identifier::AccountId,
    product::Rotation,
    state::{AccountHealth, AccountReason, AccountState, ConnectionHealth},
    store::{Batch, Commit, Versioned},
};

/// An access token with less life than this is refreshed before it is used.
const TOO_SHORT: SignedDuration = SignedDuration::from_secs(60);
/// An access token with less life than this is refreshed in the background while it is used.
const SHORT: SignedDuration = SignedDuration::from_mins(5);
/// Longer than a token request with the commit after it.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How long a waiter follows another process's refresh.
const PATIENCE: Duration = Duration::from_secs(25);
/// How long a refreshed credential is offered to a store that does not take it.
const COMMIT_PATIENCE: Duration = Duration::from_secs(40);

/// Why a credential is renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Its end is near; it still serves.
    Early,
    /// It has ended, or nearly.
    Due,
    /// The product refused it.
    Refused,
    /// The application asked.
    Asked,
}

/// A snapshot whose tokens can be sent now.
pub(crate) async fn live(context: &Context, snapshot: Arc<Snapshot>) -> Result<Arc<Snapshot>> {
    let tokens = snapshot.usable()?;
    let Some(expires_at) = tokens.expires_at() else {
        return Ok(snapshot);
    };
    let left = expires_at.duration_since(context.now());
    if left >= SHORT {
        return Ok(snapshot);
    }
    if left >= TOO_SHORT {
        if tokens.refresh_token().is_some() && may_try(&snapshot.account, context.now()) {
            drop(refresh_now(context, &snapshot, Renewal::Early));
        }
        return Ok(snapshot);
    }
    renew(context, &snapshot, Renewal::Due).await
}

/// Renews the credential of a snapshot, together with all others in this process who want that now.
pub(crate) async fn renew(
    context: &Context,
    snapshot: &Arc<Snapshot>,
    why: Renewal,
) -> Result<Arc<Snapshot>> {
    refresh_now(context, snapshot, why).await
}

/// Starts a refresh, or joins the one that runs. It goes on whether or not its result is waited for.
fn refresh_now(
    context: &Context,
    snapshot: &Arc<Snapshot>,
    why: Renewal,
) -> impl Future<Output = Result<Arc<Snapshot>>> + Send + 'static {
    let (shared, snapshot) = (context.clone(), Arc::clone(snapshot));
    context
        .refreshes
        .join(context.runtime.as_ref(), snapshot.account.id, |guard| {
            Box::pin(async move {
                let work = {
                    let context = shared.clone();
                    async move {
                        let result = refresh(&context, &snapshot, why).await;
                        drop(guard);
                        result
                    }
                };
                shared.detached(|_| work).await?
            })
        })
}

async fn refresh(context: &Context, seen: &Snapshot, why: Renewal) -> Result<Arc<Snapshot>> {
    let owner = context.new_id();
    let began = context.monotonic();
    let mut pause = Duration::from_millis(50);
    loop {
        let epoch = context.snapshots.epoch(
            seen.connection.name.as_str(),
            seen.account.identifier.as_str(),
        );
        let connection = context.connection_by_id(seen.connection.id).await?.row;
        let account = account_for_refresh(context, seen.account.id).await?;
        if account.row.generation != seen.account.generation
            || account.row.state != AccountState::Active
        {
            // Somebody else has renewed or ended it.
            let snapshot = context
                .snapshot_of(Arc::new(connection), account.row, epoch)
                .await?;
            snapshot.usable()?;
            return Ok(snapshot);
        }
        match claim(&account, owner) {
            Claim::Taken if context.monotonic().saturating_sub(began) > PATIENCE => {
                return Err(Error::new(
                    ErrorKind::RefreshInProgress,
                    "another process is refreshing this account; try again",
                )
                .with_retry_after(Duration::from_secs(1)));
            }
            Claim::Taken => {
                context.runtime.sleep(pause).await;
                pause = (pause * 2).min(Duration::from_millis(400));
            }
            Claim::Ours { row, recovering } => {
                if why == Renewal::Due
                    && !may_try(&account.row, context.now())
                    && let Some(until) = next_try(&account.row)
                {
                    return Err(refresh_unavailable(
                        "the last attempts failed",
                        Some(until.duration_since(context.now())),
                    ));
                }
                let claimed = Batch::new().update((*row).clone(), account.version);
                if context.store.commit(claimed).await? == Commit::Committed
                    && !adopt_salvaged(context, &row, owner).await?
                {
                    return fly(context, connection, *row, owner, why, recovering).await;
                }
            }
        }
    }
}

/// Holds the lease: asks the product, and keeps what it answers.
async fn fly(
    context: &Context,
    connection: Connection,
    account: Account,
    owner: Uuid,
    why: Renewal,
    recovering: bool,
) -> Result<Arc<Snapshot>> {
    let tokens = context.tokens(&account, account.generation).await?;
    let Some(refresh_token) = tokens.as_ref().and_then(TokenSet::refresh_token).cloned() else {
        let still_serves = why == Renewal::Early || why == Renewal::Asked;
        return no_refresh_token(context, connection, account, owner, still_serves).await;
    };
    let sent_at = context.now();
    match granted_for_refresh(context, &connection, &refresh_token, sent_at).await {
        Ok(granted) => keep(context, connection, account, granted).await,
        Err(failure) => {
            refresh_failed(
                context, connection, account, owner, failure, why, recovering,
            )
            .await
        }
    }
}

/// RFC 6749, 6: without `scope`, so that what the user did not grant is not asked for.
async fn granted_for_refresh(
    context: &Context,
    connection: &Connection,
    refresh_token: &SecretString,
    sent_at: Timestamp,
) -> Result<Granted, Failed> {
    let endpoints = context.endpoints_of(connection)?;
    let client = oauth_client(
        context,
        endpoints.product,
        connection,
        &endpoints.snapshot(),
    )?;
    let token = RefreshToken::new(refresh_token.expose_secret().to_owned());
    let endpoint = TokenEndpoint::new(context, endpoints.product);
    let result = client
        .exchange_refresh_token(&token)
        .request_async(&endpoint)
        .await;
    let answer = endpoint.read(result)?;
    Ok(Granted::read(
        &answer,
        endpoints.product,
        sent_at,
        Some(refresh_token),
    )?)
}

/// Commits new tokens as the next generation. Where the lease was lost meanwhile they are kept all the same, as a
/// generation that is not current: of a rotating product they may be the only ones alive.
async fn keep(
    context: &Context,
    connection: Connection,
    claimed: Account,
    granted: Granted,
) -> Result<Arc<Snapshot>> {
    let began = context.monotonic();
    let mut pause = Duration::from_millis(50);
    loop {
        match try_keep(context, &claimed, &granted).await {
            Ok(Some(_)) => {
                accept_client(context, &connection).await?;
                context
                    .snapshots
                    .forget(connection.name.as_str(), claimed.identifier.as_str());
                let snapshot = context
                    .reload(connection.name.as_str(), claimed.identifier.as_str())
                    .await?;
                snapshot.usable()?;
                return Ok(snapshot);
            }
            Ok(None) => {}
            Err(error) if error.kind() != ErrorKind::StorageUnavailable => return Err(error),
            Err(error) if context.monotonic().saturating_sub(began) > COMMIT_PATIENCE => {
                tracing::error!(account = %claimed.id, "a refreshed credential could not be stored; a rotating product's account may need a new authorization");
                return Err(error);
            }
            Err(_) => {
                context.runtime.sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(2));
            }
        }
    }
}

/// One attempt to commit; `None` on a conflict.
async fn try_keep(context: &Context, claimed: &Account, granted: &Granted) -> Result<Option<()>> {
    let Versioned {
        row: account,
        version,
        ..
    } = account_for_refresh(context, claimed.id).await?;
    if account.state == AccountState::Disconnected {
        // Disconnecting wins. The user's grant was or is being revoked as the application asked.
        return Ok(Some(()));
    }
    if account.generation != claimed.generation && is_replaced(context, claimed).await? {
        return Ok(Some(()));
    }
    let generation = account.last_generation + 1;
    let credential = Credential {
        account_id: account.id,
        generation,
        sealed: Some(granted.tokens.seal(&context.vault, &account, generation)?),
        held_by: None,
        created_at: context.now(),
    };
    let mut batch = Batch::new().insert(credential);
    let mut row = account.clone();
    row.last_generation = generation;
    row.updated_at = context.now();
    // Whoever else may hold the lease by now presents a token that these tokens have replaced.
    if account.generation == claimed.generation {
        row.generation = generation;
        row.token_expires_at = granted.tokens.expires_at();
        row.health = AccountHealth::Ok;
        row.refresh_failures = 0;
        row.lease = None;
        if let Some(scopes) = &granted.scopes {
            row.missing_scopes.extend(
                row.granted_scopes
                    .iter()
                    .filter(|scope| !scopes.contains(scope))
                    .cloned(),
            );
            row.missing_scopes.retain(|scope| !scopes.contains(scope));
            row.missing_scopes.sort();
            row.missing_scopes.dedup();
            row.granted_scopes.clone_from(scopes);
        }
        if account.health == AccountHealth::Degraded {
            batch = batch.insert(context.account_event("account.recovered", &row));
        }
        for older in context.store.credentials(account.id).await? {
            if older.row.generation != account.generation && !waits(context, &older.row).await? {
                batch = batch.update(shredded(&older.row), older.version);
            }
        }
    }
    Ok(
        (context.store.commit(batch.update(row, version)).await? == Commit::Committed)
            .then_some(()),
    )
}

/// Whether the user has authorized anew, or was disconnected, since these tokens were sent for.
async fn is_replaced(context: &Context, claimed: &Account) -> Result<bool> {
    let credential = context
        .store
        .credential(claimed.id, claimed.generation)
        .await?;
    Ok(credential.is_none_or(|credential| {
        credential.row.sealed.is_none() || credential.row.held_by.is_some()
    }))
}

/// Whether a credential waits to be confirmed.
async fn waits(context: &Context, credential: &Credential) -> Result<bool> {
    let Some(holder) = credential.held_by else {
        return Ok(false);
    };
    let authorization = context.store.authorization(holder).await?;
    Ok(authorization
        .is_some_and(|authorization| authorization.row.state == AuthorizationState::Verifying))
}

async fn refresh_failed(
    context: &Context,
    connection: Connection,
    claimed: Account,
    owner: Uuid,
    failure: Failed,
    why: Renewal,
    recovering: bool,
) -> Result<Arc<Snapshot>> {
    let still_serves = why != Renewal::Refused
        && claimed
            .token_expires_at
            .is_none_or(|end| end.duration_since(context.now()) > SignedDuration::ZERO);
    match failure {
        Failed::Token(TokenFailure::Rejected(said)) if !(still_serves && why == Renewal::Early) => {
            let rotation = context.endpoints_of(&connection)?.product.oauth.rotation;
            let lost = recovering && rotation != Rotation::Stable;
            let reason = if lost {
                AccountReason::RefreshOutcomeLost
            } else {
                AccountReason::RefreshRejected
            };
            must_reauthorize(context, connection, claimed, owner, reason, Some(said)).await
        }
        Failed::Token(TokenFailure::Client(said)) => {
            release(context, &claimed, owner, Some(AccountHealth::Degraded)).await?;
            reject_client(context, &connection).await?;
            serve_or(context, connection, claimed, still_serves, || {
                Error::new(
                    ErrorKind::ConnectionCredentialsRejected,
                    "the product refuses the connection's client id or secret; mend the connection, the users need not act",
                )
                .with_context("product_message", said)
            })
            .await
        }
        Failed::Token(
            failure @ (TokenFailure::Rejected(_)
            | TokenFailure::Temporary(_)
            | TokenFailure::Misconfigured(_)
            | TokenFailure::Unanswered(_)),
        ) => {
            let unanswered = matches!(failure, TokenFailure::Unanswered(_));
            let said = failure.said();
            release_marked(
                context,
                &claimed,
                owner,
                Some(AccountHealth::Degraded),
                unanswered,
            )
            .await?;
            serve_or(context, connection, claimed, still_serves, || {
                refresh_unavailable(&said, None)
            })
            .await
        }
        Failed::Ours(error) => {
            release(context, &claimed, owner, None).await?;
            Err(error)
        }
    }
}

async fn no_refresh_token(
    context: &Context,
    connection: Connection,
    claimed: Account,
    owner: Uuid,
    still_serves: bool,
) -> Result<Arc<Snapshot>> {
    if still_serves {
        release(context, &claimed, owner, None).await?;
        return serve_or(context, connection, claimed, true, || {
            Error::new(ErrorKind::Internal, "")
        })
        .await;
    }
    must_reauthorize(
        context,
        connection,
        claimed,
        owner,
        AccountReason::RefreshTokenMissing,
        None,
    )
    .await
}

/// Marks the account's credential as dead, unless a newer one has come meanwhile.
async fn must_reauthorize(
    context: &Context,
    connection: Connection,
    claimed: Account,
    owner: Uuid,
    reason: AccountReason,
    said: Option<String>,
) -> Result<Arc<Snapshot>> {
    loop {
        let Versioned { row, version, .. } = account_for_refresh(context, claimed.id).await?;
        if row.generation == claimed.generation
            && row.lease.as_ref().is_some_and(|lease| lease.owner == owner)
        {
            let dead = needs_reauthorization(&row, reason, context.now());
            let event = context.account_event("account.needs_reauthorization", &dead);
            if context
                .store
                .commit(Batch::new().update(dead, version).insert(event))
                .await?
                == Commit::Conflict
            {
                continue;
            }
        }
        context
            .snapshots
            .forget(connection.name.as_str(), claimed.identifier.as_str());
        let snapshot = context
            .reload(connection.name.as_str(), claimed.identifier.as_str())
            .await?;
        return match snapshot.usable() {
            Ok(_) => Ok(snapshot),
            Err(error) => Err(match said {
                Some(said) => error.with_context("product_message", said),
                None => error,
            }),
        };
    }
}

/// Gives the lease back, and notes whether the attempt failed.
async fn release(
    context: &Context,
    claimed: &Account,
    owner: Uuid,
    health: Option<AccountHealth>,
) -> Result<()> {
    release_marked(context, claimed, owner, health, false).await
}

/// The same; where the request went out and no answer came, the lease stays behind as one that has run out, so that
/// the next refusal is not blamed on the user.
async fn release_marked(
    context: &Context,
    claimed: &Account,
    owner: Uuid,
    health: Option<AccountHealth>,
    unanswered: bool,
) -> Result<()> {
    loop {
        let Versioned {
            row,
            version,
            read_at,
        } = account_for_refresh(context, claimed.id).await?;
        if row.lease.as_ref().is_none_or(|lease| lease.owner != owner) {
            return Ok(());
        }
        let mut changed = row.clone();
        changed.lease = changed.lease.filter(|_| unanswered).map(|lease| Lease {
            until: read_at,
            ..lease
        });
        changed.updated_at = context.now();
        let mut batch = Batch::new();
        if let Some(health) = health {
            changed.refresh_failures = changed.refresh_failures.saturating_add(1);
            if row.health != health {
                batch = batch.insert(context.account_event("account.refresh_degraded", &changed));
            }
            changed.health = health;
        }
        if context.store.commit(batch.update(changed, version)).await? == Commit::Committed {
            return Ok(());
        }
    }
}

/// Notes that the product refuses the client, unless its credentials were changed since they were sent.
async fn reject_client(context: &Context, used: &Connection) -> Result<()> {
    mark_client(context, used, ConnectionHealth::ClientRejected).await
}

/// Notes that the product takes the client again.
async fn accept_client(context: &Context, used: &Connection) -> Result<()> {
    if used.health == ConnectionHealth::ClientOk {
        Ok(())
    } else {
        mark_client(context, used, ConnectionHealth::ClientOk).await
    }
}

async fn mark_client(context: &Context, used: &Connection, health: ConnectionHealth) -> Result<()> {
    loop {
        let Versioned {
            mut row, version, ..
        } = context.connection_by_id(used.id).await?;
        if row.health == health
            || row.client_id != used.client_id
            || row.client_secret != used.client_secret
        {
            return Ok(());
        }
        row.health = health;
        row.updated_at = context.now();
        let name = match health {
            ConnectionHealth::ClientOk => "connection.credentials_accepted",
            ConnectionHealth::ClientRejected => "connection.credentials_rejected",
        };
        let event = context.new_event(
            name,
            None,
            serde_json::json!({ "connection_name": row.name }),
        );
        if context
            .store
            .commit(Batch::new().update(row, version).insert(event))
            .await?
            == Commit::Committed
        {
            return Ok(());
        }
    }
}

/// Tokens that a refresh inserted after its lease was lost are newer than the current ones: they become current,
/// and nothing is asked of the product.
async fn adopt_salvaged(context: &Context, claimed: &Account, owner: Uuid) -> Result<bool> {
    let salvaged = context
        .store
        .credentials(claimed.id)
        .await?
        .into_iter()
        .map(|credential| credential.row);
    let Some(newest) = salvaged
        .filter(|row| row.held_by.is_none() && row.generation > claimed.generation)
        .max_by_key(|row| row.generation)
    else {
        return Ok(false);
    };
    let Some(tokens) = context.tokens(claimed, newest.generation).await? else {
        return Ok(false);
    };
    let Versioned {
        mut row, version, ..
    } = account_for_refresh(context, claimed.id).await?;
    if row.generation != claimed.generation
        || row.lease.as_ref().is_none_or(|lease| lease.owner != owner)
    {
        return Ok(false);
    }
    row.generation = newest.generation;
    row.token_expires_at = tokens.expires_at();
    row.lease = None;
    row.updated_at = context.now();
    Ok(context
        .store
        .commit(Batch::new().update(row, version))
        .await?
        == Commit::Committed)
}

/// The present tokens while they serve, else the error.
async fn serve_or(
    context: &Context,
    connection: Connection,
    claimed: Account,
    still_serves: bool,
    error: impl FnOnce() -> Error + Send,
) -> Result<Arc<Snapshot>> {
    context
        .snapshots
        .forget(connection.name.as_str(), claimed.identifier.as_str());
    if !still_serves {
        return Err(error());
    }
    let snapshot = context
        .reload(connection.name.as_str(), claimed.identifier.as_str())
        .await?;
    snapshot.usable()?;
    Ok(snapshot)
}

async fn account_for_refresh(context: &Context, id: AccountId) -> Result<Versioned<Account>> {
    let row = context.store.account(id).await?;
    row.ok_or_else(|| {
        Error::new(
            ErrorKind::AccountNotFound,
            "the account was deleted meanwhile",
        )
    })
}

/// What kept a refresh from bringing tokens.
enum Failed {
    Token(TokenFailure),
    Ours(Error),
}

impl From<TokenFailure> for Failed {
    fn from(failure: TokenFailure) -> Self {
        Self::Token(failure)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

enum Claim {
    /// Another process holds the lease.
    Taken,
    /// The row with our lease. `recovering` where a lease ran out before its holder was done.
    Ours { row: Box<Account>, recovering: bool },
}

/// By the store's time, so that processes with different clocks agree.
fn claim(account: &Versioned<Account>, owner: Uuid) -> Claim {
    let row = &account.row;
    let held = row
        .lease
        .as_ref()
        .filter(|lease| lease.generation == row.generation);
    if held.is_some_and(|lease| lease.until > account.read_at) {
        return Claim::Taken;
    }
    let until = account.read_at.checked_add(LEASE).unwrap_or(Timestamp::MAX);
    let lease = Lease {
        owner,
        until,
        generation: row.generation,
    };
    Claim::Ours {
        recovering: held.is_some(),
        row: Box::new(Account {
            lease: Some(lease),
            ..row.clone()
        }),
    }
}

/// After temporary failures the pauses grow from 2 s to 15 min.
fn next_try(account: &Account) -> Option<Timestamp> {
    let failures = account.refresh_failures.min(10);
    if failures == 0 {
        return None;
    }
    let pause = SignedDuration::from_secs((1_i64 << failures).min(900));
    account.updated_at.checked_add(pause).ok()
}

fn may_try(account: &Account, now: Timestamp) -> bool {
    next_try(account).is_none_or(|at| at <= now)
}

fn refresh_unavailable(said: &str, after: Option<SignedDuration>) -> Error {
    let after = after
        .and_then(|after| Duration::try_from(after).ok())
        .unwrap_or(Duration::from_secs(2));
    Error::new(
        ErrorKind::RefreshUnavailable,
        "the access token has ended and the product's token endpoint does not give a new one",
    )
    .with_context("product_message", said)
    .with_retry_after(after)
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
