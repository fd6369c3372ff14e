//! A member's session in a browser. Stead stores only the digest of its ID.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Extra, Member};
use crate::{digest::Digest, identifier::MemberId, state::SignInMethod};

/// A session expires if it isn't used for this long.
const IDLE: SignedDuration = SignedDuration::from_mins(30);
/// A session always expires after this time.
const ABSOLUTE: SignedDuration = SignedDuration::from_hours(12);
/// Time to enter the one-time code.
const AWAITS_CODE: SignedDuration = SignedDuration::from_mins(5);
/// A use isn't recorded if the previous one was this recent.
const NOTED: SignedDuration = SignedDuration::from_mins(1);
/// For this long, a member doesn't need to confirm who they are again before they grant rights or do something that
/// can't be undone.
const STEPPED_UP: SignedDuration = SignedDuration::from_mins(10);

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// Digest of the ID that the browser has; primary key.
    pub(crate) id: Digest,
    /// The member.
    pub(crate) member_id: MemberId,
    /// How often the member's sessions had been signed out when it began.
    pub(crate) epoch: u64,
    /// Whether it still needs the one-time code. Until then, it allows nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) awaits_code: bool,
    /// Whether it was opened without a password, for anyone at this machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) of_this_machine: bool,
    /// Whether it was opened with a sign-in at the provider instead of a password.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) by_provider: bool,
    /// When it began.
    pub(crate) created_at: Timestamp,
    /// When the member last entered the password or signed in at the provider.
    pub(crate) stepped_up_at: Timestamp,
    /// When the member signed in again at the provider, if the one-time code is still missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) proved_at_provider_at: Option<Timestamp>,
    /// When it expires if it isn't used again.
    pub(crate) expires_at: Timestamp,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl Session {
    /// A session of a member who has just entered the password. With a second factor, it also needs a code.
    pub(crate) fn new(id: Digest, member: &Member, now: Timestamp) -> Self {
        let awaits_code = member.has_second_factor();
        let life = if awaits_code { AWAITS_CODE } else { IDLE };
        Self {
            id,
            member_id: member.id,
            epoch: member.epoch,
            awaits_code,
            of_this_machine: false,
            by_provider: false,
            created_at: now,
            stepped_up_at: now,
            proved_at_provider_at: None,
            expires_at: after(now, life),
            extra: Extra::default(),
        }
    }

    /// A session that doesn't need a code, such as the one after a correct code.
    pub(crate) fn confirmed(id: Digest, member: &Member, now: Timestamp) -> Self {
        Self {
            awaits_code: false,
            expires_at: after(now, IDLE),
            ..Self::new(id, member, now)
        }
    }

    /// A session for anyone at this machine.
    pub(crate) fn on_this_machine(id: Digest, member: &Member, now: Timestamp) -> Self {
        Self {
            of_this_machine: true,
            ..Self::confirmed(id, member, now)
        }
    }

    /// A session of a member who has just signed in at the provider. With a second factor, it also needs a code.
    pub(crate) fn by_provider(id: Digest, member: &Member, now: Timestamp) -> Self {
        Self {
            by_provider: true,
            ..Self::new(id, member, now)
        }
    }

    /// How the member signed in, for the audit log.
    pub(crate) fn method(&self) -> &'static str {
        match (self.of_this_machine, self.by_provider) {
            (true, _) => "this_machine",
            (_, true) => SignInMethod::Provider.name(),
            _ => SignInMethod::Password.name(),
        }
    }

    /// Whether it was opened with a password.
    pub(crate) fn is_by_password(&self) -> bool {
        !self.of_this_machine && !self.by_provider
    }

    /// Whether this member still owns the session.
    pub(crate) fn is_of(&self, member: &Member) -> bool {
        self.member_id == member.id && self.epoch == member.epoch && !member.disabled
    }

    /// The session after a use. `None` if the use isn't worth recording.
    pub(crate) fn used(&self, now: Timestamp) -> Option<Self> {
        let end = after(now, IDLE).min(after(self.created_at, ABSOLUTE));
        let is_later = end.duration_since(self.expires_at) >= NOTED;
        is_later.then(|| Self {
            expires_at: end,
            ..self.clone()
        })
    }

    /// After the member has confirmed who they are again.
    pub(crate) fn stepped_up(&self, now: Timestamp) -> Self {
        Self {
            stepped_up_at: now,
            proved_at_provider_at: None,
            ..self.clone()
        }
    }

    /// After the member has signed in again at the provider, if the one-time code is still missing.
    pub(crate) fn proved_at_provider(&self, now: Timestamp) -> Self {
        Self {
            proved_at_provider_at: Some(now),
            ..self.clone()
        }
    }

    /// Whether only the one-time code is missing.
    pub(crate) fn is_proved_at_provider(&self, now: Timestamp) -> bool {
        let at = self.proved_at_provider_at;
        at.is_some_and(|at| now < after(at, AWAITS_CODE))
    }

    /// Whether the member has recently confirmed who they are, or is at this machine.
    pub(crate) fn is_stepped_up(&self, now: Timestamp) -> bool {
        self.of_this_machine || now < after(self.stepped_up_at, STEPPED_UP)
    }
}

fn after(moment: Timestamp, life: SignedDuration) -> Timestamp {
    moment.checked_add(life).unwrap_or(Timestamp::MAX)
}
