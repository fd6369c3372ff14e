//! Members of the dashboard: people who can sign in, and their roles.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;

use super::{Page, secret};
#[cfg(feature = "platform")]
use crate::domain::{
    Extra, PasswordHash,
    member::{MemberLink, ProviderSubject, SecondFactor},
};
use crate::{
    ErrorKind::{AlreadyExists, InvalidTransition, NotFound},
    api::{Paging, operations, resource},
    identifier::MemberId,
    scope::ScopeName::MembersManage,
    state::{MemberState, Role, SignInMethod},
};

operations! {
    /// Lists the members of the dashboard.
    list: ListMembers { ; query page: Paging } -> Page<Member>
        = GET "/v1/members" { scope: Some(MembersManage) }
    /// Invites a member and shows the link once.
    create: NewMember(body) -> IssuedMemberLink
        = POST "/v1/members" {
            status: 201, scope: Some(MembersManage), errors: &[AlreadyExists, InvalidTransition],
            audit: &["member.invited"],
        }
        created |issued| issued.member.member_id.to_string();
    /// Reads a member.
    read: ReadMember { member_id } -> Member
        = GET "/v1/members/{member_id}" { scope: Some(MembersManage), errors: &[NotFound] }
    /// Changes the name, role or access of a member.
    change: ChangeMember { member_id; body change: MemberChange } -> Member
        = PATCH "/v1/members/{member_id}" {
            scope: Some(MembersManage), errors: &[NotFound, InvalidTransition],
            audit: &["member.changed", "member.disabled", "member.enabled"],
        }
    /// Deletes a member and ends all their sessions.
    delete: DeleteMember { member_id } -> ()
        = DELETE "/v1/members/{member_id}" {
            status: 204, scope: Some(MembersManage), errors: &[NotFound, InvalidTransition],
            audit: &["member.deleted"],
        }
    /// Removes a member's password and shows the link to set a new one once.
    reset: ResetMember { member_id; body how: MemberReset } -> IssuedMemberLink
        = POST "/v1/members/{member_id}/reset" {
            scope: Some(MembersManage), errors: &[NotFound, InvalidTransition], audit: &["member.reset"],
        }
}

resource! {
    /// A person who can sign in to the dashboard.
    #[schemars(example = json!({
        "member_id": "mem_01a2037b04b8700c83c89f211dc3e2d7", "email": "bob@example.com", "name": "Bob",
        "role": "operator", "status": "invited", "sign_in_with": [], "second_factor": false,
        "created_at": "2026-11-22T13:38:43Z", "link_expires_at": "2026-11-23T13:38:43Z",
    }))]
    pub struct Member, stored as MemberRow, shown with (row, now: Timestamp) {
        /// ID.
        pub member_id: MemberId = stored as id,
        /// Email address that the member signs in with.
        pub email: String = stored,
        /// Name for people. It can be empty until the member accepts the invitation.
        pub name: String = stored,
        /// Role of the member.
        pub role: Role = stored,
        /// Its state.
        pub status: MemberState = computed row.state(),
        /// How the member can sign in: with a password, or at the provider if they have done so before. Empty until the
        /// first sign-in or the accepted invitation.
        #[serde(default)]
        pub sign_in_with: Vec<SignInMethod> = computed row.sign_in_with(),
        /// Whether sign-in needs a one-time code.
        pub second_factor: bool = computed row.has_second_factor(),
        /// Hash of the password, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private password: Option<PasswordHash>,
        /// The second factor, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private second_factor: Option<SecondFactor>,
        /// The member's user at the sign-in provider, if they have ever used it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private provider: Option<ProviderSubject>,
        /// The open link to set a password, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private link: Option<MemberLink>,
        /// Whether the member is disabled.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private disabled: bool,
        /// How often all sessions of the member were signed out.
        #[serde(default)]
        private epoch: u64,
        /// When the member was created or invited.
        pub created_at: Timestamp = stored,
        /// When the member first had a way to sign in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private joined_at: Option<Timestamp>,
        /// When the member last signed in. Absent if they never have.
        pub last_sign_in_at: Option<Timestamp> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// When the member's link to set a password expires. Absent if no link is open.
        pub link_expires_at: Option<Timestamp> = computed row.link_end(now),
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// A request to invite a member.
///
/// ```
/// # use stead_core::resource::{NewMember, Role};
/// let new = NewMember::new("ada@example.com", Role::Operator).name("Ada");
/// assert_eq!(new.name.as_deref(), Some("Ada"));
/// ```
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = NewMember::new("bob@example.com", Role::Operator).name("Bob"))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewMember {
    /// Email address. Stead doesn't send an email. The response has the invitation link.
    pub email: String,
    /// Role of the member.
    pub role: Role,
    /// Name for people, at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Changes to a member. Absent members stay unchanged. You can't disable the last active owner or change their role.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = MemberChange::default().role(Role::Viewer))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MemberChange {
    /// Name for people, at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New role. It applies immediately, also in open sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether the member is disabled. Disabling signs the member out of all sessions immediately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// Options for resetting a member's password.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = MemberReset::default().second_factor(true))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MemberReset {
    /// Whether to also remove the second factor, for a member who lost the device.
    #[serde(default)]
    pub second_factor: bool,
}

/// A member with a one-time link to set a password. The link is shown only once.
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
    /// Link that the member opens in a browser. It works once, until `link_expires_at`.
    #[serde(serialize_with = "secret::exposed")]
    #[schemars(with = "String")]
    pub link: SecretString,
}

#[cfg(feature = "platform")]
impl IssuedMemberLink {
    pub(crate) fn new(member: Member, link: SecretString) -> Self {
        Self { member, link }
    }
}

/// The secret of a second factor, for an authenticator app. It takes effect when the member confirms it with a code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewSecondFactor {
    /// The secret in base32, for manual entry.
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
