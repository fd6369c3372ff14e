//! One run of a tool, from the tool's point of view.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::RequiredScopes;

/// One run of a tool, as the tool sees it: no client, no token, no clock.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// ID of the run. It's random, or derived from the caller's idempotency key.
    pub id: Uuid,
    /// When the run started.
    pub now: Timestamp,
    /// Settings of the connection.
    pub settings: Map<String, Value>,
    /// Scopes that the user granted.
    pub granted_scopes: Vec<String>,
    /// Whether the caller requests the readable view, which can need additional requests.
    pub is_readable: bool,
    derived: DerivedIds,
}

/// The IDs that a run has derived. Another run of the same call has others.
#[derive(Debug, Clone, Default)]
pub(crate) struct DerivedIds(Arc<Mutex<Vec<Uuid>>>);

impl DerivedIds {
    /// The text without these IDs, so that it's the same in another run.
    #[cfg(feature = "platform")]
    pub(crate) fn removed_from(&self, text: &str) -> String {
        let ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.iter().fold(text.to_owned(), |text, id| {
            let text = text.replace(&id.to_string(), "*");
            text.replace(&id.simple().to_string(), "*")
        })
    }
}

impl Call {
    /// A run with this ID and time, without settings and scopes.
    pub fn new(id: Uuid, now: Timestamp) -> Self {
        Self {
            id,
            now,
            settings: Map::new(),
            granted_scopes: Vec::new(),
            is_readable: false,
            derived: DerivedIds::default(),
        }
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

    /// Sets whether the caller requests the readable view.
    #[must_use]
    pub fn readable(mut self, is_readable: bool) -> Self {
        self.is_readable = is_readable;
        self
    }

    /// ID for an object that this run creates at the product. It's the same for the same run and label, so the product
    /// can deduplicate a retry. Format it as the product requires.
    pub fn derive_id(&self, label: impl fmt::Display) -> Uuid {
        let mut digest = Sha256::new();
        digest.update(b"stead derived id\0");
        digest.update(self.id.as_bytes());
        digest.update(label.to_string().as_bytes());
        let digest = digest.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        let id = uuid::Builder::from_custom_bytes(bytes).into_uuid();
        let mut derived = self
            .derived
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        derived.push(id);
        id
    }

    /// The IDs that the run derives.
    #[cfg(feature = "platform")]
    pub(crate) fn derived(&self) -> DerivedIds {
        self.derived.clone()
    }

    /// Whether one of these scopes was granted.
    pub fn has_scope(&self, scopes: RequiredScopes) -> bool {
        scopes.covered_by(&self.granted_scopes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: u128) -> Call {
        Call::new(Uuid::from_u128(id), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn derived_ids_are_stable_across_releases() {
        // Products already have these IDs. A different value would make a retry create a second object.
        assert_eq!(
            call(7).derive_id("event").to_string(),
            "014ce90d-1229-80f0-8d0e-1f3466fc4272"
        );
        assert_eq!(
            call(7).derive_id("").to_string(),
            "01048397-01c7-88f4-83fc-5132ffa3779b"
        );
    }

    #[test]
    fn derived_ids_differ_by_label_and_call_and_nothing_else() {
        let id = call(7).derive_id("event");
        assert_ne!(id, call(7).derive_id("meeting"));
        assert_ne!(id, call(8).derive_id("event"));
        let other = Call::new(Uuid::from_u128(7), Timestamp::MAX).with_scopes(["a"]);
        assert_eq!(id, other.derive_id(String::from("event")));
        assert_eq!(id, call(7).derive_id(format_args!("ev{}", "ent")));
    }

    #[test]
    fn derived_ids_are_well_formed_and_not_the_calls_own() {
        let id = call(7).derive_id("event");
        assert_eq!(
            (id.get_version_num(), id.get_variant()),
            (8, uuid::Variant::RFC4122)
        );
        assert_ne!(id, call(7).id);
    }

    #[test]
    fn one_granted_scope_of_several_is_enough() {
        let call = call(1).with_scopes(["notes.read", "mail"]);
        let asked = [
            (&["notes.read"][..], true),
            (&["notes", "mail"], true),
            (&["notes"], false),
            (&["notes.READ"], false),
            (&[], true),
        ];
        for (scopes, covered) in asked {
            assert_eq!(
                call.has_scope(RequiredScopes(scopes)),
                covered,
                "{scopes:?}"
            );
        }
        assert!(
            !Call::new(Uuid::nil(), Timestamp::UNIX_EPOCH).has_scope(RequiredScopes(&["notes"]))
        );
    }
}
