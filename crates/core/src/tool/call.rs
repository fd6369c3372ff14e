use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::AnyOf;

/// One run of a tool, as the tool sees it: no client, no token, no clock.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// Id of the run: random, or derived from the caller's idempotency key.
    pub id: Uuid,
    /// When the run began.
    pub now: Timestamp,
    /// Settings of the connection.
    pub settings: Map<String, Value>,
    /// Scopes that the user granted.
    pub granted_scopes: Vec<String>,
}

impl Call {
    /// A run with this id, at this time, with no settings and no scopes.
    pub fn new(id: Uuid, now: Timestamp) -> Self {
        Self { id, now, settings: Map::new(), granted_scopes: Vec::new() }
    }

    /// Adds the connection's settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Map<String, Value>) -> Self {
        self.settings = settings;
        self
    }

    /// Adds the scopes that the user granted.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.granted_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// An id for an object that this run makes at the product: the same for the same run and label, so that a
    /// repeat meets the product's own deduplication. Format it as the product asks.
    pub fn derive_id(&self, label: impl fmt::Display) -> Uuid {
        let mut digest = Sha256::new();
        digest.update(b"stead derived id\0");
        digest.update(self.id.as_bytes());
        digest.update(label.to_string().as_bytes());
        let digest = digest.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// Whether one of these scopes was granted.
    pub fn has_scope(&self, scopes: AnyOf) -> bool {
        scopes.covered_by(&self.granted_scopes)
    }
}
