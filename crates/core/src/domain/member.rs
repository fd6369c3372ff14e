//! A member: a person who can sign in to the dashboard.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) use crate::resource::member::MemberRow as Member;

use super::{Extra, NewAudit, NewEvent, PasswordHash};
use crate::{
    Error, ErrorKind, Result,
    digest::Digest,
    identifier::MemberId,
    sealed::{Sealed, place},
    state::{MemberState, Role, SignInMethod},
};

/// Lifetime of a link for an invitation or a reset.
const LINK_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// A secret from which an authenticator app generates one-time codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SecondFactor {
    /// The secret.
    pub(crate) sealed: Sealed<place::SecondFactor>,
    /// Whether a code has proved that the app has it. Until then, sign-in doesn't ask for a code.
    pub(crate) confirmed: bool,
    /// The last time step whose code was used.
    pub(crate) last_step: Option<i64>,
}

/// A user of a sign-in provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProviderSubject {
    /// The provider.
    pub(crate) issuer: String,
    /// Permanent ID of the user. An email address can later belong to another person.
    pub(crate) subject: String,
}

/// A one-time link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemberLink {
    /// Digest of the link's secret.
    pub(crate) digest: Digest,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
}

impl MemberLink {
    /// A link that is valid from now on.
    pub(crate) fn new(digest: Digest, now: Timestamp) -> Self {
        Self {
            digest,
            expires_at: now.checked_add(LINK_LIFE).unwrap_or(Timestamp::MAX),
        }
    }
}

/// Changes to a member. Absent values stay.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemberChanges {
    pub(crate) name: Option<String>,
    pub(crate) role: Option<Role>,
    pub(crate) disabled: Option<bool>,
}

impl Member {
    /// A member without a way to sign in yet.
    pub(crate) fn new(id: MemberId, email: &str, role: Role, now: Timestamp) -> Self {
        Self {
            id,
            email: email.to_owned(),
            name: String::new(),
            role,
            password: None,
            second_factor: None,
            provider: None,
            link: None,
            disabled: false,
            epoch: 0,
            created_at: now,
            joined_at: None,
            last_sign_in_at: None,
            extra: Extra::default(),
        }
    }

    /// Whether sign-in requires a one-time code.
    pub(crate) fn has_second_factor(&self) -> bool {
        let factor = self.second_factor.as_ref();
        factor.is_some_and(|factor| factor.confirmed)
    }

    /// When its link expires, if one is open.
    pub(crate) fn link_end(&self, now: Timestamp) -> Option<Timestamp> {
        let end = self.link.as_ref().map(|link| link.expires_at);
        end.filter(|end| now < *end)
    }

    /// Its state.
    pub(crate) fn state(&self) -> MemberState {
        match (self.disabled, self.joined_at) {
            (true, _) => MemberState::Disabled,
            (false, None) => MemberState::Invited,
            (false, Some(_)) => MemberState::Active,
        }
    }

    /// Whether it's an owner who can sign in.
    pub(crate) fn is_active_owner(&self) -> bool {
        self.role == Role::Owner && self.state() == MemberState::Active
    }

    /// Whether this link is open.
    pub(crate) fn opens_with(&self, link: &Digest, now: Timestamp) -> bool {
        let open = self.link.as_ref();
        !self.disabled && open.is_some_and(|open| open.digest == *link && now < open.expires_at)
    }

    /// The changed member and the names of the changes. `None` if nothing changes. A disabled member loses all sessions
    /// and links.
    pub(crate) fn changed(&self, changes: &MemberChanges) -> Option<(Self, Vec<&'static str>)> {
        let mut after = self.clone();
        if let Some(name) = &changes.name {
            after.name.clone_from(name);
        }
        if let Some(role) = changes.role {
            after.role = role;
        }
        let mut names = Vec::new();
        if after != *self {
            names.push("member.changed");
        }
        match changes.disabled {
            Some(true) if !self.disabled => {
                after = after.signed_out_everywhere();
                (after.disabled, after.link) = (true, None);
                names.push("member.disabled");
            }
            Some(false) if self.disabled => {
                after.disabled = false;
                names.push("member.enabled");
            }
            _ => {}
        }
        (!names.is_empty()).then_some((after, names))
    }

    /// With this password. Earlier links and sessions stop working.
    pub(crate) fn with_password(&self, password: PasswordHash, now: Timestamp) -> Self {
        Self {
            password: Some(password),
            link: None,
            joined_at: self.joined_at.or(Some(now)),
            ..self.signed_out_everywhere()
        }
    }

