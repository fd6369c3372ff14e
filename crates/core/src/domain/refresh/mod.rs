//! Rules for refreshing an account's tokens: when a refresh can start and send a request, which tokens Stead keeps, and
//! how it handles a rejected refresh token. All decisions depend only on rows and the store's time.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Account, Connection, Credential};
use crate::{
    digest::Digest,
    product::Rotation,
    state::{AccountHealth, AccountReason, AccountState},
};

/// After a lease has expired, a refresh waits this long for its holder, which may only have been frozen.
const THAW: SignedDuration = SignedDuration::from_secs(30);
/// A product has to reject a stable refresh token twice, this far apart, before the account needs a new authorization.
/// Some token endpoints have rejected a valid token once. A token that rotates isn't sent again, because that can end
/// the grant.
const CONFIRMATION: SignedDuration = SignedDuration::from_secs(10);
/// If the refresh token was rejected but the access token still works, a refresh that isn't urgent retries after this
/// time.
const NOT_URGENT: SignedDuration = SignedDuration::from_secs(60);
/// For this long after a refresh, a rejection by the product's API doesn't cause another refresh. Each further
/// rejection doubles the time, up to `LONGEST_YOUNG`. Such rejections never end the account: the refresh has proved
/// that the grant works, and the cause can be an outage or a path that the caller chose.
const YOUNG: SignedDuration = SignedDuration::from_secs(60);
const LONGEST_YOUNG: SignedDuration = SignedDuration::from_hours(1);
/// How long before a user needs to authorize again Stead sends an event.
const ANNOUNCED: SignedDuration = SignedDuration::from_hours(3 * 24);
/// Longest pause that Stead accepts from a product.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// Why a credential is refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RefreshReason {
    /// It expires soon or was unused for long, but still works.
    Early,
    /// It has expired, or is about to.
    Due,
    /// The product rejected it.
    Refused,
    /// The application requested it.
    Asked,
}

/// State of an account's refreshes, as part of the account's stored body. All times are the store's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RefreshState {
    /// The generation with which the current grant began. 0 if unknown.
    pub(crate) grant: u64,
    /// When the request for the current tokens was sent. `None` if an authorization issued them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_sent_at: Option<Timestamp>,
    /// Whether a request with the current refresh token may have been sent without its response being read. Reset when
    /// a refresh succeeds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) refresh_unanswered: bool,
    /// When the token endpoint first rejected the refresh token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_refused_at: Option<Timestamp>,
    /// When the last refresh failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_failed_at: Option<Timestamp>,
    /// Earliest time for the next refresh after the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_after: Option<Timestamp>,
    /// The client that failed, as a [`client_stamp`]. A different client doesn't need to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_client: Option<String>,
    /// Whether the product's API rejected the current access token soon after a refresh.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) token_refused: bool,
    /// How many previous access tokens in a row it rejected in the same way.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) token_refusals: u32,
    /// Whether a refresh has ever returned a different refresh token, regardless of the product's declared rotation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) rotates: bool,
    /// When the user needs to authorize again, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reauthorize_by: Option<Timestamp>,
    /// Whether an event has announced that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reauthorization_announced: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Digest of a connection's client that can be stored. A changed secret counts as a different client.
pub(crate) fn client_stamp(connection: &Connection) -> String {
    let secret = connection.client_secret.as_ref();
    let secret = secret.map(|sealed| format!("{:x?}", sealed.as_bytes()));
    let text = format!("{:?} {secret:?}", connection.client_id);
    Digest::of(&text).as_str()[..16].to_owned()
}

