//! Reads and writes times of requests and events.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime},
    fmt::temporal::Pieces,
    tz::{Offset, TimeZone, TimeZoneDatabase},
};
use serde_json::{Map, Value, json};

use crate::google::{ApiError, Call};

/// The start or the end of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Day(Date),
    Time(Timestamp),
}

impl Edge {
    /// Reads an edge of a stored event.
    pub(super) fn of(edge: Option<&Value>) -> Option<Self> {
        let edge = edge?;
        if let Some(date) = edge["date"].as_str() {
            return date.parse().ok().map(Self::Day);
        }
        edge["dateTime"].as_str()?.parse().ok().map(Self::Time)
    }

    /// The instant of the edge. A day begins with its first moment in the zone.
    pub(super) fn instant(self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Time(instant) => instant,
            Self::Day(day) => day
                .to_zoned(zone.clone())
                .map_or(Timestamp::MIN, |first| first.timestamp()),
        }
    }

    /// The edge later by this length. A day moves by whole days.
    pub(super) fn later(self, length: SignedDuration) -> Self {
        match self {
            Self::Day(day) => Self::Day(day.saturating_add(length)),
            Self::Time(instant) => Self::Time(instant.saturating_add(length).unwrap_or(instant)),
        }
    }

    /// The length until `end`. `None` if only one of them is a day.
    pub(super) fn until(self, end: Self) -> Option<SignedDuration> {
        match (self, end) {
            (Self::Day(start), Self::Day(end)) => Some(start.duration_until(end)),
            (Self::Time(start), Self::Time(end)) => Some(start.duration_until(end)),
            _ => None,
        }
    }
}

pub(super) fn zone_named(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled()
        .get(name)
        .ok()
        .filter(|zone| !zone.is_unknown())
}

/// The zone that an event names, or else the zone of its calendar.
pub(super) fn zone_of(edge: Option<&Value>, default: &str) -> TimeZone {
    let named = edge
        .and_then(|edge| edge["timeZone"].as_str())
        .and_then(zone_named);
    named
        .or_else(|| zone_named(default))
        .unwrap_or(TimeZone::UTC)
}

/// RFC 3339 with the zone's offset at that time.
pub(super) fn format_in_zone(instant: Timestamp, zone: &TimeZone) -> String {
    let seen = instant.to_zoned(zone.clone());
    format_with_offset(instant, seen.offset())
}

fn format_with_offset(instant: Timestamp, offset: Offset) -> String {
    if offset == Offset::UTC {
        instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    } else {
        instant.display_with_offset(offset).to_string()
    }
}

/// Checks the `start` or `end` of an event in a request (`EventDateTime`), and adds an offset to its time.
pub(super) fn check_edge(
    edge: Option<&Value>,
    name: &str,
    recurring: bool,
) -> Result<Value, ApiError> {
    let missing = || ApiError::of(400, "required", format!("Missing {name} time."));
    let invalid = || ApiError::of(400, "invalid", format!("Invalid {name} time."));
    let members = match edge {
        None | Some(Value::Null) => return Err(missing()),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(invalid()),
    };
    if members
        .keys()
        .any(|key| !matches!(key.as_str(), "date" | "dateTime" | "timeZone"))
    {
        return Err(ApiError::invalid(format!("Unknown member of {name}.")));
    }
    let zone_name = text(members, "timeZone", &invalid)?;
    let zone = match zone_name {
        None => None,
        Some(name_of_zone) => Some(zone_named(name_of_zone).ok_or_else(|| {
            ApiError::of(
                400,
                "invalid",
                format!("Invalid time zone definition for {name} time."),
            )
        })?),
    };
    let mut kept = Map::new();
    match (
        text(members, "date", &invalid)?,
        text(members, "dateTime", &invalid)?,
    ) {
        (None, None) => return Err(missing()),
        (Some(_), Some(_)) => return Err(invalid()),
        (Some(date), None) => {
            let date: Date = date
                .parse()
                .ok()
                .filter(|_| date.len() == 10)
                .ok_or_else(invalid)?;
            kept.insert("date".to_owned(), json!(date.to_string()));
        }
        (None, Some(time)) => {
            let no_zone = || {
                ApiError::of(
                    400,
                    "required",
                    format!("Missing time zone definition for {name} time."),
                )
            };
            let (local, offset) = read(time).ok_or_else(invalid)?;
            if zone.is_none() && (recurring || offset.is_none()) {
                return Err(no_zone());
            }
            let (instant, offset) = match (offset, &zone) {
                (Some(offset), _) => (offset.to_timestamp(local).ok(), offset),
                (None, zone) => {
                    let seen = zone
                        .as_ref()
                        .and_then(|zone| local.to_zoned(zone.clone()).ok())
                        .ok_or_else(invalid)?;
                    (Some(seen.timestamp()), seen.offset())
                }
            };
            let instant = instant.ok_or_else(invalid)?;
            kept.insert(
                "dateTime".to_owned(),
                json!(format_with_offset(instant, offset)),
            );
        }
    }
    if let Some(name) = zone_name {
        kept.insert("timeZone".to_owned(), json!(name));
    }
    Ok(Value::Object(kept))
}

/// Reads a parameter that is a time. It needs an offset (events.list, `timeMin`).
pub(super) fn time_parameter(call: &Call, name: &str) -> Result<Option<Timestamp>, ApiError> {
    let Some(text) = call.text(name) else {
        return Ok(None);
    };
    match moment(text) {
        Some(instant) => Ok(Some(instant)),
        None => Err(ApiError::of(400, "badRequest", "Bad Request")),
    }
}

/// Parses an RFC 3339 time with an offset.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let (local, offset) = read(text)?;
    offset?.to_timestamp(local).ok()
}

/// The zone of the parameter `timeZone`, or the default.
pub(super) fn zone_parameter(call: &Call, default: &str) -> Result<TimeZone, ApiError> {
    let name = call.text("timeZone").unwrap_or(default);
    zone_named(name).ok_or_else(|| ApiError::of(400, "invalid", "Invalid time zone."))
}

/// Checks that `timeMax` is after `timeMin`.
pub(super) fn check_time_range(
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> Result<(), ApiError> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => Err(ApiError::of(
            400,
            "timeRangeEmpty",
            "The specified time range is empty.",
        )),
        _ => Ok(()),
    }
}

/// Parses a date with a time, and its offset if it has one.
fn read(text: &str) -> Option<(DateTime, Option<Offset>)> {
    // RFC 3339 requires seconds and the letter T.
    let plain = text.len() >= 19
        && matches!(text.as_bytes().get(10), Some(b'T' | b't'))
        && !text.contains('[');
    let pieces = Pieces::parse(text).ok().filter(|_| plain)?;
    Some((
        pieces.date().to_datetime(pieces.time()?),
        pieces.to_numeric_offset(),
    ))
}

fn text<'a>(
    members: &'a Map<String, Value>,
    name: &str,
    invalid: &impl Fn() -> ApiError,
) -> Result<Option<&'a str>, ApiError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid()),
    }
}
