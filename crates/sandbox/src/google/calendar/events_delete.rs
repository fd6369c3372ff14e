//! `events.delete`: deletes an event, or hides it from a guest's own calendar.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    check_etag,
    events_patch::{check_may_change, put_event},
    find_calendar, find_event, notifies_guests, scope,
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.delete",
    verb: Method::DELETE,
    path: "calendar/v3/calendars/{calendarId}/events/{eventId}",
    parameters: &[
        Parameter::one("sendNotifications", Kind::Flag),
        Parameter::one("sendUpdates", Kind::OneOf(&["all", "externalOnly", "none"])),
    ],
    scopes: scope::WRITE,
    schema: "Event",
    run,
};

/// A series takes its occurrences with it; a guest deletes the event from their own calendar only.
fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find_calendar(state, call)?;
    let (home, mut event) = find_event(&state.world.calendars, index, call.variable(1))?;
    if event.is_cancelled() {
        return Err(ApiError::of(410, "deleted", "Resource has been deleted"));
    }
    check_etag(call, &event)?;
    event.touch(state.now);
    if home != index {
        event.hidden_from.insert(call.user.clone());
        put_event(state, home, event);
        return Ok(Value::Null);
    }
    check_may_change(state, call, home, &event)?;
    event.fields.insert("status".to_owned(), json!("cancelled"));
    if notifies_guests(call) {
        state
            .world
            .calendars
            .notify(&event, "cancellation", &call.user);
    }
    let id = event.id().to_owned();
    put_event(state, home, event);
    let now = state.now;
    for occurrence in &mut state.world.calendars.all[home].events {
        if occurrence.text("recurringEventId") == id {
            occurrence
                .fields
                .insert("status".to_owned(), json!("cancelled"));
            occurrence.touch(now);
        }
    }
    Ok(Value::Null)
}
