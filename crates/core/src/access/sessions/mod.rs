//! Sessions of members in their browsers. The id is in a cookie; what is stored is its digest.

mod at_provider;
mod authenticate;
mod confirm;
mod device;
mod on_this_machine;
mod open;
#[cfg(test)]
mod provider_tests;
mod sign_in;
mod sign_out;
mod step_up;
#[cfg(test)]
mod tests;

pub(crate) use at_provider::{begin as begin_at_provider, finish as finish_at_provider};
pub(crate) use authenticate::{authenticate, check};
pub(crate) use confirm::confirm;
pub(crate) use device::of_session as device_of;
pub(crate) use on_this_machine::open_on_this_machine;
pub(crate) use sign_in::sign_in;
pub(crate) use sign_out::sign_out;
pub(crate) use step_up::step_up;
pub(super) use {authenticate::owned, open::Opening, sign_in::compare};

use std::fmt;

use secrecy::SecretString;

use crate::{Error, ErrorKind, caller::Caller, oauth::Callback, resource::Member};

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
    /// What the browser keeps of an earlier sign-in, as
    /// [`Environment::known_browser`](crate::environment::Environment::known_browser) made it.
    pub device: Option<SecretString>,
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
            device: None,
        }
    }

    /// From a browser that keeps something of an earlier sign-in: attempts of strangers do not count against it.
    #[must_use]
    pub fn device(mut self, device: Option<SecretString>) -> Self {
        self.device = device;
        self
    }
}

/// What a member gives to prove once more who they are.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StepUp {
    /// Password; not needed shortly after the member has signed in at the provider once more.
    pub password: SecretString,
    /// One-time code, where the member has a second factor.
    pub code: String,
}

impl StepUp {
    /// A step-up.
    pub fn new(password: SecretString, code: impl Into<String>) -> Self {
        Self {
            password,
            code: code.into(),
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

/// What a browser brings back from the provider.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReturnFromProvider {
    /// The parameters of the callback.
    pub callback: Callback,
    /// The cookie that was set when it was sent there, where it has one.
    pub cookie: Option<SecretString>,
    /// The id of the session that it has, where it has one.
    pub session: Option<SecretString>,
    /// Where the request came from, as in [`SignIn::source`].
    pub source: String,
}

impl ReturnFromProvider {
    /// A return.
    pub fn new(
        callback: Callback,
        cookie: Option<SecretString>,
        session: Option<SecretString>,
        source: impl Into<String>,
    ) -> Self {
        Self {
            callback,
            cookie,
            session,
            source: source.into(),
        }
    }
}

/// What came of a return from the provider.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FinishedAtProvider {
    /// Where the browser wanted to go.
    pub next: String,
    /// The session that has begun; none where the member of one has signed in once more.
    pub session: Option<StartedSession>,
    /// Whether the one-time code of the member who has signed in once more is still to come.
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
    /// Whether the member has proved within the last ten minutes who they are, as is asked for before what gives somebody rights
    /// or cannot be undone.
    pub stepped_up: bool,
    /// Whether the member has just signed in at the provider once more, and only the one-time code is missing.
    pub awaits_code: bool,
    /// The member as who acts.
    pub caller: Caller,
}

impl fmt::Debug for SignedInMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            member,
            csrf_token: _, // secret
            stepped_up,
            awaits_code,
            caller: _,
        } = self;
        f.debug_struct("SignedInMember")
            .field("member", member)
            .field("stepped_up", stepped_up)
            .field("awaits_code", awaits_code)
            .finish_non_exhaustive()
    }
}

/// The same for every session that opens nothing.
fn ended() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "the session is unknown or has expired; sign in again",
    )
}
