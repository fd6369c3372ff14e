//! The right to refresh one credential, so that one process at a time asks the product.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Account;

/// Longer than a token request with the commit after it.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(60);

/// A right to refresh one credential, for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// The refresh that holds it.
    pub(crate) owner: Uuid,
    /// Until when, by the store's time.
    pub(crate) until: Timestamp,
    /// Generation that is being refreshed.
    pub(crate) generation: u64,
}

/// What a refresh that wants the lease finds.
#[derive(Debug)]
pub(crate) enum Claim {
    /// Another process holds it.
    Taken,
    /// The account with our lease. `recovering` where a lease ended before its holder was done.
    Ours {
        account: Box<Account>,
        recovering: bool,
    },
}

impl Account {
    /// Claims the lease, by the store's time at which the account was read, so that processes with different clocks agree.
    pub(crate) fn claim(&self, read_at: Timestamp, owner: Uuid) -> Claim {
        let of_current = self
            .lease
            .as_ref()
            .filter(|lease| lease.generation == self.generation);
        if of_current.is_some_and(|lease| lease.until > read_at) {
            return Claim::Taken;
        }
        let lease = Lease {
            owner,
            until: read_at.checked_add(LEASE).unwrap_or(Timestamp::MAX),
            generation: self.generation,
        };
        Claim::Ours {
            recovering: of_current.is_some(),
            account: Box::new(Self {
                lease: Some(lease),
                ..self.clone()
            }),
        }
    }

    /// Whether this refresh still holds the lease.
    pub(crate) fn is_leased_to(&self, owner: Uuid) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.owner == owner)
    }

    /// When a refresh may be tried next: after temporary failures the pauses grow from 2 s to 15 min.
    pub(crate) fn next_refresh(&self) -> Option<Timestamp> {
        let failures = self.refresh_failures.min(10);
        if failures == 0 {
            return None;
        }
        let pause = SignedDuration::from_secs((1_i64 << failures).min(900));
        self.updated_at.checked_add(pause).ok()
    }

    pub(crate) fn may_refresh(&self, now: Timestamp) -> bool {
        self.next_refresh().is_none_or(|at| at <= now)
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
