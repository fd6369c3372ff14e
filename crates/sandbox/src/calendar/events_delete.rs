//! events.delete

use axum::http::Method;
use serde_json::{Value, json};

use super::events_patch::{may_change, store};
use super::{calendar, check_etag, found, scope, shapes, tells};
use crate::google::errors::Refusal;
use crate::google::method::{ApiMethod, Call, Kind, Parameter};
use crate::state::State;

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
fn run(state: &mut State, call: &Call) -> Result<Value, Refusal> {
    let place = calendar(state, call)?;
    let (home, mut event) = found(&state.world.agenda, place, call.variable(1))?;
    if event.is_cancelled() {
        return Err(Refusal::of(410, "deleted", "Resource has been deleted"));
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
        state.world.agenda.tell(&event, "cancellation", &call.user);
    }
    let id = event.id().to_owned();
    store(state, home, event);
    let now = state.now;
    for occurrence in &mut state.world.agenda.calendars[home].events {
        if occurrence.text("recurringEventId") == id {
            occurrence
                .fields
                .insert("status".to_owned(), json!("cancelled"));
            occurrence.touch(now);
        }
    }
    Ok(Value::Null)
}
