//! What a refresh may do and what becomes of an account by it: when it may claim and send, which tokens stay, and what a
//! refusal means. Everything here is decided from rows and the store's time.

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

/// A refresh that finds a lease that ended waits so long for its holder, who may have stood still.
const THAW: SignedDuration = SignedDuration::from_secs(30);
/// A stable refresh token is refused twice, so far apart, before the account ends.
const CONFIRMATION: SignedDuration = SignedDuration::from_secs(10);
/// A refresh token that was refused while the access token serves is presented again so much later, by those who do not
/// need it yet.
const NOT_URGENT: SignedDuration = SignedDuration::from_secs(60);
/// Tokens that a refresh brought are not replaced within this time because the product's API refuses them; each further
/// refusal doubles it, up to the longest.
const YOUNG: SignedDuration = SignedDuration::from_secs(60);
const LONGEST_YOUNG: SignedDuration = SignedDuration::from_hours(1);
/// How long before a user has to authorize again an event says so.
const ANNOUNCED: SignedDuration = SignedDuration::from_hours(3 * 24);
/// The longest pause that a product may ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// Why a credential is refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RefreshReason {
    /// Its end is near, or it was idle for long; it still serves.
    Early,
    /// It has ended, or nearly.
    Due,
    /// The product refused it.
    Refused,
    /// The application asked.
    Asked,
}

/// What is known of an account's refreshes. Each member stands on the account's stored body. Moments are the store's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RefreshState {
    /// The generation with which the present grant began; 0 where that was not noted.
    pub(crate) grant: u64,
    /// When the request left that brought the current tokens; nothing where an authorization brought them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_sent_at: Option<Timestamp>,
    /// A request with the current refresh token went out, or may have, and its response was never read. Stays until a
    /// refresh succeeds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) refresh_unanswered: bool,
    /// Since when the token endpoint refuses the refresh token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_refused_at: Option<Timestamp>,
    /// When the last refresh failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_failed_at: Option<Timestamp>,
    /// When the next refresh may be tried after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_after: Option<Timestamp>,
    /// The client that failed, as [`client_stamp`] says it: another one need not wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_client: Option<String>,
    /// The product's API refused the current access token soon after a refresh had brought it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) token_refused: bool,
    /// How many before it in a row were refused so.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) token_refusals: u32,
    /// A refresh has brought another refresh token than the one presented, whatever the product says of itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) rotates: bool,
    /// When the user has to authorize again, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reauthorize_by: Option<Timestamp>,
    /// An event has said that this is soon.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reauthorization_announced: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Tells a connection's client from another one by something that may be stored: a changed secret is another client.
pub(crate) fn client_stamp(connection: &Connection) -> String {
    let secret = connection.client_secret.as_ref();
    let secret = secret.map(|sealed| format!("{:x?}", sealed.as_bytes()));
    let text = format!("{:?} {secret:?}", connection.client_id);
    Digest::of(&text).as_str()[..16].to_owned()
}

/// The pause after this many failures in a row: between a second and 2 s, 4 s, ... 15 min, as `jitter` says between 0 and
/// `u32::MAX`; not less than the product asked for.
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

/// Tokens that came.
#[derive(Debug, Clone)]
pub(crate) struct Refreshed {
    /// The refresh that brought them.
    pub(crate) owner: Uuid,
    /// The grant and the current generation of the account as it was claimed.
    pub(crate) grant: u64,
    pub(crate) claimed: u64,
    /// Generation under which they are kept: above every one that was given out.
    pub(crate) generation: u64,
    /// When the request left.
    pub(crate) sent_at: Timestamp,
    pub(crate) token_expires_at: Option<Timestamp>,
    /// When the user has to authorize again, if the response says so.
    pub(crate) reauthorize_by: Option<Timestamp>,
    /// Scopes, where the response names them.
    pub(crate) scopes: Option<Vec<String>>,
    /// What happens to the product's refresh tokens, by its table.
    pub(crate) rotation: Rotation,
    /// The response brought another refresh token than the one presented.
    pub(crate) rotated: bool,
}

