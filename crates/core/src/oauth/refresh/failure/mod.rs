//! Handles a refresh that returned no tokens.

mod restored;

use std::{sync::Arc, time::Duration};

use super::{
    super::{
        client_health::client_used,
        token_endpoint::{NoTokens, TokenFailure},
    },
    Attempt, RefreshReason, current,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Snapshot, change::Change},
    domain::{
        Account,
        account::{self, Trigger},
        refresh::{AfterRefusal, RefreshFailure, back_off},
    },
    error::Upstream,
    state::{AccountReason, ConnectionHealth},
    store::Versioned,
};

/// How long to keep trying to store a failure after this process starts to shut down.
const PATIENCE: Duration = Duration::from_secs(40);
/// If a database froze during a commit, it may still apply the commit this long after the connection was lost.
const STILL_APPLIED: Duration = Duration::from_secs(2);

/// Records the failure. Returns the current tokens if they still work.
pub(super) async fn failed(
    context: &Context,
    attempt: &Attempt,
    none: NoTokens,
) -> Result<Arc<Snapshot>> {
    let (failure, said, retry_after) = match none {
        NoTokens::Failure(failure, said, retry_after) => (failure, said, retry_after),
        NoTokens::Error(error) => {
            give_back(context, attempt).await?;
            return serving_or(context, attempt, error).await;
        }
    };
    let noted = Noted {
        unanswered: failure == TokenFailure::Unanswered,
        retry_after,
        ..Noted::default()
    };
    let wait = note(context, attempt, noted).await?;
    let error = if failure == TokenFailure::Client {
        client_used(
            context,
            &attempt.connection,
            ConnectionHealth::ClientRejected,
        )
        .await?;
        Error::new(
            ErrorKind::ConnectionCredentialsRejected,
            "the product refuses the connection's client ID or secret; fix the connection, and accounts work again without their users",
        )
        .with_context("product_message", said)
    } else {
        refresh_unavailable(&said, Some(wait))
    };
    serving_or(context, attempt, error).await
}

/// Handles the rejection of every refresh token that could be valid.
pub(super) async fn refused(
    context: &Context,
    attempt: &Attempt,
    after: AfterRefusal,
    said: String,
) -> Result<Arc<Snapshot>> {
    match after {
        AfterRefusal::Noted { since, pause } => {
            let noted = Noted {
                refused: Some((since, pause)),
                ..Noted::default()
            };
            let wait = note(context, attempt, noted).await?;
            serving_or(context, attempt, refresh_unavailable(&said, Some(wait))).await
        }
        AfterRefusal::Dies(reason) => credential_died(context, attempt, reason)
            .await
            .map_err(|error| error.with_context("product_message", said)),
        AfterRefusal::Present(_) => current(context, &attempt.of).await,
    }
}

/// Handles an account without a refresh token. Its access token works until it expires; then the user has to reconnect.
pub(super) async fn no_refresh_token(
    context: &Context,
    attempt: &Attempt,
) -> Result<Arc<Snapshot>> {
    match attempt.reason {
        RefreshReason::Early => {
            give_back(context, attempt).await?;
            current(context, &attempt.of).await
        }
        RefreshReason::Asked => {
            give_back(context, attempt).await?;
            Err(Error::new(
                ErrorKind::InvalidTransition,
                "the product gave this account no refresh token, so it can't be refreshed; its access token works until it expires",
            ))
        }
        RefreshReason::Due | RefreshReason::Refused => {
            credential_died(context, attempt, AccountReason::RefreshTokenMissing).await
        }
    }
}

/// Returns the account if its current tokens still work, and this error otherwise.
async fn serving_or(context: &Context, attempt: &Attempt, error: Error) -> Result<Arc<Snapshot>> {
    let now = attempt.now(context);
    if attempt.account.is_enough(attempt.reason, now) {
        current(context, &attempt.of).await
    } else {
        Err(error)
    }
}

/// Marks the account's credential as dead, unless a newer one has arrived in the meantime.
async fn credential_died(
    context: &Context,
    attempt: &Attempt,
    reason: AccountReason,
) -> Result<Arc<Snapshot>> {
    let reason = restored::reason(context, &attempt.account, reason).await;
    change_leased("refresh.died", context, attempt, PATIENCE, |account| {
        if account.row.generation != attempt.account.generation {
            return Ok(None);
        }
        account
            .row
            .on(Trigger::CredentialDied(reason), context.host.now())
    })
    .await?;
    current(context, &attempt.of).await
}

