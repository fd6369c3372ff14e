//! What becomes of a refresh that brought no tokens.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};

use super::{
    super::{
        client_health::client_used,
        token_endpoint::{NoTokens, TokenFailure},
    },
    Attempt, RefreshReason, current,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Snapshot},
    domain::account::Trigger,
    product::Rotation,
    state::{AccountReason, ConnectionHealth},
};

/// Notes the failure, and serves the present tokens while they last.
pub(super) async fn failed(
    context: &Context,
    attempt: &Attempt,
    none: NoTokens,
) -> Result<Arc<Snapshot>> {
    let still_serves = attempt.reason != RefreshReason::Refused
        && attempt
            .account
            .token_expires_at
            .is_none_or(|end| end > context.now());
    let (failure, said) = match none {
        NoTokens::Failure(failure, said) => (failure, said),
        NoTokens::Error(error) => {
            release(context, attempt, UNUSED).await?;
            return Err(error);
        }
    };
    let is_early = still_serves && attempt.reason == RefreshReason::Early;
    let error = match failure {
        TokenFailure::Rejected if !is_early => {
            let rotation = context
                .endpoints_of(&attempt.connection)?
                .product
                .oauth
                .rotation;
            let lost = attempt.recovering && rotation != Rotation::Stable;
            let reason = if lost {
                AccountReason::RefreshOutcomeLost
            } else {
                AccountReason::RefreshRejected
            };
            return credential_died(context, attempt, reason)
                .await
                .map_err(|error| error.with_context("product_message", said));
        }
        TokenFailure::Client => {
            release(context, attempt, FAILED).await?;
            client_used(
                context,
                &attempt.connection,
                ConnectionHealth::ClientRejected,
            )
            .await?;
            Error::new(
                ErrorKind::ConnectionCredentialsRejected,
                "the product refuses the connection's client id or secret; fix the connection, the users need not act",
            )
            .with_context("product_message", said)
        }
        TokenFailure::Unanswered => {
            release(context, attempt, UNANSWERED).await?;
            refresh_unavailable(&said, None)
        }
        TokenFailure::Rejected | TokenFailure::Temporary | TokenFailure::Misconfigured => {
            release(context, attempt, FAILED).await?;
            refresh_unavailable(&said, None)
        }
    };
    if still_serves {
        current(context, &attempt.of).await
    } else {
        Err(error)
    }
}

/// The access token serves as long as it lasts, and then the user has to act.
pub(super) async fn no_refresh_token(
    context: &Context,
    attempt: &Attempt,
) -> Result<Arc<Snapshot>> {
    match attempt.reason {
        RefreshReason::Early | RefreshReason::Asked => {
            release(context, attempt, UNUSED).await?;
            current(context, &attempt.of).await
        }
        RefreshReason::Due | RefreshReason::Refused => {
            credential_died(context, attempt, AccountReason::RefreshTokenMissing).await
        }
    }
}

/// Marks the account's credential as dead, unless a newer one has come meanwhile.
async fn credential_died(
    context: &Context,
    attempt: &Attempt,
    reason: AccountReason,
) -> Result<Arc<Snapshot>> {
    context
        .change_account("refresh.died", attempt.account.id, |account| {
            if account.row.generation == attempt.account.generation
                && account.row.is_leased_to(attempt.owner)
            {
                account
                    .row
                    .on(Trigger::CredentialDied(reason), context.now())
            } else {
                Ok(None)
            }
        })
        .await?;
    current(context, &attempt.of).await
}

/// How a lease is given back, by the store's time.
type Release = fn(Timestamp) -> Trigger<'static>;

/// No request was sent.
const UNUSED: Release = |_| Trigger::LeaseReleased;
/// The product gave no tokens.
const FAILED: Release = |_| Trigger::RefreshFailed {
    unanswered_at: None,
};
/// No response came, so no one knows what the product did.
const UNANSWERED: Release = |read_at| Trigger::RefreshFailed {
    unanswered_at: Some(read_at),
};

async fn release(context: &Context, attempt: &Attempt, release: Release) -> Result<()> {
    context
        .change_account("refresh.release", attempt.account.id, |account| {
            if !account.row.is_leased_to(attempt.owner) {
                return Ok(None);
            }
            account.row.on(release(account.read_at), context.now())
        })
        .await
        .map(drop)
}

pub(super) fn refresh_unavailable(said: &str, after: Option<SignedDuration>) -> Error {
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
mod tests;
