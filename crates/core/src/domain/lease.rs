//! The right to refresh one credential, so that one process at a time asks the product.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Account, refresh::RefreshReason};
use crate::product::Rotation;

/// Longer than a token request with the commit after it, and with the time before it that `may_send` allows.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(90);

/// What is kept free of the lease for the token request, whose time limit this is.
pub(crate) const REQUEST: Duration = Duration::from_secs(25);
/// What is kept free of the lease for the commit after it.
const COMMIT: Duration = Duration::from_secs(10);

/// Whether a token request may leave now: `elapsed` since the reading on which the lease was claimed. What is left of
/// the lease holds the request and the commit of its response.
pub(crate) fn may_send(elapsed: Duration) -> bool {
    let lease = Duration::try_from(LEASE).unwrap_or_default();
    elapsed < lease.saturating_sub(REQUEST + COMMIT)
}

/// A right to refresh one credential, for a while.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// The refresh that holds it.
    pub(crate) owner: Uuid,
    /// The process that it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<Uuid>,
    /// Until when, by the store's time.
    pub(crate) until: Timestamp,
    /// Generation that is being refreshed.
    pub(crate) generation: u64,
}

/// A refresh that wants the lease.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimant<'a> {
    /// The store's time at which the account was read, so that processes with different clocks agree.
    pub(crate) read_at: Timestamp,
    pub(crate) owner: Uuid,
    pub(crate) process: Option<Uuid>,
    pub(crate) reason: RefreshReason,
    /// What happens to the product's refresh tokens, by its table.
    pub(crate) rotation: Rotation,
    /// The connection's client, as `client_stamp` says it.
    pub(crate) client: &'a str,
    /// The process of the present holder is known to have ended.
    pub(crate) holder_ended: bool,
}

/// What a refresh that wants the lease finds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Claim {
    /// Another refresh holds it.
    Taken,
    /// Its holder never said how it went, and may still come back with tokens: wait until then.
    HoldBack(Timestamp),
    /// The last attempts failed: not before then.
    BackOff(Timestamp),
    /// A refresh has just brought the tokens that the product refused: not before then. The account with a note of it,
    /// where there is none yet.
    Young {
        until: Timestamp,
        noted: Option<Box<Account>>,
    },
    /// It ends later than any lease can, because the store's clock was set back. The account with a lease that ends as
    /// one that begins now; it is still another's.
    Shortened(Box<Account>),
    /// The account with our lease. `recovering` where a request may have been sent before, and no one knows how it ended.
    Ours {
        account: Box<Account>,
        recovering: bool,
    },
}

impl Account {
    /// Claims the lease.
    pub(crate) fn claim(&self, claimant: &Claimant<'_>) -> Claim {
        let Claimant {
            read_at, reason, ..
        } = *claimant;
        let latest = read_at.checked_add(LEASE).unwrap_or(Timestamp::MAX);
        let held = self
            .lease
            .as_ref()
            .filter(|lease| lease.generation == self.generation && lease.owner != claimant.owner);
        let unfinished = held.filter(|_| !claimant.holder_ended);
        // A refresh that is under way says more than what is known of those before it.
        if let Some(lease) = unfinished {
            if lease.until > latest {
                let lease = Lease {
                    until: latest,
                    ..lease.clone()
                };
                return Claim::Shortened(Box::new(Self {
                    lease: Some(lease),
                    ..self.clone()
                }));
            }
            if lease.until > read_at {
                return Claim::Taken;
            }
        }
        if let Some(until) = self.backs_off(reason, claimant.client, read_at) {
            return Claim::BackOff(until);
        }
        if reason == RefreshReason::Refused
            && let Some(until) = self.is_young(read_at)
        {
            let noted = self.with_refused_token(read_at).map(Box::new);
            return Claim::Young { until, noted };
        }
        if let Some(lease) = unfinished
            && self.rotation(claimant.rotation) != Rotation::Stable
            && let Some(until) = self.holds_back(lease.until, reason, read_at)
        {
            return Claim::HoldBack(until);
        }
        let recovering = held.is_some() || self.refresh.refresh_unanswered;
        let lease = Lease {
            owner: claimant.owner,
            process: claimant.process,
            until: latest,
            generation: self.generation,
        };
        let mut account = Self {
            lease: Some(lease),
            ..self.clone()
        };
        account.refresh.refresh_unanswered = recovering;
        account.refresh.token_refusals = self.refusals(reason, read_at);
        Claim::Ours {
            account: Box::new(account),
            recovering,
        }
    }

    /// Whether this refresh still holds the lease.
    pub(crate) fn is_leased_to(&self, owner: Uuid) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.owner == owner)
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