/// What becomes of tokens that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// They are the current ones.
    Current,
    /// They are kept next to the current ones.
    Aside,
    /// They are kept already.
    Already,
    /// The account was disconnected, or another grant has taken the place of theirs.
    Not,
}

/// A refresh that brought nothing, for now.
#[derive(Debug, Clone)]
pub(crate) struct RefreshFailure<'a> {
    /// The request went out, and no response was read.
    pub(crate) unanswered: bool,
    /// When the token endpoint first refused the refresh token, where it does.
    pub(crate) refused_at: Option<Timestamp>,
    pub(crate) failed_at: Timestamp,
    /// When the next refresh may be tried.
    pub(crate) until: Timestamp,
    /// The client that was used.
    pub(crate) client: &'a str,
}

/// A credential of the account's client that is not shredded and waits for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LiveGeneration {
    pub(crate) generation: u64,
    /// When the request left that brought it, where a refresh did.
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

/// The token endpoint refused a refresh token: `invalid_grant`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal<'a> {
    /// The store's time.
    pub(crate) read_at: Timestamp,
    pub(crate) reason: RefreshReason,
    /// What happens to the product's refresh tokens, by its table.
    pub(crate) rotation: Rotation,
    pub(crate) live: &'a [LiveGeneration],
    /// Generations whose refresh token this refresh has presented.
    pub(crate) tried: &'a [u64],
}

/// What a refusal means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRefusal {
    /// This generation is presented next: its refresh token may be the one that lives.
    Present(u64),
    /// It is noted, and counts as a failure that may pass. Since when the refresh token is refused, and how long the next
    /// try has to wait at least.
    Noted {
        since: Timestamp,
        pause: SignedDuration,
    },
    /// The credential is dead.
    Dies(AccountReason),
}

impl Account {
    /// What happens to the account's refresh tokens when they are used: what a response has shown counts more than what
    /// the product says.
    pub(crate) fn rotation(&self, product: Rotation) -> Rotation {
        match product {
            Rotation::Stable if self.refresh.rotates => Rotation::Strict,
            known => known,
        }
    }

    /// Whether the access token still serves one who refreshes for this reason.
    pub(crate) fn still_serves(&self, reason: RefreshReason, now: Timestamp) -> bool {
        reason != RefreshReason::Refused && self.token_expires_at.is_none_or(|end| end > now)
    }

    /// Whether the present access token is enough for one who refreshes for this reason. Whoever asks for a new one wants
    /// to know if none came.
    pub(crate) fn is_enough(&self, reason: RefreshReason, now: Timestamp) -> bool {
        reason != RefreshReason::Asked && self.still_serves(reason, now)
    }

    /// Until when a refresh for this reason has to wait after failures; with this client.
    pub(crate) fn backs_off(
        &self,
        reason: RefreshReason,
        client: &str,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let same_client = self.refresh.refresh_client.as_deref() == Some(client);
        // Where the store's clock was set back, no one knows how long the pause still is.
        let is_past = self.refresh.refresh_failed_at.is_some_and(|at| at <= now);
        let obeys = same_client && is_past && reason != RefreshReason::Asked;
        self.refresh
            .refresh_after
            .filter(|until| obeys && *until > now)
    }

    /// Until when the product's refusal of the current access token brings no refresh: a refresh has just brought it. The
    /// first such refusal is looked into at once, since the user may have ended the grant.
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

    /// The account with the note that the product's API refused its new access token, where that was not noted yet.
    pub(super) fn with_refused_token(&self, now: Timestamp) -> Option<Self> {
        let sent_at = self.refresh.token_sent_at?;
        let is_new = now.duration_since(sent_at) < YOUNG && !self.refresh.token_refused;
        is_new.then(|| {
            let mut next = self.clone();
            next.refresh.token_refused = true;
            next
        })
    }

    /// How many new access tokens in a row the product's API has refused, once a refresh begins for this reason. One
    /// refusal of a token that had served says nothing.
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

    /// How long a refresh that finds a lease that ended waits for its holder: until that one has had the time to go on,
    /// and while the access token serves. The holder of a token that rotates may have the only one that lives.
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