/// Pause after this number of failures in a row. It's random, from 1 s up to a limit of 2 s, 4 s, … 15 min; `jitter`
/// selects it, from 0 to `u32::MAX`. It's never shorter than the product requests.
pub(crate) fn back_off(
    failures: u32,
    jitter: u32,
    retry_after: Option<Duration>,
) -> SignedDuration {
    let longest = (1_000_u64 << failures.min(10)).min(900_000);
    let pause = longest * u64::from(jitter) / u64::from(u32::MAX);
    let pause = Duration::from_millis(pause.max(1_000));
    let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
    SignedDuration::try_from(pause.max(asked)).unwrap_or(SignedDuration::MAX)
}

/// Tokens from a refresh.
#[derive(Debug, Clone)]
pub(crate) struct Refreshed {
    /// The refresh that got them.
    pub(crate) owner: Uuid,
    /// The account's grant and current generation when the refresh claimed the lease.
    pub(crate) grant: u64,
    pub(crate) claimed: u64,
    /// Generation to store them under. It's higher than all previous ones.
    pub(crate) generation: u64,
    /// When the request was sent.
    pub(crate) sent_at: Timestamp,
    pub(crate) token_expires_at: Option<Timestamp>,
    /// When the user needs to authorize again, if the response says so.
    pub(crate) reauthorize_by: Option<Timestamp>,
    /// Scopes, if the response has them.
    pub(crate) scopes: Option<Vec<String>>,
    /// The product's declared rotation.
    pub(crate) rotation: Rotation,
    /// Whether the response had a different refresh token than the request.
    pub(crate) rotated: bool,
}

/// How to handle new tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// They become the current ones.
    Current,
    /// Store them in addition to the current ones.
    Aside,
    /// They are already stored.
    Already,
    /// Discard them: the account was disconnected, or has a newer grant.
    Not,
}

/// A refresh that temporarily failed.
#[derive(Debug, Clone)]
pub(crate) struct RefreshFailure<'a> {
    /// Whether the request was sent but no response was read.
    pub(crate) unanswered: bool,
    /// When the token endpoint first rejected the refresh token, if it does.
    pub(crate) refused_at: Option<Timestamp>,
    pub(crate) failed_at: Timestamp,
    /// Earliest time for the next refresh.
    pub(crate) until: Timestamp,
    /// The client that was used.
    pub(crate) client: &'a str,
}

/// A credential of the account's client that still has its tokens and isn't pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LiveGeneration {
    pub(crate) generation: u64,
    /// When the request for it was sent, if it's from a refresh.
    pub(crate) sent_at: Option<Timestamp>,
}

impl LiveGeneration {
    pub(crate) fn of(credential: &Credential, account: &Account) -> Option<Self> {
        let is_live = credential.sealed.is_some()
            && credential.pending_for.is_none()
            && credential.client_epoch == account.client_epoch;
        is_live.then_some(Self {
            generation: credential.generation,
            sent_at: credential.sent_at,
        })
    }

    fn age(self) -> (Option<Timestamp>, u64) {
        (self.sent_at, self.generation)
    }
}

/// A refresh token that the token endpoint rejected with `invalid_grant`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal<'a> {
    /// The store's time.
    pub(crate) read_at: Timestamp,
    pub(crate) reason: RefreshReason,
    /// The product's declared rotation.
    pub(crate) rotation: Rotation,
    pub(crate) live: &'a [LiveGeneration],
    /// Generations whose refresh tokens this refresh has already sent.
    pub(crate) tried: &'a [u64],
}

/// How to continue after a rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRefusal {
    /// Try this generation next, because its refresh token may still be valid.
    Present(u64),
    /// Record it as a temporary failure, with the time of the first rejection and the minimum pause before the next
    /// refresh.
    Noted {
        since: Timestamp,
        pause: SignedDuration,
    },
    /// The credential doesn't work any more.
    Dies(AccountReason),
}

impl Account {
    /// How the product rotates the account's refresh tokens. An observed rotation overrides a product that declares
    /// none.
    pub(crate) fn rotation(&self, product: Rotation) -> Rotation {
        match product {
            Rotation::Stable if self.refresh.rotates => Rotation::Strict,
            known => known,
        }
    }

