//! A data key as it is stored, and its states.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;

use super::{NewAudit, NewEvent};
pub(crate) use crate::resource::key::DataKeyRow as DataKey;
use crate::{Error, ErrorKind, Result, state::DataKeyState};

/// A trigger of a transition.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trigger {
    /// It becomes the active key.
    Activated,
    /// Another key becomes the active one.
    Replaced,
    /// Nothing is encrypted with it any more.
    Retired,
}

impl DataKey {
    /// The key after the trigger. `None` if nothing changes. `now` is the store's time.
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
            // The body doesn't have the key any more, so no one who reads this row can decrypt anything with it.
            (Added | Retiring, Trigger::Retired) => Self {
                state: Retired,
                wrapped: None,
                retired_at: Some(now),
                unopened_by: BTreeMap::new(),
                ..next
            },
            (Active, Trigger::Activated)
            | (Added | Retiring | Retired, Trigger::Replaced)
            | (Retired, Trigger::Retired) => return Ok(None),
            (Retired, Trigger::Activated) => {
                return Err(self.refused("it is retired and its key is destroyed; add another key"));
            }
            (Active, Trigger::Retired) => {
                return Err(self.refused("it is the active key; activate another one first"));
            }
        };
        Ok(Some(after))
    }

    /// The error for an action that its state doesn't allow.
    pub(crate) fn refused(&self, why: &str) -> Error {
        Error::new(
            ErrorKind::InvalidTransition,
            format!("the data key {}: {why}", self.id),
        )
    }

    /// An audit entry about it.
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
    use uuid::Uuid;

    use super::*;
    use crate::{identifier::DataKeyId, sealed::Sealed};

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
        let triggers = [Trigger::Activated, Trigger::Replaced, Trigger::Retired];
        // The next state. `None` if nothing changes; refused if it's an error.
        let (to, none) = (|state| Ok(Some(state)), Ok(None));
        let refused = Err(ErrorKind::InvalidTransition);
        let table = [
            (Added, [to(Active), none, to(Retired)]),
            (Active, [none, to(Retiring), refused]),
            (Retiring, [to(Active), none, to(Retired)]),
            (Retired, [refused, none, none]),
        ];
        assert_eq!(table.map(|(state, _)| state), DataKeyState::ALL);
        for (state, expected) in table {
            for (trigger, expected) in triggers.into_iter().zip(expected) {
                let said = format!("{state:?} {trigger:?}");
                let after = key(state).on(trigger, NOW);
                let state_of = |after: &Option<DataKey>| after.as_ref().map(|key| key.state);
                let got = after.as_ref().map(state_of);
                assert_eq!(got.map_err(Error::kind), expected, "{said}");
                // Its key is removed only when it's retired. A time is recorded only when the trigger changes it.
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
