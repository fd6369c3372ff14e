//! events.get

use axum::http::Method;
use serde_json::Value;

use super::render::View;
use super::times::asked_zone;
use super::{at, calendar, found, scope, shapes};
use crate::google::errors::Refusal;
use crate::google::method::{ApiMethod, Call, Kind, Parameter};
use crate::state::State;

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.get",
    verb: Method::GET,
    path: "calendar/v3/calendars/{calendarId}/events/{eventId}",
    parameters: &[
        Parameter::one("alwaysIncludeEmail", Kind::Flag),
        Parameter::one("maxAttendees", Kind::Uint32),
        Parameter::one("timeZone", Kind::Text),
    ],
    scopes: scope::READ,
    shape: &shapes::EVENT,
    run,
};

/// Deleted events are given too.
fn run(state: &mut State, call: &Call) -> Result<Value, Refusal> {
    let place = calendar(state, call)?;
    let id = call.variable(1);
    // Time passes for a meeting in the making.
    for event in state
        .world
        .agenda
        .calendars
        .iter_mut()
        .flat_map(|calendar| &mut calendar.events)
    {
        if event.id() == id {
            event.meeting_due = event.meeting_due.saturating_sub(1);
        }
    }
    let agenda = &state.world.agenda;
    let (_, event) = found(agenda, place, id)?;
    let calendar = at(agenda, place);
    let mut view = View::of(call, calendar);
    view.zone = asked_zone(call, calendar.time_zone)?;
    Ok(view.event(&event))
}
