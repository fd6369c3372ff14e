//! Events as an application reads them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_derive::Setters;

use super::event_type::EVENT_TYPES;
use crate::{Error, Result, api::resource, caller::Actor, identifier::EventId, similar::unknown};
#[cfg(feature = "platform")]
use crate::{domain::Extra, identifier::AccountId};

resource! {
    /// Something that happened. An event never contains tokens or the user's data at the product.
    #[schemars(example = json!({
        "id": "evt_01a2037b049d700989ef2fc8739d75ac", "type": "account.suspended",
        "timestamp": "2026-11-22T13:38:43Z", "cursor": "AAAAAAAAAAcBogN7BJ1wCYnvL8hznXWs",
        "actor": { "type": "application", "id": "app_01a2037b035070009412e81b2b61a1aa" },
        "data": {
            "account_id": "acct_01a2037b04b8700c83c89f211dc3e2d7",
            "connection_id": "conn_01a2037b049d70088eaab85ce92ba4ca", "connection_name": "mail", "product": "mail",
            "identifier": "user-1", "status": "suspended", "previous_status": "active", "missing_scopes": [],
        },
    }))]
    pub struct Event, stored as EventRow, shown with (row, cursor: String, data: Map<String, Value>) {
        /// ID of the event. Use it to detect events that you read twice.
        pub id: EventId = stored,
        /// Its type, such as `account.activated`.
        #[serde(rename = "type")]
        pub event_type: String = stored as name,
        /// When it happened, by the clock of the process that recorded it.
        pub timestamp: Timestamp = stored as at,
        /// Cursor to continue the feed after this event.
        pub cursor: String = computed cursor,
        /// The caller that caused it, if known.
        pub actor: Option<Actor> = stored #[serde(default)],
        /// Account, if it's about one.
        private account_id: Option<AccountId>,
        /// Data of the event. The reference lists the members of each type. Later versions can add members.
        pub data: Map<String, Value> = computed data,
        /// Facts, without secrets.
        private data: Value,
        /// Whether it's removed sooner than others.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private short_lived: bool,
        /// Its position in the order of commits, which the store assigns.
        #[serde(skip)]
        private position: Option<i64>,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

impl Event {
    /// A member of `data`, if it's a text.
    #[must_use]
    pub fn text(&self, member: &str) -> Option<&str> {
        self.data.get(member).and_then(Value::as_str)
    }
}

/// A page of the feed, in the order in which events were committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EventPage {
    /// The events.
    pub items: Vec<Event>,
    /// Cursor for the next page. It also skips events that didn't match the filter.
    #[schemars(example = &"AAAAAAAAAAcBogN7BJ1wCYnvL8hznXWs")]
    pub cursor: String,
    /// Whether more events may be available immediately.
    #[schemars(example = false)]
    pub more: bool,
    /// Whether you missed events after your cursor, because they're older than the retention period or the database was
    /// restored. Read the state of your accounts again.
    #[schemars(example = false)]
    pub gap: bool,
}

impl EventPage {
    /// A page of the feed.
    #[must_use]
    pub fn new(items: Vec<Event>, cursor: String, more: bool, gap: bool) -> Self {
        Self {
            items,
            cursor,
            more,
            gap,
        }
    }
}

/// Filters for events. An event has to match all of them.
#[derive(Debug, Clone, Default, PartialEq, Setters)]
#[non_exhaustive]
pub struct EventFilter {
    /// Only events of these types: full names or prefixes such as `account.*`. Defaults to all.
    pub types: Vec<String>,
    /// Only events about this connection and its accounts.
    pub connection_name: Option<String>,
    /// Only events about this user's accounts.
    pub identifier: Option<String>,
    /// Whether to return the newest first. A page then goes back from its cursor or the last event, and returns
    /// immediately.
    pub newest_first: bool,
}

impl EventFilter {
    /// Rejects a type that doesn't exist, because no event would ever match it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) with a similar name.
    pub fn check(&self) -> Result<()> {
        for given in &self.types {
            if !EVENT_TYPES.iter().any(|known| matches(given, known.name)) {
                let names = EVENT_TYPES.iter().map(|known| known.name);
                return Err(Error::invalid_at("/types", unknown(given, names)));
            }
        }
        Ok(())
    }

    /// Whether events of this type match.
    #[must_use]
    pub fn takes_type(&self, name: &str) -> bool {
        self.types.is_empty() || self.types.iter().any(|given| matches(given, name))
    }
}

/// Whether a filter such as `account.*`, `*` or `account.activated` matches a type.
fn matches(given: &str, name: &str) -> bool {
    match given.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => given == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_filters_accept_only_known_ones() {
        let mut names: Vec<_> = EVENT_TYPES.iter().map(|known| known.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        let filter = |types: &[&str]| EventFilter {
            types: types.iter().map(ToString::to_string).collect(),
            ..EventFilter::default()
        };
        assert!(filter(&[]).takes_type("account.activated"));
        let some = filter(&["authorization.*", "account.activated"]);
        some.check().unwrap();
        assert!(some.takes_type("account.activated") && some.takes_type("authorization.denied"));
        assert!(!some.takes_type("account.suspended") && !some.takes_type("account.activated2"));
        filter(&["*"]).check().unwrap();
        for wrong in ["acount.*", "account.activate", ""] {
            filter(&[wrong]).check().unwrap_err();
        }
    }
}
