//! `events.instances`: the occurrences of a series.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    calendar_at, find_calendar, find_event, occurrences,
    render::View,
    scope,
    times::{check_time_range, time_parameter, zone_parameter},
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State, paging};

/// Occurrences of a page when nothing is said.
const DEFAULT_RESULTS: i64 = 250;
/// Occurrences of a page at most; a larger number is treated as this one.
const MAX_RESULTS: i64 = 2500;

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.instances",
    verb: Method::GET,
    path: "calendar/v3/calendars/{calendarId}/events/{eventId}/instances",
    parameters: &[
        Parameter::one("alwaysIncludeEmail", Kind::Flag),
        Parameter::one("maxAttendees", Kind::Uint32),
        Parameter::one("maxResults", Kind::Uint32),
        Parameter::one("originalStart", Kind::Text),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("showDeleted", Kind::Flag),
        Parameter::one("timeMax", Kind::Text),
        Parameter::one("timeMin", Kind::Text),
        Parameter::one("timeZone", Kind::Text),
    ],
    scopes: scope::READ,
    schema: "Events",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find_calendar(state, call)?;
    let calendars = &state.world.calendars;
    let (home, series) = find_event(calendars, index, call.variable(1))?;
    let (from, to) = (
        time_parameter(call, "timeMin")?,
        time_parameter(call, "timeMax")?,
    );
    check_time_range(from, to)?;
    let mut events = if series.is_series() {
        occurrences::in_time_range(calendar_at(calendars, home), &series, from, to)
    } else {
        Vec::new()
    };
    events.retain(|event| call.flag("showDeleted") || !event.is_cancelled());
    if let Some(start) = time_parameter(call, "originalStart")? {
        let suffix = start.strftime("_%Y%m%dT%H%M%SZ").to_string();
        events.retain(|event| event.id().ends_with(&suffix));
    }
    let calendar = calendar_at(calendars, index);
    let mut view = View::of(call, calendar);
    view.zone = zone_parameter(call, calendar.time_zone)?;
    let size = call
        .number("maxResults")
        .unwrap_or(DEFAULT_RESULTS)
        .clamp(1, MAX_RESULTS);
    let page = paging::page(
        call,
        METHOD.id,
        events,
        usize::try_from(size).unwrap_or_default(),
        &[],
    )?;
    let mut response = json!({
        "kind": "calendar#events",
        "etag": "\"p1\"",
        "summary": calendar.summary,
        "timeZone": view.zone.iana_name().unwrap_or(calendar.time_zone),
        "accessRole": calendar.role(&call.user).map(|role| role.name()),
        "defaultReminders": [],
        "items": page.items.iter().map(|event| view.list_entry(event)).collect::<Vec<_>>(),
    });
    if let Some(next) = page.next {
        response["nextPageToken"] = json!(next);
    }
    Ok(response)
}
