//! Refreshing a credential: one flight per account in this process, a lease among processes, and no token lost.
//!
//! The work runs on `Runtime::spawn`: a caller that goes away never cuts it between the product's answer and the commit.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt as _, future::Shared};
use jiff::{SignedDuration, Timestamp};
use oauth2::RefreshToken;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::{
    TokenSet,
    client::{Granted, TokenEndpoint, TokenFailure, oauth_client},
};
use crate::{
    Error, ErrorKind, Result,
    account::{needs_reauthorization, shredded},
    environment::Environment,
    identifier::AccountId,
    ports::BoxFuture,
    product::Rotation,
    resource::{AccountHealth, AccountReason, AccountState, ConnectionHealth},
    snapshot::Snapshot,
    store::{
        AccountRow, AuthorizationState, Batch, Commit, ConnectionRow, CredentialRow, Lease,
        Versioned,
    },
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

type Flight = Shared<BoxFuture<'static, Result<Arc<Snapshot>>>>;

/// The refreshes of this process, one per account.
#[derive(Default)]
pub(crate) struct Flights(Arc<Mutex<HashMap<AccountId, Flight>>>);

/// Takes a flight off the list when its task ends, even by a panic.
struct Landing {
    flights: Arc<Mutex<HashMap<AccountId, Flight>>>,
    account: AccountId,
}

impl Drop for Landing {
    fn drop(&mut self) {
        self.flights
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.account);
    }
}

impl Environment {
    /// A snapshot whose tokens can be sent now.
    pub(crate) async fn live(&self, snapshot: Arc<Snapshot>) -> Result<Arc<Snapshot>> {
        let tokens = snapshot.usable()?;
        let Some(expires_at) = tokens.expires_at() else {
            return Ok(snapshot);
        };
        let left = expires_at.duration_since(self.now());
        if left >= SHORT {
            return Ok(snapshot);
        }
        if left >= TOO_SHORT {
            if tokens.refresh_token().is_some() && may_try(&snapshot.account, self.now()) {
                drop(self.flight(&snapshot, Renewal::Early));
            }
            return Ok(snapshot);
        }
        self.renew(&snapshot, Renewal::Due).await
    }

    /// Renews the credential of a snapshot, together with everybody else in this process who wants that now.
    pub(crate) async fn renew(
        &self,
        snapshot: &Arc<Snapshot>,
        why: Renewal,
    ) -> Result<Arc<Snapshot>> {
        self.flight(snapshot, why).await
    }

    fn flight(&self, snapshot: &Arc<Snapshot>, why: Renewal) -> Flight {
        let account = snapshot.account.id;
        let mut flights = self
            .flights()
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flights.get(&account) {
            return flight.clone();
        }
        // The work begins with a first poll, and not before the lock is given back.
        let (environment, snapshot) = (self.clone(), Arc::clone(snapshot));
        let landing = Landing {
            flights: Arc::clone(&self.flights().0),
            account,
        };
        let work = async move {
            let result = environment.refresh(&snapshot, why).await;
            drop(landing);
            result
        };
        let environment = self.clone();
        let flight: Flight = async move { environment.detached(work).await }
            .boxed()
            .shared();
        flights.insert(account, flight.clone());
        drop(flights);
        // The flight starts now, and not when somebody first waits for it.
        self.runtime().spawn(flight.clone().map(drop).boxed());
        flight
    }

