//! Credentials of the application itself, and the bearer tokens issued for them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A client id and secret of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AppCredential {
    /// Client id; primary key.
    pub client_id: String,
    /// Name for people.
    pub name: String,
    /// Digest of the secret.
    pub secret: Digest,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A bearer token of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccessToken {
    /// Digest of the token; primary key.
    pub token: Digest,
    /// Whose it is.
    pub client_id: String,
    /// When it ends.
    pub expires_at: Timestamp,
}
