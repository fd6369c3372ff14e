//! Choices that the product names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of event it is (Calendar API, `Event.eventType`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum EventType {
    /// An ordinary event.
    #[default]
    Default,
    /// A birthday.
    Birthday,
    /// Time to work undisturbed.
    FocusTime,
    /// Made by Gmail from a mail.
    FromGmail,
    /// Time away.
    OutOfOffice,
    /// Where the user works.
    WorkingLocation,
}

impl EventType {
    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Birthday => "birthday",
            Self::FocusTime => "focusTime",
            Self::FromGmail => "fromGmail",
            Self::OutOfOffice => "outOfOffice",
            Self::WorkingLocation => "workingLocation",
        }
    }
}

/// What kind of event is created: all but those that the product makes itself. Known names are read in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum NewEventType {
    /// An ordinary event.
    #[default]
    Default,
    /// A birthday: all day, every year, private.
    Birthday,
    /// Time to work undisturbed; primary calendar of a Workspace account.
    FocusTime,
    /// Time away; primary calendar of a Workspace account.
    OutOfOffice,
    /// Where the user works: at `location`, or at home; primary calendar of a Workspace account.
    WorkingLocation,
    /// A text that the product does not know: the event is an ordinary one.
    Other(String),
}

impl NewEventType {
    const KNOWN: [Self; 5] = [
        Self::Default,
        Self::Birthday,
        Self::FocusTime,
        Self::OutOfOffice,
        Self::WorkingLocation,
    ];

    /// Name on the wire, or the caller's own text.
    pub fn name(&self) -> &str {
        match self {
            Self::Default => "default",
            Self::Birthday => "birthday",
            Self::FocusTime => "focusTime",
            Self::OutOfOffice => "outOfOffice",
            Self::WorkingLocation => "workingLocation",
            Self::Other(text) => text,
        }
    }

    /// Whether the product does not know it.
    pub(crate) fn is_other(&self) -> bool {
        matches!(self, Self::Other(_))
    }
}

impl From<String> for NewEventType {
    fn from(text: String) -> Self {
        let mut known = Self::KNOWN.into_iter();
        known
            .find(|one| one.name().eq_ignore_ascii_case(&text))
            .unwrap_or(Self::Other(text))
    }
}

impl From<NewEventType> for String {
    fn from(kind: NewEventType) -> Self {
        kind.name().to_owned()
    }
}

/// Who sees the event (Calendar API, `Event.visibility`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum Visibility {
    /// As the calendar says.
    #[default]
    Default,
    /// Everyone who reads the calendar sees the details.
    Public,
    /// Only guests see the details.
    Private,
    /// The same as private, under an older name.
    Confidential,
}

impl Visibility {
    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Public => "public",
            Self::Private => "private",
            Self::Confidential => "confidential",
        }
    }
}

/// Whether the event blocks time (Calendar API, `Event.transparency`), in the product's words or in plain ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum Transparency {
    /// The user is busy.
    #[default]
    Opaque,
    /// The user stays free.
    Transparent,
    /// The same as opaque.
    Busy,
    /// The same as transparent.
    Free,
}

impl Transparency {
    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opaque | Self::Busy => "opaque",
            Self::Transparent | Self::Free => "transparent",
        }
    }
}

/// What the user may do with a calendar (Calendar API, calendarList.list, `minAccessRole`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum AccessRole {
    /// See when it is free or busy.
    FreeBusyReader,
    /// Read events.
    Reader,
    /// Change events that are not private.
    WriterWithoutPrivateAccess,
    /// Change events.
    Writer,
    /// Change events and sharing.
    Owner,
}

impl AccessRole {
    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FreeBusyReader => "freeBusyReader",
            Self::Reader => "reader",
            Self::WriterWithoutPrivateAccess => "writerWithoutPrivateAccess",
            Self::Writer => "writer",
            Self::Owner => "owner",
        }
    }
}

/// Order of a list of events (Calendar API, events.list, `orderBy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum EventOrder {
    /// By start, earliest first; every occurrence by itself.
    #[serde(rename = "startTime")]
    StartTime,
    /// By last change, oldest first.
    #[serde(rename = "updated")]
    Updated,
}

impl EventOrder {
    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StartTime => "startTime",
            Self::Updated => "updated",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_in_any_case_and_any_other_text_is_kept() {
        for known in NewEventType::KNOWN {
            assert_eq!(NewEventType::from(known.name().to_uppercase()), known);
        }
        let other = NewEventType::from(String::from("Stand-up"));
        assert_eq!((other.name(), other.is_other()), ("Stand-up", true));
    }
}
