//! Places in the feed, as applications keep them.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use uuid::Uuid;

use crate::{Error, Result, domain::Event, identifier::EventId};

/// A place in the feed, after an event. Position and ID together detect a different event with the same position in a
/// restored database. The ID also has the event's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) position: i64,
    pub(super) id: EventId,
}

impl Cursor {
    /// Before every event.
    pub(super) const START: Self = Self {
        position: 0,
        id: EventId::from_uuid(Uuid::nil()),
    };

    pub(super) fn after(event: &Event) -> Option<Self> {
        Some(Self {
            position: event.position?,
            id: event.id,
        })
    }

    pub(super) fn read(text: &str) -> Result<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let cursor = bytes.and_then(|bytes| {
            let (position, id) = bytes.split_first_chunk()?;
            Some(Self {
                position: i64::from_be_bytes(*position),
                id: EventId::from_uuid(Uuid::from_slice(id).ok()?),
            })
        });
        cursor.ok_or_else(|| {
            Error::invalid_at(
                "/after",
                "expected the cursor of an event or of a page, unchanged",
            )
        })
    }

    /// When the event was created, from its ID.
    pub(super) fn moment(self) -> Option<Timestamp> {
        let (seconds, nanoseconds) = self.id.uuid().get_timestamp()?.to_unix();
        Timestamp::new(
            i64::try_from(seconds).ok()?,
            i32::try_from(nanoseconds).ok()?,
        )
        .ok()
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.position.to_be_bytes());
        bytes[8..].copy_from_slice(self.id.uuid().as_bytes());
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}