    /// Whether the access token still works, given this reason for a refresh.
    pub(crate) fn still_serves(&self, reason: RefreshReason, now: Timestamp) -> bool {
        reason != RefreshReason::Refused && self.token_expires_at.is_none_or(|end| end > now)
    }

    /// Whether the current access token makes the refresh unnecessary. An application that requests a new one wants to
    /// know if the refresh failed.
    pub(crate) fn is_enough(&self, reason: RefreshReason, now: Timestamp) -> bool {
        reason != RefreshReason::Asked && self.still_serves(reason, now)
    }

    /// Until when a refresh with this reason and client needs to wait after failures.
    pub(crate) fn backs_off(
        &self,
        reason: RefreshReason,
        client: &str,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let same_client = self.refresh.refresh_client.as_deref() == Some(client);
        // If the store's clock was set back, the remaining pause is unknown, so the refresh doesn't wait.
        let is_past = self.refresh.refresh_failed_at.is_some_and(|at| at <= now);
        let obeys = same_client && is_past && reason != RefreshReason::Asked;
        self.refresh
            .refresh_after
            .filter(|until| obeys && *until > now)
    }

    /// Until when a rejection of the current access token doesn't cause a refresh, because it's new. The first such
    /// rejection causes one immediately, since the user may have revoked the grant.
    pub(crate) fn is_young(&self, now: Timestamp) -> Option<Timestamp> {
        if self.refresh.token_refusals == 0 && !self.refresh.token_refused {
            return None;
        }
        let sent_at = self.refresh.token_sent_at?;
        let until = sent_at.checked_add(self.youth()).ok()?;
        (sent_at <= now && now < until).then_some(until)
    }

    fn youth(&self) -> SignedDuration {
        (YOUNG * (1 << self.refresh.token_refusals.min(6))).min(LONGEST_YOUNG)
    }

    /// The account with a record that the product's API rejected its new access token. `None` if already recorded.
    pub(super) fn with_refused_token(&self, now: Timestamp) -> Option<Self> {
        let sent_at = self.refresh.token_sent_at?;
        let is_new = now.duration_since(sent_at) < YOUNG && !self.refresh.token_refused;
        is_new.then(|| {
            let mut next = self.clone();
            next.refresh.token_refused = true;
            next
        })
    }

    /// How many new access tokens in a row the product's API has rejected when a refresh with this reason starts. A
    /// rejection of an older token doesn't count.
    pub(super) fn refusals(&self, reason: RefreshReason, now: Timestamp) -> u32 {
        let is_new = |sent_at: Timestamp| sent_at <= now && now.duration_since(sent_at) < YOUNG;
        let refused_now =
            reason == RefreshReason::Refused && self.refresh.token_sent_at.is_some_and(is_new);
        match (self.refresh.token_refused || refused_now, reason) {
            (false, _) => 0,
            (true, RefreshReason::Refused) => self.refresh.token_refusals.saturating_add(1),
            (true, _) => self.refresh.token_refusals,
        }
    }

    /// Until when a refresh waits for the holder of an expired lease: as long as the holder may be frozen, and as long
    /// as the access token works. If tokens rotate, the holder may have the only valid one.
    pub(super) fn holds_back(
        &self,
        ended: Timestamp,
        reason: RefreshReason,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let thawed = ended.checked_add(THAW).unwrap_or(Timestamp::MAX);
        let serves_until = self
            .still_serves(reason, now)
            .then_some(self.token_expires_at.unwrap_or(Timestamp::MAX));
        let until = thawed.max(serves_until.unwrap_or(Timestamp::MIN));
        (until > now).then_some(until)
    }

    /// Whether the account needs a new authorization because a refresh failed.
    fn is_dead_by_refresh(&self) -> bool {
        let needs = Some(AccountState::NeedsReauthorization);
        let dead = [Some(self.state), self.suspended_from].contains(&needs);
        dead && matches!(
            self.reason,
            Some(AccountReason::RefreshRejected | AccountReason::RefreshOutcomeLost)
        )
    }

