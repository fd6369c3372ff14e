//! `events.update`: replaces an event, or one occurrence of a series; what is not sent is reset.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{
    events_patch::{PARAMETERS, change},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.update",
    verb: Method::PUT,
    path: "calendar/v3/calendars/{calendarId}/events/{eventId}",
    parameters: &PARAMETERS,
    scopes: scope::WRITE,
    schema: "Event",
    run,
};

/// Members that stay: those that only the product writes, and the meeting, which has a parameter of its own.
const KEPT: [&str; 10] = [
    "conferenceData",
    "creator",
    "eventType",
    "hangoutLink",
    "iCalUID",
    "id",
    "organizer",
    "originalStartTime",
    "recurringEventId",
    "sequence",
];

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    change(state, call, replace)
}

fn replace(fields: &mut Map<String, Value>, sent: Map<String, Value>) {
    fields.retain(|name, _| KEPT.contains(&name.as_str()));
    fields.extend(sent.into_iter().filter(|(_, value)| !value.is_null()));
    fields.entry("status").or_insert(json!("confirmed"));
}
