//! `freebusy.query`: when calendars are busy.

use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value, json};

use super::{
    calendar_at, occurrences,
    times::{Edge, check_time_range, format_in_zone, moment, zone_named},
    visible_events,
};
use crate::google::{
    ApiError, Call, Members as _, State,
    world::calendars::{Calendars, Event},
};

/// Calendars at most.
const MAX_CALENDARS: usize = 50;

/// A stretch of time.
type Period = (Timestamp, Timestamp);

/// Responds.
pub(super) fn query(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let body = &call.body;
    let most = body.get("calendarExpansionMax").and_then(Value::as_u64);
    let most = most.and_then(|most| usize::try_from(most).ok());
    let time = |name: &str| match body.text(name) {
        None => Err(ApiError::of(
            400,
            "required",
            format!("Missing {name} parameter."),
        )),
        Some(text) => moment(text).ok_or_else(|| ApiError::of(400, "badRequest", "Bad Request")),
    };
    let range = (time("timeMin")?, time("timeMax")?);
    check_time_range(Some(range.0), Some(range.1))?;
    let zone = body.text("timeZone").unwrap_or("UTC");
    let zone =
        zone_named(zone).ok_or_else(|| ApiError::of(400, "invalid", "Invalid time zone."))?;
    let items: Vec<_> = body.objects("items").collect();
    if items.len() > most.unwrap_or(MAX_CALENDARS).min(MAX_CALENDARS) {
        let message = "The requested set of calendars is too large.";
        return Err(ApiError::of(400, "tooManyCalendarsRequested", message));
    }
    let calendars = &state.world.calendars;
    let mut shown = Map::new();
    for item in items {
        let id = item.text("id").unwrap_or_default();
        let index = calendars
            .index_of(id, &call.user)
            .filter(|index| calendar_at(calendars, *index).role(&call.user).is_some());
        let entry = match index {
            Some(index) => {
                let periods = busy(calendars, index, &call.user, range).into_iter();
                let periods = periods.map(|(start, end)| {
                    json!({"start": format_in_zone(start, &zone), "end": format_in_zone(end, &zone)})
                });
                json!({"busy": periods.collect::<Vec<_>>()})
            }
            None => json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}),
        };
        shown.insert(id.to_owned(), entry);
    }
    Ok(json!({
        "kind": "calendar#freeBusy",
        "timeMin": format_in_zone(range.0, &TimeZone::UTC),
        "timeMax": format_in_zone(range.1, &TimeZone::UTC),
        "calendars": shown,
    }))
}

/// What is taken within the range: in order, without gaps of no length, cut at its ends.
fn busy(calendars: &Calendars, index: usize, user: &str, range: Period) -> Vec<Period> {
    let zone = zone_named(calendar_at(calendars, index).time_zone).unwrap_or(TimeZone::UTC);
    let (from, to) = (Some(range.0), Some(range.1));
    let mut events = Vec::new();
    for (home, event) in visible_events(calendars, index) {
        if event.is_series() {
            let home = calendar_at(calendars, home);
            events.extend(occurrences::in_time_range(home, event, from, to));
        } else if event.text("recurringEventId").is_empty()
            && occurrences::is_in_time_range(event, &zone, from, to)
        {
            // An occurrence that differs comes with its series.
            events.push(event.clone());
        }
    }
    let mut periods: Vec<Period> = events
        .iter()
        .filter(|event| takes_time(event, user))
        .filter_map(|event| {
            let edge = |name: &str| Edge::of(event.fields.get(name));
            let (start, end) = (edge("start")?.instant(&zone), edge("end")?.instant(&zone));
            Some((start.max(range.0), end.min(range.1)))
        })
        .filter(|(start, end)| start < end)
        .collect();
    periods.sort_unstable();
    let mut joined: Vec<Period> = Vec::new();
    for (start, end) in periods {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Whether an event makes its user busy.
fn takes_time(event: &Event, user: &str) -> bool {
    let declined = event.guests().any(|guest| {
        guest["email"].as_str() == Some(user) && guest["responseStatus"] == "declined"
    });
    !event.is_cancelled() && event.text("transparency") != "transparent" && !declined
}