    /// Decides what to do with new tokens.
    pub(crate) fn keeps(&self, refreshed: &Refreshed) -> Keep {
        let ended = self.state == AccountState::Disconnected || self.generation == 0;
        if ended || self.refresh.grant != refreshed.grant {
            Keep::Not
        } else if self.generation == refreshed.claimed {
            Keep::Current
        } else if self.refresh.token_sent_at == Some(refreshed.sent_at) {
            Keep::Already
        } else if self.is_dead_by_refresh() {
            // All earlier tokens are invalid, so these are better.
            Keep::Current
        } else {
            Keep::Aside
        }
    }

    /// The account with new tokens, and its event. If another refresh holds the lease by now, these tokens have
    /// replaced the one that it sends.
    pub(super) fn with_refreshed(&self, refreshed: &Refreshed) -> (Self, Option<&'static str>) {
        let mut next = self.clone();
        next.last_generation = refreshed.generation;
        next.refresh.rotates |= refreshed.rotated;
        if self.keeps(refreshed) != Keep::Current {
            return (next, None);
        }
        let revived = self.is_dead_by_refresh();
        // Another refresh may have sent the old token again, which can revoke its successors too.
        let rotation = next.rotation(refreshed.rotation);
        let overtaken = rotation != Rotation::Stable && !self.is_leased_to(refreshed.owner);
        let doubtful = revived && rotation == Rotation::Strict;
        if revived {
            match self.state {
                AccountState::Suspended => next.suspended_from = Some(AccountState::Active),
                _ => next.state = AccountState::Active,
            }
            next.reason = None;
        }
        next.generation = refreshed.generation;
        next.token_expires_at = refreshed.token_expires_at;
        next.health = match doubtful {
            true => AccountHealth::Degraded,
            false => AccountHealth::Ok,
        };
        next.refresh_failures = 0;
        next.lease = None;
        next.refresh = RefreshState {
            grant: self.refresh.grant,
            token_sent_at: Some(refreshed.sent_at),
            refresh_unanswered: overtaken,
            token_refusals: self.refresh.token_refusals,
            rotates: next.refresh.rotates,
            // A new refresh token has its own expiry.
            reauthorize_by: refreshed
                .reauthorize_by
                .or(self.refresh.reauthorize_by.filter(|_| !refreshed.rotated)),
            ..RefreshState::default()
        };
        let is_due = next.is_due_for_reauthorization(refreshed.sent_at);
        next.refresh.reauthorization_announced = is_due;
        if let Some(scopes) = &refreshed.scopes {
            next.missing_scopes
                .extend(self.granted_scopes.iter().cloned());
            next.missing_scopes.retain(|scope| !scopes.contains(scope));
            next.missing_scopes.sort();
            next.missing_scopes.dedup();
            next.granted_scopes.clone_from(scopes);
        }
        let recovered = revived || self.health == AccountHealth::Degraded;
        let announces = is_due && !self.refresh.reauthorization_announced;
        let event = match (recovered, announces) {
            (true, _) => {
                // One event per change: the next refresh announces it.
                next.refresh.reauthorization_announced &= !announces;
                Some("account.recovered")
            }
            (false, true) => Some("account.reauthorization_due"),
            (false, false) => None,
        };
        (next, event)
    }

    /// Whether the user needs to authorize again within days.
    fn is_due_for_reauthorization(&self, now: Timestamp) -> bool {
        let by = self.refresh.reauthorize_by;
        by.is_some_and(|by| by.duration_since(now) <= ANNOUNCED)
    }

