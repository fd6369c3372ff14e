//! `events.quickAdd`: a new event from a line of text.
//!
//! The sandbox understands `today`, `tomorrow`, `2026-05-04`, and times such as `3pm`, `3:30pm` and `15:30`; all else is
//! the summary.

use axum::http::Method;
use jiff::{
    Timestamp, ToSpan as _, Unit, Zoned,
    civil::{Date, Time},
    tz::TimeZone,
};
use serde_json::{Map, Value, json};

use super::{calendar_at, events_insert::insert, find_writable_calendar, scope, times::zone_named};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.quickAdd",
    verb: Method::POST,
    path: "calendar/v3/calendars/{calendarId}/events/quickAdd",
    parameters: &[
        Parameter::one("sendNotifications", Kind::Flag),
        Parameter::one("sendUpdates", Kind::OneOf(&["all", "externalOnly", "none"])),
        Parameter::one("text", Kind::Text),
    ],
    scopes: scope::WRITE,
    schema: "Event",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let text = call.text("text").filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| {
        ApiError::of(400, "required", "Missing required field: text.").at_parameter("text")
    })?;
    let index = find_writable_calendar(state, call)?;
    let name = calendar_at(&state.world.calendars, index).time_zone;
    let zone = zone_named(name).unwrap_or(TimeZone::UTC);
    let event = read(text, state.now, zone, name)
        .map_err(|_| ApiError::of(400, "invalid", "Invalid start time."))?;
    insert(state, call, event)
}

/// The members of the event that a text means.
fn read(
    text: &str,
    now: Timestamp,
    zone: TimeZone,
    zone_name: &str,
) -> Result<Map<String, Value>, jiff::Error> {
    let now = now.to_zoned(zone);
    let (mut date, mut time) = (None, None);
    let mut summary = Vec::new();
    for word in text.split_whitespace() {
        let plain = word.trim_end_matches(',').to_lowercase();
        if let Some(found) = date_of(&plain, &now).filter(|_| date.is_none()) {
            date = Some(found);
        } else if let Some(found) = time_of(&plain).filter(|_| time.is_none()) {
            time = Some(found);
            // The word before a time is not a part of the summary.
            if summary.last() == Some(&"at") {
                summary.pop();
            }
        } else {
            summary.push(word);
        }
    }
    let day = date.unwrap_or(now.date());
    let (start, end) = match time {
        None if date.is_some() => {
            let next = day.checked_add(1.day())?;
            (
                json!({"date": day.to_string()}),
                json!({"date": next.to_string()}),
            )
        }
        time => {
            let start = match time {
                Some(time) => day.to_datetime(time).to_zoned(now.time_zone().clone())?,
                None => now.round(Unit::Hour)?,
            };
            let end = start.checked_add(1.hour())?;
            let edge = |at: &Zoned| {
                let written = at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
                json!({"dateTime": written, "timeZone": zone_name})
            };
            (edge(&start), edge(&end))
        }
    };
    let members = [
        ("summary", json!(summary.join(" "))),
        ("start", start),
        ("end", end),
    ];
    Ok(members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect())
}

fn date_of(word: &str, now: &Zoned) -> Option<Date> {
    match word {
        "today" => Some(now.date()),
        "tomorrow" => now.date().checked_add(1.day()).ok(),
        other => other.parse().ok().filter(|_| other.len() == 10),
    }
}

fn time_of(word: &str) -> Option<Time> {
    let (digits, noon) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(digits), _) => (digits, Some(0)),
        (_, Some(digits)) => (digits, Some(12)),
        _ => (word, None),
    };
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) if minute.len() == 2 => (hour, minute.parse().ok()?),
        None if noon.is_some() => (digits, 0),
        _ => return None,
    };
    let hour: i8 = hour.parse().ok()?;
    let hour = match noon {
        Some(noon) if (1..=12).contains(&hour) => hour % 12 + noon,
        Some(_) => return None,
        None => hour,
    };
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_far_as_they_are_plain() {
        for (text, summary, start, end) in [
            (
                "Tea tomorrow at 3:30pm",
                "Tea",
                "2026-05-05T15:30:00+00:00",
                "2026-05-05T16:30:00+00:00",
            ),
            (
                "15:00 Call with Grace",
                "Call with Grace",
                "2026-05-04T15:00:00+00:00",
                "2026-05-04T16:00:00+00:00",
            ),
            (
                "Lunch 12pm 2026-06-01",
                "Lunch",
                "2026-06-01T12:00:00+00:00",
                "2026-06-01T13:00:00+00:00",
            ),
            ("Holiday 2026-06-01", "Holiday", "2026-06-01", "2026-06-02"),
            (
                "Think",
                "Think",
                "2026-05-04T09:00:00+00:00",
                "2026-05-04T10:00:00+00:00",
            ),
        ] {
            let now = "2026-05-04T09:00:00Z".parse().unwrap();
            let event = read(text, now, TimeZone::UTC, "UTC").unwrap();
            assert_eq!(event["summary"], summary);
            for (name, expected) in [("start", start), ("end", end)] {
                let edge = &event[name];
                let at = edge.get("dateTime").or(edge.get("date")).unwrap();
                assert_eq!(at, expected, "{text}");
            }
        }
        for word in ["13pm", "25:00", "3", "at", "1:5", "pm"] {
            assert_eq!(time_of(word), None, "{word}");
        }
    }
}