    /// Whether the credential ended because it could not be refreshed.
    fn is_dead_by_refresh(&self) -> bool {
        let needs = Some(AccountState::NeedsReauthorization);
        let dead = [Some(self.state), self.suspended_from].contains(&needs);
        dead && matches!(
            self.reason,
            Some(AccountReason::RefreshRejected | AccountReason::RefreshOutcomeLost)
        )
    }

    /// What becomes of tokens that came.
    pub(crate) fn keeps(&self, refreshed: &Refreshed) -> Keep {
        let ended = self.state == AccountState::Disconnected || self.generation == 0;
        if ended || self.refresh.grant != refreshed.grant {
            Keep::Not
        } else if self.generation == refreshed.claimed {
            Keep::Current
        } else if self.refresh.token_sent_at == Some(refreshed.sent_at) {
            Keep::Already
        } else if self.is_dead_by_refresh() {
            // All that was tried is dead, and this is not.
            Keep::Current
        } else {
            Keep::Aside
        }
    }

    /// The account with tokens that came, and its event. Whoever else may hold the lease by now presents a token that
    /// these have replaced.
    pub(super) fn with_refreshed(&self, refreshed: &Refreshed) -> (Self, Option<&'static str>) {
        let mut next = self.clone();
        next.last_generation = refreshed.generation;
        next.refresh.rotates |= refreshed.rotated;
        if self.keeps(refreshed) != Keep::Current {
            return (next, None);
        }
        let revived = self.is_dead_by_refresh();
        // The old token may have been presented once more meanwhile, which can end its successors too.
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
            // A new refresh token has an end of its own.
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
                // One event at a time: the next refresh announces it.
                next.refresh.reauthorization_announced &= !announces;
                Some("account.recovered")
            }
            (false, true) => Some("account.reauthorization_due"),
            (false, false) => None,
        };
        (next, event)
    }

    /// Whether the user has to authorize again within days.
    fn is_due_for_reauthorization(&self, now: Timestamp) -> bool {
        let by = self.refresh.reauthorize_by;
        by.is_some_and(|by| by.duration_since(now) <= ANNOUNCED)
    }

    /// The account after a refresh that brought nothing.
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

    /// The generation to take in place of the current one before anything is presented: the one that was asked for last,
    /// where using a refresh token replaces it. Where the token stays, the current one is as good as any.
    pub(crate) fn adoptable(&self, product: Rotation, live: &[LiveGeneration]) -> Option<u64> {
        if self.rotation(product) == Rotation::Stable {
            return None;
        }
        let newest = live.iter().max_by_key(|one| one.age())?;
        let is_newer =
            newest.sent_at > self.refresh.token_sent_at && newest.generation != self.generation;
        is_newer.then_some(newest.generation)
    }

    /// When a request leaves that leaves now: later than the one that brought the current tokens, also where the store's
    /// clock was set back, for what was asked for last is treated as the newest.
    pub(crate) fn sends_at(&self, now: Timestamp) -> Timestamp {
        let after = |sent: Timestamp| sent.checked_add(SignedDuration::from_nanos(1)).ok();
        let later = self.refresh.token_sent_at.and_then(after);
        later.map_or(now, |later| later.max(now))
    }

    /// Whether a refresh is overtaken, which claimed the account when it was `claimed`: another grant or newer tokens have
    /// taken the place, or another refresh holds the lease. What lives now is not its to present.
    pub(crate) fn is_overtaken(&self, claimed: &Self, owner: Uuid) -> bool {
        self.generation != claimed.generation || !self.is_leased_to(owner)
    }

    /// What the refusal of a refresh token means for the account as it was claimed.
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
            // The pause does not outlast the access token: then a refusal decides, and the user is told.
            let end = self.token_expires_at.unwrap_or(Timestamp::MAX);
            let pause = since.map_or(CONFIRMATION, |_| NOT_URGENT);
            return noted(pause.min(end.duration_since(now)));
        }
        if self.rotation(refusal.rotation) == Rotation::Stable {
            return match since {
                // The product's API has refused the access token as well.
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
#[path = "refresh_tests.rs"]
mod tests;