    /// The member after a user with their email address has signed in at the provider. `None` if that is a different
    /// person than before.
    pub(crate) fn known_at(&self, who: &ProviderSubject) -> Option<Self> {
        let before = self.provider.as_ref();
        let is_other =
            |before: &ProviderSubject| before.issuer == who.issuer && before.subject != who.subject;
        (!before.is_some_and(is_other)).then(|| Self {
            provider: Some(who.clone()),
            ..self.clone()
        })
    }

    /// The ways in which the member can sign in.
    pub(crate) fn sign_in_with(&self) -> Vec<SignInMethod> {
        let password = self.password.as_ref().map(|_| SignInMethod::Password);
        let provider = self.provider.as_ref().map(|_| SignInMethod::Provider);
        password.into_iter().chain(provider).collect()
    }

    /// Without a password, but with a link to set a new one; optionally also without the second factor. The next
    /// sign-in at the provider links the member to their user there again.
    pub(crate) fn reset(&self, link: MemberLink, second_factor: bool) -> Result<Self> {
        if self.disabled {
            let message = "the member is disabled; enable the member first";
            return Err(Error::new(ErrorKind::InvalidTransition, message));
        }
        let mut after = self.signed_out_everywhere();
        (after.password, after.provider, after.link) = (None, None, Some(link));
        if second_factor {
            after.second_factor = None;
        }
        Ok(after)
    }

    /// With a second factor that an app still needs to prove.
    pub(crate) fn enrolling(&self, sealed: Sealed<place::SecondFactor>) -> Result<Self> {
        if self.has_second_factor() {
            let message = "the member already has a second factor; remove it first";
            return Err(Error::new(ErrorKind::InvalidTransition, message));
        }
        Ok(Self {
            second_factor: Some(SecondFactor {
                sealed,
                confirmed: false,
                last_step: None,
            }),
            ..self.clone()
        })
    }

    /// After the code of a time step was used. This confirms a new second factor.
    pub(crate) fn used_code(&self, step: i64) -> Self {
        let used = self.second_factor.clone().map(|factor| SecondFactor {
            confirmed: true,
            last_step: Some(step),
            ..factor
        });
        Self {
            second_factor: used,
            ..self.clone()
        }
    }

    /// After a sign-in.
    pub(crate) fn signed_in(&self, now: Timestamp) -> Self {
        Self {
            joined_at: self.joined_at.or(Some(now)),
            last_sign_in_at: Some(now),
            ..self.clone()
        }
    }

    /// Signs the member out of all sessions.
    pub(crate) fn signed_out_everywhere(&self) -> Self {
        Self {
            epoch: self.epoch.saturating_add(1),
            ..self.clone()
        }
    }

    /// An event that tells owners about a new or re-enabled owner.
    pub(crate) fn elevated(&self, before: Option<&Self>) -> Option<NewEvent> {
        let is_owner = |member: &Self| member.role == Role::Owner && !member.disabled;
        let is_new = is_owner(self) && !before.is_some_and(is_owner);
        is_new.then(|| self.event("access.elevated"))
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "member", self.id).fact("role", self.role.name())
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({ "member_id": self.id, "role": self.role });
        NewEvent::new(name, data)
    }
}

/// An email address in the form in which Stead looks up members.
pub(crate) fn read_email(text: &str) -> Result<String> {
    let email = text.trim().to_lowercase();
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    let parts = email.split_once('@');
    let has_parts = parts
        .is_some_and(|(local, host)| !local.is_empty() && !host.is_empty() && !host.contains('@'));
    if !has_parts || email.len() > 254 || !email.chars().all(is_plain) {
        return Err(Error::invalid_at(
            "/email",
            "expected an email address, such as ada@example.com",
        ));
    }
    Ok(email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_for_a_day_unless_the_member_is_disabled() {
        let now = Timestamp::UNIX_EPOCH;
        let (link, other) = (Digest::of("link"), Digest::of("other"));
        let id = MemberId::from_uuid(uuid::Uuid::nil());
        let mut member = Member::new(id, "ada@example.com", Role::Viewer, now);
        assert!(!member.opens_with(&link, now));
        member.link = Some(MemberLink::new(link.clone(), now));
        let end = now + LINK_LIFE;
        let second = SignedDuration::from_secs(1);
        assert!(member.opens_with(&link, now) && member.opens_with(&link, end - second));
        assert!(!member.opens_with(&link, end) && !member.opens_with(&other, now));
        member.disabled = true;
        assert!(!member.opens_with(&link, now));
    }
}
