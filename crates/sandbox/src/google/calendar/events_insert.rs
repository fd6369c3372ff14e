//! `events.insert`: a new event, with a video meeting where the body asks for one.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{
    WRITE_PARAMETERS, body, calendar_at, event_type, find_writable_calendar, meeting,
    notifies_guests, render::View, scope,
};
use crate::{
    google::{ApiError, ApiMethod, Call, State, world::calendars::Event},
    ids::hex,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.insert",
    verb: Method::POST,
    path: "calendar/v3/calendars/{calendarId}/events",
    parameters: &WRITE_PARAMETERS,
    scopes: scope::WRITE,
    schema: "Event",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    insert(state, call, call.object()?)
}

/// Adds an event of these members.
pub(super) fn insert(
    state: &mut State,
    call: &Call,
    sent: Map<String, Value>,
) -> Result<Value, ApiError> {
    let index = find_writable_calendar(state, call)?;
    let now = state.now;
    let mut fields = body::check_members(sent)?;
    let conference = fields.remove("conferenceData");
    let id = match fields.get("id") {
        Some(id) => id.as_str().unwrap_or_default().to_owned(),
        None => hex(state.ids.fresh("event", 12).as_bytes())[..26].to_owned(),
    };
    if !is_id(&id) {
        return Err(ApiError::of(400, "invalid", "Invalid resource id value."));
    }
    let calendar = calendar_at(&state.world.calendars, index);
    // The id of a deleted event stays taken.
    if calendar.event(&id).is_some() {
        return Err(ApiError::of(
            409,
            "duplicate",
            "The requested identifier already exists.",
        ));
    }
    body::check_event(&mut fields, calendar)?;
    event_type::check(&fields, calendar)?;
    fields.insert("iCalUID".to_owned(), json!(format!("{id}@google.com")));
    fields.insert("id".to_owned(), json!(id));
    fields.entry("status").or_insert(json!("confirmed"));
    fields.insert("creator".to_owned(), json!({ "email": call.user }));
    fields.insert(
        "organizer".to_owned(),
        json!({ "email": calendar.id, "displayName": calendar.summary }),
    );
    let mut event = Event::new(fields, now);
    meeting::create(call, calendar, conference.as_ref(), &mut event)?;
    let response = View::of(call, calendar).event(&event);
    if notifies_guests(call) {
        state
            .world
            .calendars
            .notify(&event, "invitation", &call.user);
    }
    state.world.calendars.all[index].events.push(event);
    Ok(response)
}

/// 5 to 1024 characters of base32hex in lower case (discovery, `Event.id`).
fn is_id(id: &str) -> bool {
    (5..=1024).contains(&id.len())
        && id
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'v' | b'0'..=b'9'))
}
