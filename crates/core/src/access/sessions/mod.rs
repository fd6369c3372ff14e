//! Sessions of members in their browsers. The id is in a cookie; what is stored is its digest.

mod authenticate;
mod confirm;
mod on_this_machine;
mod open;
mod sign_in;
mod sign_out;
mod step_up;
#[cfg(test)]
mod tests;

pub(crate) use authenticate::{authenticate, check};
pub(crate) use confirm::confirm;
pub(crate) use on_this_machine::open_on_this_machine;
pub(crate) use sign_in::sign_in;
pub(crate) use sign_out::sign_out;
pub(crate) use step_up::step_up;
pub(super) use {authenticate::owned, open::Opening, sign_in::compare};

use std::fmt;

use secrecy::SecretString;

use crate::{Error, ErrorKind, caller::Caller, resource::Member};

/// What somebody gives to sign in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SignIn {
    /// E-mail address.
    pub email: String,
    /// Password.
    pub password: SecretString,
    /// Where the request came from, such as an address: attempts from one source are limited. Empty where that is not
    /// known.
    pub source: String,
}

impl SignIn {
    /// An attempt to sign in.
    pub fn new(
        email: impl Into<String>,
        password: SecretString,
        source: impl Into<String>,
    ) -> Self {
        Self {
            email: email.into(),
            password,
            source: source.into(),
        }
    }
}

/// A session that has begun.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StartedSession {
    /// Its id of 256 bits, for the browser's cookie; only its digest is kept.
    pub id: SecretString,
    /// Whether it opens nothing until the one-time code was given.
    pub awaits_code: bool,
}

/// Who is signed in.
#[derive(Clone)]
#[non_exhaustive]
pub struct SignedInMember {
    /// The member.
    pub member: Member,
    /// What the forms of this session carry, so that no other site can send them.
    pub csrf_token: String,
    /// Whether the password was given within the last ten minutes, as is asked for before what cannot be undone.
    pub stepped_up: bool,
    /// The member as who acts.
    pub caller: Caller,
}

impl fmt::Debug for SignedInMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            member,
            csrf_token: _, // secret
            stepped_up,
            caller: _,
        } = self;
        f.debug_struct("SignedInMember")
            .field("member", member)
            .field("stepped_up", stepped_up)
            .finish_non_exhaustive()
    }
}

/// The same for every session that opens nothing.
fn ended() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "the session is unknown or has ended; sign in again",
    )
}
