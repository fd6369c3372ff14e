//! How resources show a secret. A `SecretString` doesn't serialize, so each member that is meant to leave the process
//! says so.

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize as _, Serializer};

/// Writes an optional secret as text.
pub(super) fn exposed_if_any<S: Serializer>(
    secret: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let secret = secret.as_ref().map(|secret| secret.expose_secret());
    secret.serialize(serializer)
}

/// Writes a secret as text.
pub(super) fn exposed<S: Serializer>(
    secret: &SecretString,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}
