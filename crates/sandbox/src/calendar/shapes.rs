//! Fields of responses (discovery, `schemas`).

use crate::google::fields::Shape;

const LEAF: &Shape = &Shape::Leaf;
const OPEN: &Shape = &Shape::Open;

/// `EventDateTime`.
static EDGE: Shape = Shape::Fields(&[("date", LEAF), ("dateTime", LEAF), ("timeZone", LEAF)]);

/// `EventAttendee`, and the members of creator and organizer.
static PERSON: Shape = Shape::Fields(&[
    ("additionalGuests", LEAF),
    ("comment", LEAF),
    ("displayName", LEAF),
    ("email", LEAF),
    ("id", LEAF),
    ("optional", LEAF),
    ("organizer", LEAF),
    ("resource", LEAF),
    ("responseStatus", LEAF),
    ("self", LEAF),
]);

/// `Event`.
pub(super) static EVENT: Shape = Shape::Fields(&[
    ("anyoneCanAddSelf", LEAF),
    ("attachments", OPEN),
    ("attendees", &PERSON),
    ("attendeesOmitted", LEAF),
    ("birthdayProperties", OPEN),
    ("colorId", LEAF),
    ("conferenceData", OPEN),
    ("created", LEAF),
    ("creator", &PERSON),
    ("description", LEAF),
    ("end", &EDGE),
    ("endTimeUnspecified", LEAF),
    ("etag", LEAF),
    ("eventLabelId", LEAF),
    ("eventType", LEAF),
    ("extendedProperties", OPEN),
    ("focusTimeProperties", OPEN),
    ("gadget", OPEN),
    ("guestsCanInviteOthers", LEAF),
    ("guestsCanModify", LEAF),
    ("guestsCanSeeOtherGuests", LEAF),
    ("hangoutLink", LEAF),
    ("htmlLink", LEAF),
    ("iCalUID", LEAF),
    ("id", LEAF),
    ("kind", LEAF),
    ("location", LEAF),
    ("locked", LEAF),
    ("organizer", &PERSON),
    ("originalStartTime", &EDGE),
    ("outOfOfficeProperties", OPEN),
    ("privateCopy", LEAF),
    ("recurrence", LEAF),
    ("recurringEventId", LEAF),
    ("reminders", OPEN),
    ("sequence", LEAF),
    ("source", OPEN),
    ("start", &EDGE),
    ("status", LEAF),
    ("summary", LEAF),
    ("transparency", LEAF),
    ("updated", LEAF),
    ("visibility", LEAF),
    ("workingLocationProperties", OPEN),
]);

/// `Events`.
pub(super) static EVENTS: Shape = Shape::Fields(&[
    ("accessRole", LEAF),
    ("defaultReminders", OPEN),
    ("description", LEAF),
    ("etag", LEAF),
    ("items", &EVENT),
    ("kind", LEAF),
    ("nextPageToken", LEAF),
    ("nextSyncToken", LEAF),
    ("summary", LEAF),
    ("timeZone", LEAF),
    ("updated", LEAF),
]);

/// `CalendarList`.
pub(super) static CALENDAR_LIST: Shape = Shape::Fields(&[
    ("etag", LEAF),
    ("items", OPEN),
    ("kind", LEAF),
    ("nextPageToken", LEAF),
    ("nextSyncToken", LEAF),
]);
