//! `events.get`: one event, or one occurrence of a series.

use axum::http::Method;
use serde_json::Value;

use super::{calendar_at, find_calendar, find_event, render::View, scope, times::zone_parameter};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

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
    schema: "Event",
    run,
};

/// Deleted events are given too.
fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find_calendar(state, call)?;
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
            event.meeting_pending_reads = event.meeting_pending_reads.saturating_sub(1);
        }
    }
    let calendars = &state.world.calendars;
    let (_, event) = find_event(calendars, index, id)?;
    let calendar = calendar_at(calendars, index);
    let mut view = View::of(call, calendar);
    view.zone = zone_parameter(call, calendar.time_zone)?;
    Ok(view.event(&event))
}
