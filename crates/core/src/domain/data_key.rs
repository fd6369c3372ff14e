//! A data key, as it is stored, and the states that it goes through.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Extra, NewAudit, NewEvent};
use crate::{Error, ErrorKind, Result, identifier::DataKeyId, sealed::Sealed, state::DataKeyState};

/// A data key, wrapped by a key of the ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DataKey {
    /// Id; primary key.
    pub(crate) id: DataKeyId,
    /// Key of the ring that wraps it.
    pub(crate) ring_key: String,
    /// The wrapped key; `None` once it is retired.
    pub(crate) wrapped: Option<Sealed>,
    /// State.
    #[serde(default)]
    pub(crate) state: DataKeyState,
    /// When it was made.
    pub(crate) created_at: Timestamp,
    /// When it last became active; the first key of a store is active from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) activated_at: Option<Timestamp>,
    /// When it was destroyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retired_at: Option<Timestamp>,
    /// Processes that could not open it while it was added, and when each said so last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unopened_by: BTreeMap<Uuid, Timestamp>,
    /// When the first process ran that gives rows MACs, on a store from before there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) upgraded_at: Option<Timestamp>,
    /// Since when rows need a MAC. It is bound into `wrapped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) authenticates_rows_since: Option<Timestamp>,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// What happens to a data key.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    /// It is to seal.
    Activated,
    /// Another one seals from now on.
    Replaced,
    /// Nothing is sealed with it any more.
    Retired,
    /// Another key of the ring wraps it.
    Wrapped { ring_key: String, wrapped: Sealed },
    /// A process cannot open it.
    Unopened(Uuid),
}

impl DataKey {
    /// The key after what happened, or `None` where it stays as it is. `now` is the store's time.
    pub(crate) fn on(&self, trigger: Trigger, now: Timestamp) -> Result<Option<Self>> {
        use DataKeyState::{Active, Added, Retired, Retiring};
        let next = self.clone();
        let after = match (self.state, trigger) {
            (Added | Retiring, Trigger::Activated) => Self {
                state: Active,
                activated_at: Some(now),
                unopened_by: BTreeMap::new(),
                ..next
            },
            (Active, Trigger::Replaced) => Self {
                state: Retiring,
                ..next
            },
            // The body no longer has the key; no one who reads this row can open anything with it.
            (Added | Retiring, Trigger::Retired) => Self {
                state: Retired,
                wrapped: None,
                retired_at: Some(now),
                unopened_by: BTreeMap::new(),
                ..next
            },
            (Added | Active | Retiring, Trigger::Wrapped { ring_key, wrapped }) => Self {
                ring_key,
                wrapped: Some(wrapped),
                ..next
            },
            (Added, Trigger::Unopened(process)) => {
                let mut next = next;
                next.unopened_by.insert(process, now);
                next
            }
            (Active, Trigger::Activated)
            | (Added | Retiring | Retired, Trigger::Replaced)
            | (Retired, Trigger::Retired | Trigger::Wrapped { .. })
            | (Active | Retiring | Retired, Trigger::Unopened(_)) => return Ok(None),
            (Retired, Trigger::Activated) => {
                return Err(self.refused("it is retired and its key is destroyed; add another key"));
            }
            (Active, Trigger::Retired) => {
                return Err(self.refused("it is the active key; activate another one first"));
            }
        };
        Ok(Some(after))
    }

    /// Why something cannot be done with it now.
    pub(crate) fn refused(&self, why: &str) -> Error {
        Error::new(
            ErrorKind::InvalidTransition,
            format!("the data key {}: {why}", self.id),
        )
    }

    /// The entry of the audit log for what was done to it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "key", self.id).fact("ring_key", self.ring_key.as_str())
    }

    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({ "key_id": self.id, "status": self.state, "ring_key": self.ring_key });
        NewEvent::new(name, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);

    fn key(state: DataKeyState) -> DataKey {
        DataKey {
            id: DataKeyId::from_uuid(Uuid::from_u128(1)),
            ring_key: String::from("old"),
            wrapped: (state != DataKeyState::Retired).then(|| Sealed::from_bytes(vec![1])),
            state,
            created_at: NOW,
            activated_at: None,
            retired_at: None,
            unopened_by: BTreeMap::new(),
            upgraded_at: None,
            authenticates_rows_since: None,
            extra: Default::default(),
        }
    }

    #[test]
    fn every_state_and_trigger() {
        use DataKeyState::{Active, Added, Retired, Retiring};
        let wrapped = || Trigger::Wrapped {
            ring_key: String::from("new"),
            wrapped: Sealed::from_bytes(vec![2]),
        };
        let triggers = || {
            [
                Trigger::Activated,
                Trigger::Replaced,
                Trigger::Retired,
                wrapped(),
                Trigger::Unopened(Uuid::nil()),
            ]
        };
        // The state after it; `None` where nothing changes; refused where it is an error.
        let refused = Err(ErrorKind::InvalidTransition);
        let table = [
            (
                Added,
                [
                    Ok(Some(Active)),
                    Ok(None),
                    Ok(Some(Retired)),
                    Ok(Some(Added)),
                    Ok(Some(Added)),
                ],
            ),
            (
                Active,
                [
                    Ok(None),
                    Ok(Some(Retiring)),
                    refused,
                    Ok(Some(Active)),
                    Ok(None),
                ],
            ),
            (
                Retiring,
                [
                    Ok(Some(Active)),
                    Ok(None),
                    Ok(Some(Retired)),
                    Ok(Some(Retiring)),
                    Ok(None),
                ],
            ),
            (Retired, [refused, Ok(None), Ok(None), Ok(None), Ok(None)]),
        ];
        assert_eq!(table.map(|(state, _)| state), DataKeyState::ALL);
        for (state, expected) in table {
            for (trigger, expected) in triggers().into_iter().zip(expected) {
                let said = format!("{state:?} {trigger:?}");
                let after = key(state).on(trigger, NOW);
                let got = after
                    .as_ref()
                    .map(|after| after.as_ref().map(|key| key.state));
                assert_eq!(got.map_err(Error::kind), expected, "{said}");
                // Where it is retired, and only there, its key is gone; and a moment is noted where it changes that.
                if let Ok(Some(after)) = after {
                    let activates = state != Active && after.state == Active;
                    assert_eq!(after.activated_at, activates.then_some(NOW), "{said}");
                    let retires = after.state == Retired;
                    assert_eq!(after.retired_at, retires.then_some(NOW), "{said}");
                    assert_eq!(after.wrapped.is_none(), after.state == Retired, "{said}");
                }
            }
        }
    }

    #[test]
    fn a_key_without_a_state_is_active() {
        let mut body = serde_json::to_value(key(DataKeyState::Added)).unwrap();
        body.as_object_mut().unwrap().remove("state");
        let read: DataKey = serde_json::from_value(body).unwrap();
        assert_eq!(read.state, DataKeyState::Active);
    }
}
