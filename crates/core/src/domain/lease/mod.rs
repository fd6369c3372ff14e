//! The right to refresh one credential. Only one process at a time sends refresh requests to the product.
//!
//! The lease is committed before the token request, and an expired lease counts as a request that was sent. So there is
//! no second commit to record the sending. For products whose refresh tokens stay the same, this changes nothing.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Account, refresh::RefreshReason};
use crate::product::Rotation;

/// Longer than a token request and its commit, including the time before it that `may_send` allows.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(90);

/// Part of the lease that is reserved for the token request. It's also the time limit of that request.
pub(crate) const REQUEST: Duration = Duration::from_secs(25);
/// Part of the lease that is reserved for the commit after the request.
const COMMIT: Duration = Duration::from_secs(10);

/// Whether a token request can be sent, given the time since the read that the lease was claimed with. The rest of the
/// lease has to be long enough for the request and the commit of its response.
pub(crate) fn may_send(elapsed: Duration) -> bool {
    let lease = Duration::try_from(LEASE).unwrap_or_default();
    elapsed < lease.saturating_sub(REQUEST + COMMIT)
}

/// A temporary right to refresh one credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// The refresh that holds it.
    pub(crate) owner: Uuid,
    /// The process that the refresh runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<Uuid>,
    /// When it expires, by the store's time.
    pub(crate) until: Timestamp,
    /// Generation that is refreshed.
    pub(crate) generation: u64,
}

/// A refresh that claims the lease.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimant<'a> {
    /// The store's time when the account was read. Processes with different clocks agree on it.
    pub(crate) read_at: Timestamp,
    pub(crate) owner: Uuid,
    pub(crate) process: Option<Uuid>,
    pub(crate) reason: RefreshReason,
    /// The product's declared rotation.
    pub(crate) rotation: Rotation,
    /// The connection's client, as a `client_stamp`.
    pub(crate) client: &'a str,
    /// Whether the process of the current holder is known to have ended.
    pub(crate) holder_ended: bool,
}

/// Result of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Claim {
    /// Another refresh holds the lease.
    Taken,
    /// The previous holder hasn't reported a result and may still return with tokens. Wait until this time.
    HoldBack(Timestamp),
    /// Recent attempts failed. Wait until this time.
    BackOff(Timestamp),
    /// A refresh has just got the tokens that the product rejected. Wait until this time. Has the account with a record
    /// of the rejection, if it's new.
    Young {
        until: Timestamp,
        noted: Option<Box<Account>>,
    },
    /// The lease expires later than possible, because the store's clock was set back. Has the account with a lease of
    /// normal length, which still belongs to the other refresh.
    Shortened(Box<Account>),
    /// The account with this refresh's lease. `recovering` means that an earlier request may have been sent with an
    /// unknown result.
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
        // A running refresh is more recent than the record of earlier ones.
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
mod tests;
