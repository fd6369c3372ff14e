//! events.get

use axum::http::Method;
use serde_json::Value;

use super::{at, calendar, found, render::View, scope, shapes, times::asked_zone};
use crate::{
    google::{
        errors::ApiError,
        method::{ApiMethod, Call, Kind, Parameter},
    },
    state::State,
};

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
fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let place = calendar(state, call)?;
    let id = call.variable(1);
    // Time passes for a meeting in the making.
    for event in state
        .world
        .calendars
        .all
        .iter_mut()
        .flat_map(|calendar| &mut calendar.events)
    {
        if event.id() == id {
            event.meeting_due = event.meeting_due.saturating_sub(1);
        }
    }
    let calendars = &state.world.calendars;
    let (_, event) = found(calendars, place, id)?;
    let calendar = at(calendars, place);
    let mut view = View::of(call, calendar);
    view.zone = asked_zone(call, calendar.time_zone)?;
    Ok(view.event(&event))
}
