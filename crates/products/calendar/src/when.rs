//! Times in the parameters of the tools that create and change events.

use jiff::tz::TimeZone;
use stead_core::{Error, Result, error::Violation};

use crate::{
    time::{EXPECTED, Moment, length},
    zone,
};

/// Parses a time parameter.
///
/// # Errors
/// Returns a violation at `path`.
pub(crate) fn moment(path: &str, text: &str) -> Result<Moment> {
    Moment::parse(text).ok_or_else(|| refused(path, "format", EXPECTED))
}

/// The time zone of the parameter `timezone`, if it's given.
///
/// # Errors
/// Returns a violation if no time zone has this name.
pub(crate) fn zone(name: Option<&str>) -> Result<Option<TimeZone>> {
    let Some(name) = name else { return Ok(None) };
    match zone::named(name) {
        Some(zone) => Ok(Some(zone)),
        None => Err(refused(
            "/timezone",
            "format",
            "expected an IANA name such as Europe/Berlin",
        )),
    }
}

/// Returns a violation if the duration is zero.
pub(crate) fn without_length(hours: Option<u32>, minutes: Option<u32>) -> Option<Violation> {
    let path = if minutes.is_some() {
        "/event_duration_minutes"
    } else {
        "/event_duration_hour"
    };
    let is_nothing = length(hours, minutes).is_some_and(|length| length.is_zero());
    is_nothing.then(|| Violation::new(path, "duration", "an event must last at least one minute"))
}

/// The end of the event is out of range.
pub(crate) fn too_long() -> Error {
    refused(
        "/event_duration_hour",
        "duration",
        "the event's end is out of range",
    )
}

fn refused(path: &str, keyword: &str, message: &str) -> Error {
    Error::violations(vec![Violation::new(path, keyword, message)])
}
