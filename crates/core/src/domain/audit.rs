//! The audit log: who changed what. It's a hash chain, so no entry can be changed or removed without detection.

use jiff::Timestamp;
use serde_json::{Map, Value};

pub(crate) use crate::resource::audit::AuditEntryRow as AuditEntry;
use crate::{caller::Actor, digest::Digest, resource::AuditTarget};

/// An entry from a service. The commit adds its number, its time and its caller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewAudit {
    pub(crate) action: &'static str,
    pub(crate) target: AuditTarget,
    pub(crate) facts: Map<String, Value>,
}

impl NewAudit {
    /// An entry with an action and its target: a type and an ID.
    pub(crate) fn new(
        action: &'static str,
        target: &'static str,
        id: impl std::fmt::Display,
    ) -> Self {
        Self {
            action,
            target: AuditTarget {
                kind: target.to_owned(),
                id: id.to_string(),
            },
            facts: Map::new(),
        }
    }

    /// Adds a fact. It must not be a secret or a user's identifier.
    pub(crate) fn fact(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }
}

/// End of the chain: the number and the hash of the last entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuditHead {
    pub(crate) number: u64,
    pub(crate) hash: Digest,
}

impl AuditHead {
    /// The head of an empty log.
    pub(crate) fn start() -> Self {
        Self {
            number: 0,
            hash: Digest::zeros(),
        }
    }

    /// The next entry.
    pub(crate) fn next(
        &self,
        new: NewAudit,
        at: Timestamp,
        actor: Actor,
        request_id: Option<String>,
    ) -> AuditEntry {
        let mut entry = AuditEntry {
            number: self.number.saturating_add(1),
            at,
            actor,
            action: new.action.to_owned(),
            target: new.target,
            facts: new.facts,
            request_id,
            previous_hash: self.hash.clone(),
            hash: Digest::zeros(),
            extra: Default::default(),
        };
        entry.hash = entry.computed_hash();
        entry
    }
}

impl AuditEntry {
    /// The head after this entry.
    pub(crate) fn head(&self) -> AuditHead {
        AuditHead {
            number: self.number,
            hash: self.hash.clone(),
        }
    }

    /// Hash of its members: of the previous hash in hexadecimal, and the other members as JSON without spaces, sorted
    /// by name at every level.
    fn computed_hash(&self) -> Digest {
        let mut members = serde_json::to_value(self).unwrap_or_default();
        if let Some(members) = members.as_object_mut() {
            members.remove("hash");
            members.remove("previous_hash");
        }
        members.sort_all_objects();
        Digest::of(&format!("{}{members}", self.previous_hash.as_str()))
    }

