//! Binds a browser to its way to the provider and back. The attempt is encrypted in a cookie, so people who aren't
//! signed in write no rows.

use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};

use super::not_completed;
use crate::{Result, context::Context, digest::Digest, oauth::Callback, sealed::place};

/// How long signing in at the provider may take.
const LIFE: SignedDuration = SignedDuration::from_mins(10);

/// One sign-in of a browser at the provider.
#[derive(Serialize, Deserialize)]
pub(crate) struct Attempt {
    /// Returned in the callback.
    #[serde(serialize_with = "exposed")]
    pub(super) state: SecretString,
    /// Returned in the ID token.
    #[serde(serialize_with = "exposed")]
    pub(super) nonce: SecretString,
    /// Proves to the token endpoint who requested the code (RFC 7636).
    #[serde(serialize_with = "exposed")]
    pub(super) verifier: SecretString,
    /// Where the browser continues afterwards.
    pub(crate) next: String,
    pub(super) began_at: Timestamp,
    /// The session whose member confirms their identity, or `None` for a new session.
    pub(crate) again: Option<Digest>,
}

fn exposed<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

impl Attempt {
    pub(super) fn new(context: &Context, next: String, again: Option<Digest>) -> Self {
        Self {
            state: context.host.new_secret(""),
            nonce: context.host.new_secret(""),
            verifier: context.host.new_secret(""),
            next,
            began_at: context.host.now(),
            again,
        }
    }

    /// Encrypts the attempt as a cookie's value.
    pub(super) fn seal(&self, context: &Context) -> Result<SecretString> {
        let text = context
            .store
            .vault
            .seal_text(&place::SignInAttempt(), self)?;
        Ok(text.into())
    }
}

/// Returns the attempt that this browser started. Its state must match and it must not have expired.
pub(crate) async fn open(
    context: &Context,
    cookie: Option<&str>,
    callback: &Callback,
) -> Result<Attempt> {
    let unknown = || {
        not_completed(
            "this browser didn't start the sign-in, or it took longer than ten minutes; start again",
        )
    };
    let (vault, cookie) = (&context.store.vault, cookie.ok_or_else(unknown)?);
    let opened = vault.open_text(&place::SignInAttempt(), cookie).await?;
    let attempt: Attempt = opened.ok_or_else(unknown)?;
    let age = context.host.now().duration_since(attempt.began_at);
    if age >= LIFE {
        return Err(unknown());
    }
    let state = Digest::of(attempt.state.expose_secret());
    let is_own = callback
        .state
        .as_deref()
        .is_some_and(|given| state.is_of(given));
    is_own.then_some(attempt).ok_or_else(|| {
        not_completed("this browser started another sign-in after this one; continue with that one, or start again")
    })
}
