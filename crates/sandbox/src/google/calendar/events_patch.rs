//! `events.patch`: changes members of an event, or of one occurrence of a series.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{
    WRITE_PARAMETERS, body, calendar_at, check_etag, event_type, find_calendar, find_event,
    meeting, not_found, notifies_guests, render::View, scope,
};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State,
    world::calendars::{Event, Role},
};

/// Parameters of the methods that change an event.
pub(super) const PARAMETERS: [Parameter; 7] = {
    let [
        conference,
        label,
        guests,
        notifications,
        updates,
        attachments,
    ] = WRITE_PARAMETERS;
    [
        Parameter::one("alwaysIncludeEmail", Kind::Flag),
        conference,
        label,
        guests,
        notifications,
        updates,
        attachments,
    ]
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.patch",
    verb: Method::PATCH,
    path: "calendar/v3/calendars/{calendarId}/events/{eventId}",
    parameters: &PARAMETERS,
    scopes: scope::WRITE,
    schema: "Event",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    change(state, call, merge)
}

/// Changes an event: `combine` makes the members that it has of those that were sent.
pub(super) fn change(
    state: &mut State,
    call: &Call,
    combine: fn(&mut Map<String, Value>, Map<String, Value>),
) -> Result<Value, ApiError> {
    let index = find_calendar(state, call)?;
    let calendars = &state.world.calendars;
    let (home, mut event) = find_event(calendars, index, call.variable(1))?;
    if event.is_cancelled() && call.object()?.get("status").is_none() {
        return Err(not_found());
    }
    check_may_change(state, call, home, &event)?;
    check_etag(call, &event)?;
    let mut changes = body::check_members(call.object()?)?;
    let conference = changes.remove("conferenceData");
    let home_calendar = calendar_at(calendars, home);
    if let Some(id) = changes.remove("id")
        && id != event.id()
    {
        return Err(ApiError::of(400, "invalid", "Invalid resource id value."));
    }
    let kind =
        |fields: &Map<String, Value>| fields.get("eventType").cloned().unwrap_or(json!("default"));
    if changes.contains_key("eventType") && kind(&changes) != kind(&event.fields) {
        return Err(ApiError::of(
            400,
            "eventTypeRestriction",
            "Event type cannot be changed.",
        ));
    }
    combine(&mut event.fields, changes);
    body::check_event(&mut event.fields, home_calendar)?;
    event_type::check(&event.fields, home_calendar)?;
    meeting::create(call, home_calendar, conference.as_ref(), &mut event)?;
    event.touch(state.now);
    let response = View::of(call, calendar_at(calendars, index)).event(&event);
    if notifies_guests(call) {
        state.world.calendars.notify(&event, "change", &call.user);
    }
    put_event(state, home, event);
    Ok(response)
}

/// Whoever may write in the event's calendar may change it, and guests where the event says so.
pub(super) fn check_may_change(
    state: &State,
    call: &Call,
    home: usize,
    event: &Event,
) -> Result<(), ApiError> {
    let calendars = &state.world.calendars;
    let writes =
        |index: usize| calendar_at(calendars, index).role(&call.user) >= Some(Role::Writer);
    let as_guest =
        event.fields.get("guestsCanModify") == Some(&json!(true)) && event.is_guest(&call.user);
    if writes(home) || as_guest {
        return Ok(());
    }
    let message = "You need to have writer access to this calendar.";
    Err(ApiError::of(403, "requiredAccessLevel", message))
}

/// Puts an event into its calendar: in place of the one with its id, or as an occurrence that now differs.
pub(super) fn put_event(state: &mut State, home: usize, event: Event) {
    let events = &mut state.world.calendars.all[home].events;
    match events.iter_mut().find(|known| known.id() == event.id()) {
        Some(known) => *known = event,
        None => events.push(event),
    }
}

/// Members of objects are merged, lists are replaced, `null` removes (Calendar API, "Performance tips",
/// Patch).
fn merge(fields: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (name, change) in changes {
        match (fields.get_mut(&name), change) {
            (_, Value::Null) => drop(fields.remove(&name)),
            (Some(Value::Object(known)), Value::Object(change)) => merge(known, change),
            (_, mut change) => {
                if let Value::Object(members) = &mut change {
                    members.retain(|_, value| !value.is_null());
                }
                fields.insert(name, change);
            }
        }
    }
}