    async fn refresh(&self, seen: &Snapshot, why: Renewal) -> Result<Arc<Snapshot>> {
        let owner = self.new_id();
        let began = self.monotonic();
        let mut pause = Duration::from_millis(50);
        loop {
            let epoch = self.snapshots().epoch(
                seen.connection.name.as_str(),
                seen.account.identifier.as_str(),
            );
            let connection = self.connection_by_id(seen.connection.id).await?.row;
            let account = self.account_for_refresh(seen.account.id).await?;
            if account.row.generation != seen.account.generation
                || account.row.state != AccountState::Active
            {
                // Somebody else has renewed or ended it.
                let snapshot = self
                    .snapshot_of(Arc::new(connection), account.row, epoch)
                    .await?;
                snapshot.usable()?;
                return Ok(snapshot);
            }
            match claim(&account, owner) {
                Claim::Taken if self.monotonic().saturating_sub(began) > PATIENCE => {
                    return Err(Error::new(
                        ErrorKind::RefreshInProgress,
                        "another process is refreshing this account; try again",
                    )
                    .with_retry_after(Duration::from_secs(1)));
                }
                Claim::Taken => {
                    self.runtime().sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_millis(400));
                }
                Claim::Ours { row, recovering } => {
                    if why == Renewal::Due
                        && !may_try(&account.row, self.now())
                        && let Some(until) = next_try(&account.row)
                    {
                        return Err(refresh_unavailable(
                            "the last attempts failed",
                            Some(until.duration_since(self.now())),
                        ));
                    }
                    let claimed = Batch::new().update((*row).clone(), account.version);
                    if self.store().commit(claimed).await? == Commit::Committed
                        && !self.adopt_salvaged(&row, owner).await?
                    {
                        return self.fly(connection, *row, owner, why, recovering).await;
                    }
                }
            }
        }
    }

    /// Holds the lease: asks the product, and keeps what it answers.
    async fn fly(
        &self,
        connection: ConnectionRow,
        account: AccountRow,
        owner: Uuid,
        why: Renewal,
        recovering: bool,
    ) -> Result<Arc<Snapshot>> {
        let tokens = self.tokens(&account, account.generation).await?;
        let Some(refresh_token) = tokens.as_ref().and_then(TokenSet::refresh_token).cloned() else {
            let still_serves = why == Renewal::Early || why == Renewal::Asked;
            return self
                .no_refresh_token(connection, account, owner, still_serves)
                .await;
        };
        let sent_at = self.now();
        match self
            .granted_for_refresh(&connection, &refresh_token, sent_at)
            .await
        {
            Ok(granted) => self.keep(connection, account, granted).await,
            Err(failure) => {
                self.refresh_failed(connection, account, owner, failure, why, recovering)
                    .await
            }
        }
    }

    /// RFC 6749, 6: without `scope`, so that what the user did not grant is not asked for.
    async fn granted_for_refresh(
        &self,
        connection: &ConnectionRow,
        refresh_token: &SecretString,
        sent_at: Timestamp,
    ) -> Result<Granted, Failed> {
        let endpoints = self.endpoints_of(connection)?;
        let client = oauth_client(self, endpoints.product, connection, &endpoints.snapshot())?;
        let token = RefreshToken::new(refresh_token.expose_secret().to_owned());
        let endpoint = TokenEndpoint::new(self, endpoints.product);
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
        &self,
        connection: ConnectionRow,
        claimed: AccountRow,
        granted: Granted,
    ) -> Result<Arc<Snapshot>> {
        let began = self.monotonic();
        let mut pause = Duration::from_millis(50);
        loop {
            match self.try_keep(&claimed, &granted).await {
                Ok(Some(_)) => {
                    self.accept_client(&connection).await?;
                    self.snapshots()
                        .forget(connection.name.as_str(), claimed.identifier.as_str());
                    let snapshot = self
                        .reload(connection.name.as_str(), claimed.identifier.as_str())
                        .await?;
                    snapshot.usable()?;
                    return Ok(snapshot);
                }
                Ok(None) => {}
                Err(error) if error.kind() != ErrorKind::StorageUnavailable => return Err(error),
                Err(error) if self.monotonic().saturating_sub(began) > COMMIT_PATIENCE => {
                    tracing::error!(account = %claimed.id, "a refreshed credential could not be stored; a rotating product's account may need a new authorization");
                    return Err(error);
                }
                Err(_) => {
                    self.runtime().sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(2));
                }
            }
        }
    }

    /// One attempt to commit; `None` on a conflict.
    async fn try_keep(&self, claimed: &AccountRow, granted: &Granted) -> Result<Option<()>> {
        let Versioned {
            row: account,
            version,
            ..
        } = self.account_for_refresh(claimed.id).await?;
        if account.state == AccountState::Disconnected {
            // Disconnecting wins. The user's grant was or is being revoked as the application asked.
            return Ok(Some(()));
        }
        if account.generation != claimed.generation && self.is_replaced(claimed).await? {
            return Ok(Some(()));
        }
        let generation = account.last_generation + 1;
        let credential = CredentialRow {
            account_id: account.id,
            generation,
            sealed: Some(granted.tokens.seal(self.vault(), &account, generation)?),
            held_by: None,
            created_at: self.now(),
        };
        let mut batch = Batch::new().insert(credential);
        let mut row = account.clone();
        row.last_generation = generation;
        row.updated_at = self.now();
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
                batch = batch.insert(self.account_event("account.recovered", &row));
            }
            for older in self.store().credentials(account.id).await? {
                if older.row.generation != account.generation && !self.waits(&older.row).await? {
                    batch = batch.update(shredded(&older.row), older.version);
                }
            }
        }
        Ok(
            (self.store().commit(batch.update(row, version)).await? == Commit::Committed)
                .then_some(()),
        )
    }

    /// Whether the user has authorized anew, or was disconnected, since these tokens were sent for.
    async fn is_replaced(&self, claimed: &AccountRow) -> Result<bool> {
        let credential = self
            .store()
            .credential(claimed.id, claimed.generation)
            .await?;
        Ok(credential.is_none_or(|credential| {
            credential.row.sealed.is_none() || credential.row.held_by.is_some()
        }))
    }

    /// Whether a credential waits to be confirmed.
    async fn waits(&self, credential: &CredentialRow) -> Result<bool> {
        let Some(holder) = credential.held_by else {
            return Ok(false);
        };
        let authorization = self.store().authorization(holder).await?;
        Ok(authorization
            .is_some_and(|authorization| authorization.row.state == AuthorizationState::Verifying))
    }

    async fn refresh_failed(
        &self,
        connection: ConnectionRow,
        claimed: AccountRow,
        owner: Uuid,
        failure: Failed,
        why: Renewal,
        recovering: bool,
    ) -> Result<Arc<Snapshot>> {
        let still_serves = why != Renewal::Refused
            && claimed
                .token_expires_at
                .is_none_or(|end| end.duration_since(self.now()) > SignedDuration::ZERO);
        match failure {
            Failed::Token(TokenFailure::Rejected(said))
                if !(still_serves && why == Renewal::Early) =>
            {
                let rotation = self.endpoints_of(&connection)?.product.oauth.rotation;
                let lost = recovering && rotation != Rotation::Stable;
                let reason = if lost {
                    AccountReason::RefreshOutcomeLost
                } else {
                    AccountReason::RefreshRejected
                };
                self.must_reauthorize(connection, claimed, owner, reason, Some(said))
                    .await
            }
            Failed::Token(TokenFailure::Client(said)) => {
                self.release(&claimed, owner, Some(AccountHealth::Degraded))
                    .await?;
                self.reject_client(&connection).await?;
                self.serve_or(connection, claimed, still_serves, || {
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
                self.release_marked(&claimed, owner, Some(AccountHealth::Degraded), unanswered)
                    .await?;
                self.serve_or(connection, claimed, still_serves, || {
                    refresh_unavailable(&said, None)
                })
                .await
            }
            Failed::Ours(error) => {
                self.release(&claimed, owner, None).await?;
                Err(error)
            }
        }
    }

    async fn no_refresh_token(
        &self,
        connection: ConnectionRow,
        claimed: AccountRow,
        owner: Uuid,
        still_serves: bool,
    ) -> Result<Arc<Snapshot>> {
        if still_serves {
            self.release(&claimed, owner, None).await?;
            return self
                .serve_or(connection, claimed, true, || {
                    Error::new(ErrorKind::Internal, "")
                })
                .await;
        }
        self.must_reauthorize(
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
        &self,
        connection: ConnectionRow,
        claimed: AccountRow,
        owner: Uuid,
        reason: AccountReason,
        said: Option<String>,
    ) -> Result<Arc<Snapshot>> {
        loop {
            let Versioned { row, version, .. } = self.account_for_refresh(claimed.id).await?;
            if row.generation == claimed.generation
                && row.lease.as_ref().is_some_and(|lease| lease.owner == owner)
            {
                let dead = needs_reauthorization(&row, reason, self.now());
                let event = self.account_event("account.needs_reauthorization", &dead);
                if self
                    .store()
                    .commit(Batch::new().update(dead, version).insert(event))
                    .await?
                    == Commit::Conflict
                {
                    continue;
                }
            }
            self.snapshots()
                .forget(connection.name.as_str(), claimed.identifier.as_str());
            let snapshot = self
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
        &self,
        claimed: &AccountRow,
        owner: Uuid,
        health: Option<AccountHealth>,
    ) -> Result<()> {
        self.release_marked(claimed, owner, health, false).await
    }

    /// The same; where the request went out and no answer came, the lease stays behind as one that has run out, so that
    /// the next refusal is not blamed on the user.
    async fn release_marked(
        &self,
        claimed: &AccountRow,
        owner: Uuid,
        health: Option<AccountHealth>,
        unanswered: bool,
    ) -> Result<()> {
        loop {
            let Versioned {
                row,
                version,
                read_at,
            } = self.account_for_refresh(claimed.id).await?;
            if row.lease.as_ref().is_none_or(|lease| lease.owner != owner) {
                return Ok(());
            }
            let mut changed = row.clone();
            changed.lease = changed.lease.filter(|_| unanswered).map(|lease| Lease {
                until: read_at,
                ..lease
            });
            changed.updated_at = self.now();
            let mut batch = Batch::new();
            if let Some(health) = health {
                changed.refresh_failures = changed.refresh_failures.saturating_add(1);
                if row.health != health {
                    batch = batch.insert(self.account_event("account.refresh_degraded", &changed));
                }
                changed.health = health;
            }
            if self.store().commit(batch.update(changed, version)).await? == Commit::Committed {
                return Ok(());
            }
        }
    }

    /// Notes that the product refuses the client, unless its credentials were changed since they were sent.
    async fn reject_client(&self, used: &ConnectionRow) -> Result<()> {
        self.mark_client(used, ConnectionHealth::ClientRejected)
            .await
    }

    /// Notes that the product takes the client again.
    async fn accept_client(&self, used: &ConnectionRow) -> Result<()> {
        if used.health == ConnectionHealth::ClientOk {
            Ok(())
        } else {
            self.mark_client(used, ConnectionHealth::ClientOk).await
        }
    }

    async fn mark_client(&self, used: &ConnectionRow, health: ConnectionHealth) -> Result<()> {
        loop {
            let Versioned {
                mut row, version, ..
            } = self.connection_by_id(used.id).await?;
            if row.health == health
                || row.client_id != used.client_id
                || row.client_secret != used.client_secret
            {
                return Ok(());
            }
            row.health = health;
            row.updated_at = self.now();
            let name = match health {
                ConnectionHealth::ClientOk => "connection.credentials_accepted",
                ConnectionHealth::ClientRejected => "connection.credentials_rejected",
            };
            let event = self.new_event(
                name,
                None,
                serde_json::json!({ "connection_name": row.name }),
            );
            if self
                .store()
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
    async fn adopt_salvaged(&self, claimed: &AccountRow, owner: Uuid) -> Result<bool> {
        let salvaged = self
            .store()
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
        let Some(tokens) = self.tokens(claimed, newest.generation).await? else {
            return Ok(false);
        };
        let Versioned {
            mut row, version, ..
        } = self.account_for_refresh(claimed.id).await?;
        if row.generation != claimed.generation
            || row.lease.as_ref().is_none_or(|lease| lease.owner != owner)
        {
            return Ok(false);
        }
        row.generation = newest.generation;
        row.token_expires_at = tokens.expires_at();
        row.lease = None;
        row.updated_at = self.now();
        Ok(self
            .store()
            .commit(Batch::new().update(row, version))
            .await?
            == Commit::Committed)
    }

    /// The present tokens while they serve, else the error.
    async fn serve_or(
        &self,
        connection: ConnectionRow,
        claimed: AccountRow,
        still_serves: bool,
        error: impl FnOnce() -> Error + Send,
    ) -> Result<Arc<Snapshot>> {
        self.snapshots()
            .forget(connection.name.as_str(), claimed.identifier.as_str());
        if !still_serves {
            return Err(error());
        }
        let snapshot = self
            .reload(connection.name.as_str(), claimed.identifier.as_str())
            .await?;
        snapshot.usable()?;
        Ok(snapshot)
    }

    async fn account_for_refresh(&self, id: AccountId) -> Result<Versioned<AccountRow>> {
        let row = self.store().account(id).await?;
        row.ok_or_else(|| {
            Error::new(
                ErrorKind::AccountNotFound,
                "the account was deleted meanwhile",
            )
        })
    }
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
    Ours {
        row: Box<AccountRow>,
        recovering: bool,
    },
}

/// By the store's time, so that processes with different clocks agree.
fn claim(account: &Versioned<AccountRow>, owner: Uuid) -> Claim {
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
        row: Box::new(AccountRow {
            lease: Some(lease),
            ..row.clone()
        }),
    }
}

/// After temporary failures the pauses grow from 2 s to 15 min.
fn next_try(account: &AccountRow) -> Option<Timestamp> {
    let failures = account.refresh_failures.min(10);
    if failures == 0 {
        return None;
    }
    let pause = SignedDuration::from_secs((1_i64 << failures).min(900));
    account.updated_at.checked_add(pause).ok()
}

fn may_try(account: &AccountRow, now: Timestamp) -> bool {
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