    /// The account after a failed refresh.
    pub(super) fn with_failed(&self, failed: &RefreshFailure<'_>) -> (Self, Option<&'static str>) {
        let refresh = RefreshState {
            refresh_unanswered: self.refresh.refresh_unanswered || failed.unanswered,
            refresh_refused_at: failed.refused_at.or(self.refresh.refresh_refused_at),
            refresh_failed_at: Some(failed.failed_at),
            refresh_after: Some(failed.until),
            refresh_client: Some(failed.client.to_owned()),
            ..self.refresh.clone()
        };
        let next = Self {
            lease: None,
            refresh_failures: self.refresh_failures.saturating_add(1),
            health: AccountHealth::Degraded,
            refresh,
            ..self.clone()
        };
        let first = self.health != AccountHealth::Degraded;
        (next, first.then_some("account.refresh_degraded"))
    }

    /// The generation to switch to before sending a refresh token. If tokens rotate, that's the one requested last. A
    /// stable token doesn't need this.
    pub(crate) fn adoptable(&self, product: Rotation, live: &[LiveGeneration]) -> Option<u64> {
        if self.rotation(product) == Rotation::Stable {
            return None;
        }
        let newest = live.iter().max_by_key(|one| one.age())?;
        let is_newer =
            newest.sent_at > self.refresh.token_sent_at && newest.generation != self.generation;
        is_newer.then_some(newest.generation)
    }

    /// Time to record for a request that is sent now. It's always later than that of the current tokens, even if the
    /// store's clock was set back, because the latest request counts as the newest.
    pub(crate) fn sends_at(&self, now: Timestamp) -> Timestamp {
        let after = |sent: Timestamp| sent.checked_add(SignedDuration::from_nanos(1)).ok();
        let later = self.refresh.token_sent_at.and_then(after);
        later.map_or(now, |later| later.max(now))
    }

    /// Whether another grant, newer tokens or another refresh has replaced this refresh since it `claimed` the account.
    /// It must then not send the current refresh token.
    pub(crate) fn is_overtaken(&self, claimed: &Self, owner: Uuid) -> bool {
        self.generation != claimed.generation || !self.is_leased_to(owner)
    }

    /// Decides how to continue after the token endpoint has rejected a refresh token.
    pub(crate) fn after_refusal(&self, refusal: Refusal<'_>) -> AfterRefusal {
        let untried = refusal
            .live
            .iter()
            .filter(|one| !refusal.tried.contains(&one.generation))
            .max_by_key(|one| one.age());
        if let Some(next) = untried {
            return AfterRefusal::Present(next.generation);
        }
        let now = refusal.read_at;
        let since = self.refresh.refresh_refused_at.filter(|at| *at <= now);
        let noted = |pause| AfterRefusal::Noted {
            since: since.unwrap_or(now),
            pause,
        };
        let lightly = matches!(refusal.reason, RefreshReason::Early | RefreshReason::Asked);
        if lightly && self.still_serves(refusal.reason, now) {
            // The pause never outlasts the access token. After that, a rejection is final and the user is told.
            let end = self.token_expires_at.unwrap_or(Timestamp::MAX);
            let pause = since.map_or(CONFIRMATION, |_| NOT_URGENT);
            return noted(pause.min(end.duration_since(now)));
        }
        if self.rotation(refusal.rotation) == Rotation::Stable {
            return match since {
                // The product's API has rejected the access token as well.
                _ if refusal.reason == RefreshReason::Refused => {
                    AfterRefusal::Dies(AccountReason::RefreshRejected)
                }
                Some(at) if now.duration_since(at) >= CONFIRMATION => {
                    AfterRefusal::Dies(AccountReason::RefreshRejected)
                }
                _ => noted(since.map_or(CONFIRMATION, |at| CONFIRMATION - now.duration_since(at))),
            };
        }
        AfterRefusal::Dies(match self.refresh.refresh_unanswered {
            true => AccountReason::RefreshOutcomeLost,
            false => AccountReason::RefreshRejected,
        })
    }
}

#[cfg(test)]
mod tests;
