//! Google's OAuth scopes, and the scopes that each tool needs.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery document `calendar:v3`.

use stead_core::tool::RequiredScopes;

/// Full access: calendars, their sharing and their events.
pub const CALENDAR: &str = "https://www.googleapis.com/auth/calendar";
/// Read calendars and events.
pub const READONLY: &str = "https://www.googleapis.com/auth/calendar.readonly";
/// Read and change events of all calendars.
pub const EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
/// Read events of all calendars.
pub const EVENTS_READONLY: &str = "https://www.googleapis.com/auth/calendar.events.readonly";
/// Read and change events of the calendars that the user owns.
pub const EVENTS_OWNED: &str = "https://www.googleapis.com/auth/calendar.events.owned";
/// Read events of the calendars that the user owns.
pub const EVENTS_OWNED_READONLY: &str =
    "https://www.googleapis.com/auth/calendar.events.owned.readonly";
/// Read events of public calendars.
pub const EVENTS_PUBLIC_READONLY: &str =
    "https://www.googleapis.com/auth/calendar.events.public.readonly";
/// See when the user is free or busy.
pub const EVENTS_FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.events.freebusy";
/// See when people are busy, without the events.
pub const FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";
/// Create calendars, and change only their events.
pub const APP_CREATED: &str = "https://www.googleapis.com/auth/calendar.app.created";
/// Read and change the list of calendars.
pub const CALENDAR_LIST: &str = "https://www.googleapis.com/auth/calendar.calendarlist";
/// Read the list of calendars.
pub const CALENDAR_LIST_READONLY: &str =
    "https://www.googleapis.com/auth/calendar.calendarlist.readonly";

/// For `events.insert`, `events.patch` and `events.delete`.
pub(crate) const WRITE_EVENTS: RequiredScopes =
    RequiredScopes(&[EVENTS, CALENDAR, EVENTS_OWNED, APP_CREATED]);
/// For `events.list`, `events.get` and `events.instances`.
pub(crate) const READ_EVENTS: RequiredScopes = RequiredScopes(&[
    EVENTS,
    EVENTS_READONLY,
    CALENDAR,
    READONLY,
    EVENTS_OWNED,
    EVENTS_OWNED_READONLY,
    EVENTS_PUBLIC_READONLY,
    EVENTS_FREEBUSY,
    APP_CREATED,
]);
/// For `calendarList.list`.
pub(crate) const LIST_CALENDARS: RequiredScopes =
    RequiredScopes(&[CALENDAR_LIST_READONLY, CALENDAR_LIST, READONLY, CALENDAR]);
