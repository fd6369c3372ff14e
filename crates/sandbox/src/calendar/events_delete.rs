//! events.delete

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    calendar, check_etag,
    events_patch::{may_change, store},
    found, scope, shapes, tells,
};
use crate::{
    google::{
        errors::ApiError,
        method::{ApiMethod, Call, Kind, Parameter},
    },
    state::State,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.delete",
    verb: Method::DELETE,
    path: "calendar/v3/calendars/{calendarId}/events/{eventId}",
    parameters: &[
        Parameter::one("sendNotifications", Kind::Flag),
        Parameter::one("sendUpdates", Kind::OneOf(&["all", "externalOnly", "none"])),
    ],
    scopes: scope::WRITE,
    shape: &shapes::EVENT,
    run,
};

/// A series takes its occurrences with it; a guest deletes the event from the own calendar alone.
fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let place = calendar(state, call)?;
    let (home, mut event) = found(&state.world.calendars, place, call.variable(1))?;
    if event.is_cancelled() {
        return Err(ApiError::of(410, "deleted", "Resource has been deleted"));
    }
    check_etag(call, &event)?;
    event.touch(state.now);
    if home != place {
        event.hidden_from.insert(call.user.clone());
        store(state, home, event);
        return Ok(Value::Null);
    }
    may_change(state, call, home, &event)?;
    event.fields.insert("status".to_owned(), json!("cancelled"));
    if tells(call) {
        state
            .world
            .calendars
            .tell(&event, "cancellation", &call.user);
    }
    let id = event.id().to_owned();
    store(state, home, event);
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
