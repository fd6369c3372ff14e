//! Identifies the signed-in member by cookie, and keeps other sites from acting as that member.

mod cookie;
mod enter;
mod machine;
mod next;
#[cfg(test)]
pub(super) mod tests;

pub(super) use enter::{Entry, Sessions};
pub(super) use next::local;
#[cfg(test)]
pub(super) use tests::{browse_as, session_of};

use std::fmt;

use axum::extract::FromRequestParts;
use http::request::Parts;
use secrecy::SecretString;
use stead::{Error, ErrorKind};
pub(crate) use stead_core::resource::Role;
use stead_core::{
    access::SignedInMember, caller::Caller, identifier::MemberId, resource::SignInMethod,
};
use subtle::ConstantTimeEq as _;

use crate::problem::Problem;

/// The member whose browser sent a request.
#[derive(Clone)]
pub(crate) struct SignedIn {
    pub(crate) member_id: MemberId,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) role: Role,
    /// The token that every form must send back in the field `csrf`.
    pub(crate) csrf: String,
    /// Whether the member has a password to enter again.
    pub(crate) has_password: bool,
    /// Whether the member uses one-time codes.
    pub(crate) second_factor: bool,
    /// Whether the member has confirmed their identity within the last ten minutes.
    pub(crate) stepped_up: bool,
    /// Whether only the one-time code is missing for this.
    pub(crate) awaits_code: bool,
    /// The member as a caller.
    pub(crate) caller: Caller,
    /// ID of the session.
    pub(super) session: SecretString,
}

impl SignedIn {
    fn new(signed_in: SignedInMember, session: SecretString) -> Self {
        Self {
            member_id: signed_in.member.member_id,
            name: signed_in.member.name,
            email: signed_in.member.email,
            role: signed_in.member.role,
            csrf: signed_in.csrf_token,
            has_password: signed_in
                .member
                .sign_in_with
                .contains(&SignInMethod::Password),
            second_factor: signed_in.member.second_factor,
            stepped_up: signed_in.stepped_up,
            awaits_code: signed_in.awaits_code,
            caller: signed_in.caller,
            session,
        }
    }

    /// Whether a form came from one of this member's pages.
    fn sent(&self, csrf: &str) -> bool {
        self.csrf.as_bytes().ct_eq(csrf.as_bytes()).into()
    }
}

impl fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedIn")
            .field("member_id", &self.member_id)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

/// Rejects members with a lesser role.
///
/// # Errors
/// [`ErrorKind::Forbidden`].
pub(super) fn require(member: Option<&SignedIn>, role: Role) -> Result<(), Error> {
    if member.is_some_and(|member| member.role >= role) {
        return Ok(());
    }
    let role = role.name();
    let message = format!("you need the role {role} for this; an owner can change your role");
    Err(Error::new(ErrorKind::Forbidden, message))
}

/// Only available behind [`enter`](super::enter), which has admitted the request.
impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let member = parts.extensions.get::<Self>().cloned();
        member.ok_or_else(|| {
            Error::new(ErrorKind::Forbidden, "you aren't signed in; sign in first").into()
        })
    }
}
