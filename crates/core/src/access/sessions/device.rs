//! A cookie for browsers that have signed in to an account, so that strangers who try its password can't lock them out.
//! The cookie gives no access.

use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::authenticate::owned;
use crate::{Result, context::Context, digest::Digest, sealed::place};

/// How long a browser is known after a sign-in.
const LIFE: SignedDuration = SignedDuration::from_hours(180 * 24);

/// Content of the cookie, before encryption.
#[derive(Serialize, Deserialize)]
struct Device {
    email: String,
    at: Timestamp,
}

/// The value of the cookie for the browser of a session.
pub(crate) async fn of_session(context: &Context, session_id: &str) -> Result<SecretString> {
    let (_, member) = owned(context, session_id).await?;
    let device = Device {
        email: member.row.email,
        at: context.host.now(),
    };
    let text = context.store.vault.seal_text(&place::Device(), &device)?;
    Ok(text.into())
}

/// The browser's digest, if this account has signed in with it.
pub(super) async fn known(
    context: &Context,
    email: &str,
    cookie: Option<&SecretString>,
) -> Option<Digest> {
    let cookie = cookie?.expose_secret();
    let vault = &context.store.vault;
    let device: Device = vault.open_text(&place::Device(), cookie).await.ok()??;
    let age = context.host.now().duration_since(device.at);
    (device.email == email && age < LIFE).then(|| Digest::of(cookie))
}
