//! A member: a person who may sign in to the dashboard.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Extra, NewAudit, NewEvent, PasswordHash};
use crate::{
    Error, ErrorKind, Result,
    digest::Digest,
    identifier::MemberId,
    sealed::Sealed,
    state::{MemberState, Role, SignInMethod},
};

/// How long the link of an invitation or a reset is good.
const LINK_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// A member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Member {
    /// Id; primary key.
    pub(crate) id: MemberId,
    /// E-mail address in small letters, by which the member signs in.
    pub(crate) email: String,
    /// Name for people; may be empty until the member has joined.
    pub(crate) name: String,
    /// What the member may do.
    pub(crate) role: Role,
    /// Hash of the password, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) password: Option<PasswordHash>,
    /// The second factor, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) second_factor: Option<SecondFactor>,
    /// Who the member is at the provider by which members sign in, where that was ever used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<ProviderSubject>,
    /// The link that lets the member set a password, where one is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<MemberLink>,
    /// Whether the member is kept out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disabled: bool,
    /// How often all sessions of the member were ended.
    #[serde(default)]
    pub(crate) epoch: u64,
    /// When the member was created.
    pub(crate) created_at: Timestamp,
    /// When the member first had a way to sign in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) joined_at: Option<Timestamp>,
    /// When the member last signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Timestamp>,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// A secret from which an app makes one-time codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SecondFactor {
    /// The secret.
    pub(crate) sealed: Sealed,
    /// Whether a code has proved that the app has it; until then none is asked for.
    pub(crate) confirmed: bool,
    /// The last step whose code was used.
    pub(crate) last_step: Option<i64>,
}

/// One of a provider's users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProviderSubject {
    /// The provider.
    pub(crate) issuer: String,
    /// Which of its users, for ever: an e-mail address can be given to another person.
    pub(crate) subject: String,
}

/// A one-time link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemberLink {
    /// Digest of what the link says.
    pub(crate) digest: Digest,
    /// When it ends.
    pub(crate) expires_at: Timestamp,
}

impl MemberLink {
    /// A link that begins now.
    pub(crate) fn new(digest: Digest, now: Timestamp) -> Self {
        Self {
            digest,
            expires_at: now.checked_add(LINK_LIFE).unwrap_or(Timestamp::MAX),
        }
    }
}

/// What changes in a member; what is absent stays.
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

    /// Whether a one-time code is asked for at sign-in.
    pub(crate) fn has_second_factor(&self) -> bool {
        let factor = self.second_factor.as_ref();
        factor.is_some_and(|factor| factor.confirmed)
    }

    /// Its state.
    pub(crate) fn state(&self) -> MemberState {
        match (self.disabled, self.joined_at) {
            (true, _) => MemberState::Disabled,
            (false, None) => MemberState::Invited,
            (false, Some(_)) => MemberState::Active,
        }
    }

    /// Whether it counts as one who can do everything.
    pub(crate) fn is_active_owner(&self) -> bool {
        self.role == Role::Owner && self.state() == MemberState::Active
    }

    /// Whether a link is open and is this one.
    pub(crate) fn opens_with(&self, link: &Digest, now: Timestamp) -> bool {
        let open = self.link.as_ref();
        !self.disabled && open.is_some_and(|open| open.digest == *link && now < open.expires_at)
    }

    /// After a change, where there is any, with the names of what happened. Who is disabled has no session and no link
    /// any more.
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

    /// With a password. Links and sessions that there were end.
    pub(crate) fn with_password(&self, password: PasswordHash, now: Timestamp) -> Self {
        Self {
            password: Some(password),
            link: None,
            joined_at: self.joined_at.or(Some(now)),
            ..self.signed_out_everywhere()
        }
    }

    /// After somebody with the member's e-mail address has signed in at the provider; none where that is another person
    /// than before.
    pub(crate) fn known_at(&self, who: &ProviderSubject) -> Option<Self> {
        let before = self.provider.as_ref();
        let is_other =
            |before: &ProviderSubject| before.issuer == who.issuer && before.subject != who.subject;
        (!before.is_some_and(is_other)).then(|| Self {
            provider: Some(who.clone()),
            ..self.clone()
        })
    }

    /// How the member can sign in.
    pub(crate) fn sign_in_with(&self) -> Vec<SignInMethod> {
        let password = self.password.as_ref().map(|_| SignInMethod::Password);
        let provider = self.provider.as_ref().map(|_| SignInMethod::Provider);
        password.into_iter().chain(provider).collect()
    }

    /// Without a password, and with a link that sets another one; perhaps without the second factor too. Who the member is
    /// at the provider is told again at the next sign-in there.
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

    /// With a second factor that an app has still to prove.
    pub(crate) fn enrolling(&self, sealed: Sealed) -> Result<Self> {
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

    /// After the code of a step was given, which proves a second factor that was not proved yet.
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

    /// Without any session that there was.
    pub(crate) fn signed_out_everywhere(&self) -> Self {
        Self {
            epoch: self.epoch.saturating_add(1),
            ..self.clone()
        }
    }

    /// Tells owners that there is another one, who was none before or was kept out.
    pub(crate) fn elevated(&self, before: Option<&Self>) -> Option<NewEvent> {
        let is_owner = |member: &Self| member.role == Role::Owner && !member.disabled;
        let is_new = is_owner(self) && !before.is_some_and(is_owner);
        is_new.then(|| self.event("access.elevated"))
    }

    /// An entry of the audit log about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "member", self.id).fact("role", self.role.name())
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({ "member_id": self.id, "role": self.role });
        NewEvent::new(name, data)
    }
}

/// An e-mail address in the form by which members are found.
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
    fn a_link_opens_for_a_day_and_not_for_who_is_disabled() {
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
