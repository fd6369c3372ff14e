//! The erasure of a user: the record that replaces their account, and how the remaining records stop naming them.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Account, Connection, Extra, NewEvent};
use crate::identifier::{AccountId, ConnectionId, ConnectionName};

/// When Stead searches the history, counted from the erasure. Later passes find calls that were running, or that
/// another process hadn't written yet.
const PASSES: [SignedDuration; 3] = [
    SignedDuration::ZERO,
    SignedDuration::from_mins(10),
    SignedDuration::from_hours(24),
];
/// Members of events that can name a person. An erasure removes them.
const PERSONAL: &[&str] = &["product_user", "subject", "email", "display"];

/// An erased user of a connection. It names no one, because the pseudonym is a keyed digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Erasure {
    /// Replaces the identifier; primary key.
    pub(crate) pseudonym: String,
    /// Connection.
    pub(crate) connection_id: ConnectionId,
    /// Its name, which the history of calls uses.
    pub(crate) connection_name: ConnectionName,
    /// All accounts that the user had.
    pub(crate) accounts: Vec<AccountId>,
    /// When the last of them was erased.
    pub(crate) erased_at: Timestamp,
    /// Number of completed passes through the history since then.
    pub(crate) passes: usize,
    /// When the next pass is due, if there is one.
    pub(crate) due_at: Option<Timestamp>,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// The record that remains of an account. `before` is the record of an earlier account of the same user.
pub(crate) fn erasure(
    connection: &Connection,
    account: &Account,
    pseudonym: String,
    before: Option<Erasure>,
    now: Timestamp,
) -> Erasure {
    let (mut accounts, extra) =
        before.map_or_else(Default::default, |before| (before.accounts, before.extra));
    accounts.push(account.id);
    Erasure {
        pseudonym,
        connection_id: connection.id,
        connection_name: connection.name.clone(),
        accounts,
        erased_at: now,
        passes: 0,
        due_at: Some(now),
        extra,
    }
}

impl Erasure {
    /// Whether rows can still name the user.
    pub(crate) fn is_pending(&self) -> bool {
        self.passes == 0
    }

    /// After a pass through the history.
    pub(crate) fn passed(self) -> Self {
        let passes = self.passes + 1;
        let next = PASSES.get(passes);
        Self {
            passes,
            due_at: next.and_then(|pause| self.erased_at.checked_add(*pause).ok()),
            ..self
        }
    }

    /// The account's last event.
    pub(crate) fn event(&self, account: AccountId) -> NewEvent {
        let data = json!({
            "connection_id": self.connection_id,
            "identifier": self.pseudonym,
        });
        NewEvent::new("account.erased", data).of_account(account, self.connection_id)
    }

    /// Whether calls without an account that have the user's name are the user's. They aren't if the first of them
    /// started after the erasure, because the identifier may be in use again.
    pub(crate) fn is_of_calls_since(&self, first_at: Timestamp) -> bool {
        first_at < self.erased_at
    }

    /// The event's facts without the user's name. Stead replaces the identifier and keeps other texts only if they're
    /// plain words such as states, IDs and scopes.
    pub(crate) fn without_name(&self, data: &Value) -> Value {
        match data {
            Value::Object(members) => members
                .iter()
                .filter(|(name, _)| !PERSONAL.contains(&name.as_str()))
                .map(|(name, value)| {
                    let value = match (name.as_str(), value) {
                        ("identifier", Value::String(_)) => json!(self.pseudonym),
                        _ => self.without_name(value),
                    };
                    (name.clone(), value)
                })
                .collect(),
            Value::Array(items) => items.iter().map(|item| self.without_name(item)).collect(),
            Value::String(text) if !is_plain(text) => Value::Null,
            other => other.clone(),
        }
    }
}

/// Whether a text is a single word such as a state, reason, ID, time or scope, which can't be an address.
fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
    text.len() <= 200 && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::testing::{START, account};

    fn erased() -> Erasure {
        Erasure {
            pseudonym: String::from("erased:x"),
            connection_id: ConnectionId::from_uuid(Uuid::from_u128(1)),
            connection_name: ConnectionName::new("mail").unwrap(),
            accounts: vec![account(7, "ada").id],
            erased_at: START,
            passes: 0,
            due_at: Some(START),
            extra: Extra::default(),
        }
    }

    #[test]
    fn three_passes_are_due() {
        let mut erasure = erased();
        let mut seen = Vec::new();
        while let Some(due) = erasure.due_at {
            seen.push(due.duration_since(START));
            erasure = erasure.passed();
        }
        assert_eq!(seen, PASSES);
        assert!(!erasure.is_pending());
    }

    #[test]
    fn calls_without_an_account_are_the_users_until_the_erasure() {
        let erasure = erased();
        assert!(erasure.is_of_calls_since(START - SignedDuration::from_secs(1)));
        assert!(!erasure.is_of_calls_since(START));
    }

    #[test]
    fn an_event_keeps_its_facts_and_no_name() {
        let erasure = erased();
        let data = json!({
            "connection_id": "conn_1",
            "identifier": "ada",
            "state": "failed",
            "reason": "the product said: ada@example.com is locked",
            "product_user": "ada@example.com",
            "missing_scopes": ["https://scopes.test/notes.read", "ada@example.com"],
            "attempts": 3,
            "inner": { "identifier": "ada", "subject": "1234" },
        });
        let expected = json!({
            "connection_id": "conn_1",
            "identifier": "erased:x",
            "state": "failed",
            "reason": null,
            "missing_scopes": ["https://scopes.test/notes.read", null],
            "attempts": 3,
            "inner": { "identifier": "erased:x" },
        });
        assert_eq!(erasure.without_name(&data), expected);
    }
}