/// Changes the account if this refresh still holds its lease. Retries until the store commits the change, because an
/// unreleased lease blocks other refreshes. During shutdown, it gives up after `patience`.
async fn change_leased(
    name: &'static str,
    context: &Context,
    attempt: &Attempt,
    patience: Duration,
    decide: impl Fn(&Versioned<Account>) -> account::Transition,
) -> Result<()> {
    let (account, owner) = (attempt.account.id, attempt.owner);
    let offers = &context.offers(account, owner);
    let retry = |failures: u32| async move {
        let goes_on = context.host.tasks.open().is_ok() || offers.lasts() < patience;
        if goes_on {
            offers.pause(failures).await;
        }
        goes_on
    };
    context
        .change_with_retries(
            name,
            || context.existing_account(account),
            |account: Versioned<Account>| {
                let changed = match account.row.is_leased_to(owner) {
                    true => decide(&account)?,
                    false => None,
                };
                // The first failure has an event of its own, `account.refresh_degraded`.
                let again = changed.as_ref().filter(|(next, event)| {
                    event.is_none() && next.refresh_failures > account.row.refresh_failures
                });
                let again = again.map(|(next, _)| next.refresh_event("account.refresh_failed"));
                let change = again.into_iter().fold(Change::none(), Change::event);
                let change = change.account(changed, account.row.state, account.version);
                Ok((change, ()))
            },
            retry,
        )
        .await
}

/// Releases the lease. Only call this if no request was sent, or every request got a response.
pub(super) async fn give_back(context: &Context, attempt: &Attempt) -> Result<()> {
    let release =
        |account: &Versioned<Account>| account.row.on(Trigger::LeaseReleased, context.host.now());
    change_leased("refresh.release", context, attempt, Duration::ZERO, release).await
}

/// Passes an outcome on. If the store failed, the refresh may hold a lease that no one knows of, so this also releases
/// the lease as soon as the store responds. Only use it for a refresh whose requests were not sent yet or got a
/// response.
pub(super) fn give_back_later<T>(
    context: &Context,
    attempt: &Attempt,
    outcome: Result<T>,
) -> Result<T> {
    if let Err(error) = &outcome
        && error.kind() == ErrorKind::StorageUnavailable
    {
        let attempt = attempt.clone();
        context.detach(|context| async move {
            let looked = give_back(&context, &attempt).await;
            if looked.is_ok() && context.host.tasks.open().is_ok() {
                context.host.runtime.sleep(STILL_APPLIED).await;
                drop(give_back(&context, &attempt).await);
            }
        });
    }
    outcome
}

/// The details to record of a failure.
#[derive(Debug, Clone, Copy, Default)]
struct Noted {
    unanswered: bool,
    /// Since when the refresh token is rejected, and the minimum time until the next attempt.
    refused: Option<(jiff::Timestamp, jiff::SignedDuration)>,
    retry_after: Option<Duration>,
}

/// Records a failure, starts the pause that follows it, and releases the lease. Returns the pause.
async fn note(context: &Context, attempt: &Attempt, noted: Noted) -> Result<Duration> {
    let mut jitter = [0; 4];
    context.host.entropy.fill(&mut jitter);
    let jitter = u32::from_be_bytes(jitter);
    let pause = |failures: u32| match noted.refused {
        Some((_, pause)) => pause,
        None => back_off(failures.saturating_add(1), jitter, noted.retry_after),
    };
    change_leased("refresh.failed", context, attempt, PATIENCE, |account| {
        let failed_at = account.read_at;
        let until = failed_at.checked_add(pause(account.row.refresh_failures));
        let failure = RefreshFailure {
            unanswered: noted.unanswered,
            refused_at: noted.refused.map(|(since, _)| since),
            failed_at,
            until: until.unwrap_or(jiff::Timestamp::MAX),
            client: &attempt.client,
        };
        account
            .row
            .on(Trigger::RefreshFailed(&failure), context.host.now())
    })
    .await?;
    Ok(Duration::try_from(pause(attempt.account.refresh_failures)).unwrap_or_default())
}

/// `Retry-After` is at least one second.
pub(super) fn refresh_unavailable(said: &str, after: Option<Duration>) -> Error {
    let after = after.unwrap_or(Duration::from_secs(2));
    Error::new(
        ErrorKind::RefreshUnavailable,
        "the product's token endpoint doesn't return a new access token",
    )
    .with_context("product_message", said)
    .with_retry_after(after.max(Duration::from_secs(1)))
}

pub(super) fn refresh_in_progress(after: Option<Duration>) -> Error {
    let after = after.unwrap_or_default();
    Error::new(
        ErrorKind::RefreshInProgress,
        "another refresh of this account is still running; try again",
    )
    .with_retry_after(after.max(Duration::from_secs(1)))
}

pub(super) fn waits_for_store() -> Error {
    Error::new(
        ErrorKind::StorageUnavailable,
        "this account's new tokens can't be stored right now; Stead tries every second",
    )
    .with_retry_after(Duration::from_secs(1))
}

pub(super) fn token_refused_again() -> Error {
    Error::new(
        ErrorKind::ProductRejectedToken,
        "the product refuses a token that it has just issued; if this continues, the user needs to authorize again",
    )
    .with_upstream(Upstream::new(401))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unavailable_refresh_has_a_retry_after() {
        for (after, expected) in [(None, 2), (Some(7), 7), (Some(0), 1)] {
            let error = refresh_unavailable("busy", after.map(Duration::from_secs));
            assert_eq!(error.kind(), ErrorKind::RefreshUnavailable);
            assert_eq!(error.retry_after(), Some(Duration::from_secs(expected)));
            assert_eq!(error.context()["product_message"], "busy");
        }
    }
}
