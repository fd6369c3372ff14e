//! Sessions of members in their browsers. The cookie has the ID, and Stead stores only its digest.

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

/// A member's credentials for signing in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SignIn {
    /// Email address.
    pub email: String,
    /// Password.
    pub password: SecretString,
    /// Source of the request, such as an IP address. Stead limits attempts per source. Empty if unknown.
    pub source: String,
    /// Value that the browser keeps from an earlier sign-in, as
    /// [`Environment::known_browser`](crate::environment::Environment::known_browser) created it.
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

    /// Adds the value that the browser keeps from an earlier sign-in. Attempts by strangers don't count against this
    /// browser.
    #[must_use]
    pub fn device(mut self, device: Option<SecretString>) -> Self {
        self.device = device;
        self
    }
}

/// A member's credentials for confirming who they are in a running session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StepUp {
    /// Password. Not needed shortly after the member has signed in again at the provider.
    pub password: SecretString,
    /// One-time code, if the member has a second factor.
    pub code: String,
}

impl StepUp {
    /// A confirmation with a password and a one-time code.
    pub fn new(password: SecretString, code: impl Into<String>) -> Self {
        Self {
            password,
            code: code.into(),
        }
    }
}

/// A new session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StartedSession {
    /// ID of 256 bits, for the browser's cookie. Stead stores only its digest.
    pub id: SecretString,
    /// Whether it allows nothing until the member enters the one-time code.
    pub awaits_code: bool,
}

/// The browser's return from the provider.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReturnFromProvider {
    /// The parameters of the callback.
    pub callback: Callback,
    /// The cookie that Stead set when it sent the browser to the provider, if the browser has it.
    pub cookie: Option<SecretString>,
    /// ID of the browser's session, if it has one.
    pub session: Option<SecretString>,
    /// Source of the request, as in [`SignIn::source`].
    pub source: String,
}

impl ReturnFromProvider {
    /// A return with these parameters.
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

/// Result of a return from the provider.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FinishedAtProvider {
    /// The page that the browser originally requested.
    pub next: String,
    /// The new session. `None` if the member already had a session and signed in again.
    pub session: Option<StartedSession>,
    /// Whether the member, after signing in again, still needs to enter the one-time code.
    pub awaits_code: bool,
}

/// A signed-in member.
#[derive(Clone)]
#[non_exhaustive]
pub struct SignedInMember {
    /// The member.
    pub member: Member,
    /// Token in every form of this session, so that no other site can submit them.
    pub csrf_token: String,
    /// Whether the member has confirmed who they are within the last ten minutes. Stead requires this for actions that
    /// grant rights or can't be undone.
    pub stepped_up: bool,
    /// Whether the member has just signed in again at the provider, and only the one-time code is missing.
    pub awaits_code: bool,
    /// The member as a caller.
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

/// The message for every session that doesn't allow anything. It's always the same.
const ENDED: &str = "the session is unknown or has expired; sign in again";

fn ended() -> Error {
    Error::new(ErrorKind::Unauthenticated, ENDED)
}