    /// Why it doesn't follow the previous entry. `None` if it does.
    pub(crate) fn fault_after(&self, before: &AuditHead) -> Option<String> {
        let expected = before.number.saturating_add(1);
        if self.number > expected {
            return Some(format!("entry {expected} is missing"));
        }
        if self.number != expected {
            return Some(format!(
                "entry {expected} was expected, found {}",
                self.number
            ));
        }
        if self.hash != self.computed_hash() {
            return Some(format!(
                "entry {expected} was changed, because its hash doesn't match its members"
            ));
        }
        if self.previous_hash != before.hash {
            return Some(if before.number == 0 {
                String::from(
                    "entry 1 isn't the start of a chain, so entries before it were removed",
                )
            } else {
                format!(
                    "entry {expected} doesn't follow entry {}, so one of the two was replaced",
                    before.number
                )
            });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::caller::Caller;

    fn chain(length: usize) -> Vec<AuditEntry> {
        let mut head = AuditHead::start();
        let mut entries = Vec::new();
        for _ in 0..length {
            let actor = Caller::application("app_1").actor();
            let new = NewAudit::new("connection.changed", "connection", "conn_1")
                .fact("changed", vec!["permissions", "client_secret"])
                .fact("b", json!({ "z": 1, "a": "ü" }));
            let entry = head.next(new, Timestamp::UNIX_EPOCH, actor, None);
            head = entry.head();
            entries.push(entry);
        }
        entries
    }

    fn first_fault(entries: &[AuditEntry]) -> Option<String> {
        let mut head = AuditHead::start();
        for entry in entries {
            if let Some(fault) = entry.fault_after(&head) {
                return Some(fault);
            }
            head = entry.head();
        }
        None
    }

    #[test]
    fn the_hash_is_that_of_the_documented_text() {
        let [entry] = <[_; 1]>::try_from(chain(1)).unwrap();
        let text = concat!(
            "0000000000000000000000000000000000000000000000000000000000000000",
            r#"{"action":"connection.changed","actor":{"id":"app_1","type":"application"},"at":"1970-01-01T00:00:00Z","#,
            r#""facts":{"b":{"a":"ü","z":1},"changed":["permissions","client_secret"]},"number":1,"#,
            r#""target":{"id":"conn_1","type":"connection"}}"#,
        );
        assert_eq!(entry.hash, Digest::of(text));
    }

    #[test]
    fn an_entry_that_was_stored_and_read_has_its_hash() {
        for entry in chain(3) {
            let mut stored: Value = serde_json::to_value(&entry).unwrap();
            let read: AuditEntry = serde_json::from_value(stored.clone()).unwrap();
            assert_eq!(read.computed_hash(), entry.hash);
            // A member that only a newer version knows counts too.
            stored["newer"] = json!([1]);
            let read: AuditEntry = serde_json::from_value(stored).unwrap();
            assert_ne!(read.computed_hash(), entry.hash);
        }
    }

    /// Rows of a version without request IDs, followed by an entry that has one.
    #[test]
    fn entries_without_a_request_id_still_verify() {
        let first = concat!(
            r##"{"number":1,"at":"2026-11-20T08:00:00Z","actor":{"type":"operator"},"action":"connection.created"##,
            r##"","target":{"type":"connection","id":"conn_1"},"facts":{"connection_name":"mail","product":"mail"##,
            r##""},"previous_hash":"0000000000000000000000000000000000000000000000000000000000000000","hash":"68"##,
            r##"59d9a2548e0be085cd7742e4ab8a9d03d28e60fc88cb98806611154e38d25a"}"##,
        );
        let second = concat!(
            r##"{"number":2,"at":"2026-11-20T09:00:00Z","actor":{"type":"application","id":"app_1"},"action":"ac"##,
            r##"count.suspended","target":{"type":"account","id":"acct_1"},"facts":{"connection_name":"mail"},"p"##,
            r##"revious_hash":"6859d9a2548e0be085cd7742e4ab8a9d03d28e60fc88cb98806611154e38d25a","hash":"4beff80"##,
            r##"1f6cb392dde00c759045d58bd227365e6cdd449961ef954b35d9830e0"}"##,
        );
        let read = |row: &str| serde_json::from_str::<AuditEntry>(row).unwrap();
        let mut all = vec![read(first), read(second)];
        let actor = Caller::application("app_1").actor();
        let new = NewAudit::new("account_token.created", "account_token", "token_1");
        let id = Some(String::from("req_0123456789abcdef"));
        all.push(all[1].head().next(new, Timestamp::UNIX_EPOCH, actor, id));
        assert_eq!(first_fault(&all), None);
        // The hash also covers the request ID.
        all[2].request_id = None;
        let fault = first_fault(&all).unwrap();
        assert!(fault.starts_with("entry 3 was changed"), "{fault}");
        all[1].request_id = Some(String::from("req_0123456789abcdef"));
        let fault = first_fault(&all).unwrap();
        assert!(fault.starts_with("entry 2 was changed"), "{fault}");
    }

    #[test]
    fn tampering_with_a_chain_is_named_at_the_first_entry() {
        type Tamper = fn(&mut Vec<AuditEntry>);
        let rehash = |entry: &mut AuditEntry| entry.hash = entry.computed_hash();
        assert_eq!(first_fault(&chain(5)), None);
        let cases: [(Tamper, &str); 4] = [
            (
                |all| all[2].action = String::from("connection.created"),
                "entry 3 was changed",
            ),
            (
                |all| all[2].facts.clear(),
                "entry 3 was changed, because its hash doesn't match its members",
            ),
            (|all| drop(all.remove(2)), "entry 3 is missing"),
            (|all| drop(all.remove(0)), "entry 1 is missing"),
        ];
        for (tamper, expected) in cases {
            let mut all = chain(5);
            tamper(&mut all);
            let fault = first_fault(&all).unwrap();
            assert!(fault.starts_with(expected), "{fault}");
        }
        let mut replaced = chain(5);
        replaced[2].facts.clear();
        rehash(&mut replaced[2]);
        assert_eq!(
            first_fault(&replaced).unwrap(),
            "entry 4 doesn't follow entry 3, so one of the two was replaced"
        );
        let mut shortened = chain(5);
        shortened.remove(0);
        for (entry, number) in shortened.iter_mut().zip(1..) {
            entry.number = number;
            rehash(entry);
        }
        assert_eq!(
            first_fault(&shortened).unwrap(),
            "entry 1 isn't the start of a chain, so entries before it were removed"
        );
    }
}
