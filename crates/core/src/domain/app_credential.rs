//! Credentials of the application itself, and the bearer tokens issued for them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A client id and secret of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AppCredential {
    /// Client id; primary key.
    pub(crate) client_id: String,
    /// Name for people.
    pub(crate) name: String,
    /// Digest of the secret.
    pub(crate) secret: Digest,
    /// When it was created.
    pub(crate) created_at: Timestamp,
}

/// A bearer token of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AccessToken {
    /// Digest of the token; primary key.
    pub(crate) token: Digest,
    /// Whose it is.
    pub(crate) client_id: String,
    /// When it ends.
    pub(crate) expires_at: Timestamp,
}
