//! Members of the dashboard: people who may sign in, and what they may do.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::{
    identifier::MemberId,
    state::{MemberState, Role, SignInMethod},
};

/// A person who may sign in to the dashboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "member_id": "mem_01a2037b04b8700c83c89f211dc3e2d7", "email": "bob@example.com", "name": "Bob", "role": "operator",
    "status": "invited", "sign_in_with": [], "second_factor": false, "created_at": "2026-11-22T13:38:43Z",
    "link_expires_at": "2026-11-23T13:38:43Z",
}))]
#[non_exhaustive]
pub struct Member {
    /// Id.
    pub member_id: MemberId,
    /// E-mail address, by which the member signs in.
    pub email: String,
    /// Name for people; empty until the member has followed the invitation, where none was given.
    pub name: String,
    /// What the member may do.
    pub role: Role,
    /// Its state.
    pub status: MemberState,
    /// How the member can sign in: by a password, and at the provider where that was ever done. Empty until the member has
    /// followed the invitation, or signed in at the provider.
    #[serde(default)]
    pub sign_in_with: Vec<SignInMethod>,
    /// Whether a one-time code is asked for at sign-in.
    pub second_factor: bool,
    /// When the member was created or invited.
    pub created_at: Timestamp,
    /// When the member last signed in; absent where that never happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_sign_in_at: Option<Timestamp>,
    /// When the link ends that lets the member set a password; absent where none is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_expires_at: Option<Timestamp>,
}

/// Whom to invite.
///
/// ```
/// # use stead_core::resource::{NewMember, Role};
/// let new = NewMember::new("ada@example.com", Role::Operator).name("Ada");
/// assert_eq!(new.name.as_deref(), Some("Ada"));
/// ```
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = NewMember::new("bob@example.com", Role::Operator).name("Bob"))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewMember {
    /// E-mail address. No mail is sent to it: the link of the invitation is in the response.
    pub email: String,
    /// What the member may do.
    pub role: Role,
    /// Name for people, at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl NewMember {
    /// A member with this e-mail address and role.
    pub fn new(email: impl Into<String>, role: Role) -> Self {
        Self {
            email: email.into(),
            role,
            name: None,
        }
    }
    /// Name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// What changes in a member; what is absent stays. The last active owner can be neither disabled nor given another role.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = MemberChange::default().role(Role::Viewer))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MemberChange {
    /// Name for people, at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the member may do, at once in every open session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether the member is kept out. Open sessions end at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

impl MemberChange {
    /// Another name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
    /// Another role.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }
    /// Whether the member is kept out.
    #[must_use]
    pub fn disabled(mut self, disabled: bool) -> Self {
        self.disabled = Some(disabled);
        self
    }
}

/// How a member's password is reset.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = MemberReset::default().second_factor(true))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MemberReset {
    /// Whether the second factor is removed too, for a member who has lost the device.
    #[serde(default)]
    pub second_factor: bool,
}

impl MemberReset {
    /// Whether the second factor is removed too.
    #[must_use]
    pub fn second_factor(mut self, second_factor: bool) -> Self {
        self.second_factor = second_factor;
        self
    }
}

/// A member with the one-time link that sets a password. The link is shown only here.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "member_id": "mem_01a2037b04b8700c83c89f211dc3e2d7", "email": "bob@example.com", "name": "Bob", "role": "operator",
    "status": "invited", "sign_in_with": [], "second_factor": false, "created_at": "2026-11-22T13:38:43Z",
    "link_expires_at": "2026-11-23T13:38:43Z",
    "link": "https://stead.example.com/dashboard/invitation?token=stead_invitation_…",
}))]
#[non_exhaustive]
pub struct IssuedMemberLink {
    /// The member.
    #[serde(flatten)]
    pub member: Member,
    /// What the member opens in a browser; it works once, and until `link_expires_at`.
    #[serde(serialize_with = "exposed")]
    #[schemars(with = "String")]
    pub link: SecretString,
}

#[cfg(feature = "platform")]
impl IssuedMemberLink {
    pub(crate) fn new(member: Member, link: SecretString) -> Self {
        Self { member, link }
    }
}

/// The secret of a second factor, for an authenticator app. It counts once a code has proved that the app has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewSecondFactor {
    /// The secret in base32, to be typed in.
    pub secret: SecretString,
    /// The same as an `otpauth:` URI.
    pub uri: SecretString,
}

#[cfg(feature = "platform")]
impl NewSecondFactor {
    pub(crate) fn new(secret: SecretString, uri: SecretString) -> Self {
        Self { secret, uri }
    }
}

/// The one place where a link is written: in the response that shows it.
fn exposed<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}
