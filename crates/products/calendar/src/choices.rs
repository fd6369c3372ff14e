//! Values that the product defines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of event (Calendar API, `Event.eventType`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum EventType {
    /// An ordinary event.
    #[default]
    Default,
    /// A birthday.
    Birthday,
    /// Time to work undisturbed.
    FocusTime,
    /// Created by Gmail from a mail.
    FromGmail,
    /// Time away.
    OutOfOffice,
    /// Place of work.
    WorkingLocation,
}

impl EventType {
    /// Name in the API.
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

/// Response to an invitation (Calendar API, `EventAttendee.responseStatus`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// The description of the parameter tells a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum AttendeeResponse {
    /// Not answered yet.
    #[default]
    NeedsAction,
    /// Comes.
    Accepted,
    /// Doesn't come.
    Declined,
    /// Comes perhaps.
    Tentative,
}

impl AttendeeResponse {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeedsAction => "needsAction",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Tentative => "tentative",
        }
    }
}

/// Kind of event to create: every kind except those that the product creates. Known names are read in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum NewEventType {
    /// An ordinary event.
    #[default]
    Default,
    /// A birthday: all-day, yearly and private.
    Birthday,
    /// Time to work undisturbed. Needs the primary calendar of a Workspace account.
    FocusTime,
    /// Time away. Needs the primary calendar of a Workspace account.
    OutOfOffice,
    /// Place of work: `location`, or home if it's absent. Needs the primary calendar of a Workspace account.
    WorkingLocation,
    /// A text that the product doesn't know; the event is an ordinary one.
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

    /// Name in the API, or the caller's text.
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

    /// Whether the product doesn't know the kind.
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

/// Visibility of an event's details (Calendar API, `Event.visibility`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum Visibility {
    /// The calendar's default.
    #[default]
    Default,
    /// Anyone who can read the calendar sees the details.
    Public,
    /// Only guests see the details.
    Private,
    /// An older name for `private`.
    Confidential,
}

impl Visibility {
    /// Name in the API.
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
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum Transparency {
    /// The user is busy.
    #[default]
    Opaque,
    /// The user stays free.
    Transparent,
    /// Same as `opaque`.
    Busy,
    /// Same as `transparent`.
    Free,
}

impl Transparency {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opaque | Self::Busy => "opaque",
            Self::Transparent | Self::Free => "transparent",
        }
    }
}

/// The user's rights on a calendar (Calendar API, calendarList.list, `minAccessRole`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum AccessRole {
    /// See when it is free or busy.
    FreeBusyReader,
    /// Read events.
    Reader,
    /// Change events that aren't private.
    WriterWithoutPrivateAccess,
    /// Change events.
    Writer,
    /// Change events and sharing.
    Owner,
}

impl AccessRole {
    /// Name in the API.
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
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum EventOrder {
    /// By start, earliest first. Lists each occurrence separately.
    #[serde(rename = "startTime")]
    StartTime,
    /// By last change, oldest first.
    #[serde(rename = "updated")]
    Updated,
}

impl EventOrder {
    /// Name in the API.
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
