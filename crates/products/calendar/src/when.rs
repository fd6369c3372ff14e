//! When an event takes place, as a caller writes it: what creating and changing an event share.

use jiff::tz::TimeZone;
use stead_core::{Error, Result, error::Violation};

use crate::{
    time::{EXPECTED, Moment, length},
    zone,
};

/// The moment that a parameter names.
///
/// # Errors
/// A violation at `path`.
pub(crate) fn moment(path: &str, text: &str) -> Result<Moment> {
    Moment::parse(text).ok_or_else(|| refused(path, "format", EXPECTED))
}

/// The zone that the parameter `timezone` names, if it is given.
///
/// # Errors
/// A violation where no zone has this name.
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

/// A violation where the given hours and minutes come to nothing.
pub(crate) fn without_length(hours: Option<u32>, minutes: Option<u32>) -> Option<Violation> {
    let path = if minutes.is_some() {
        "/event_duration_minutes"
    } else {
        "/event_duration_hour"
    };
    let is_nothing = length(hours, minutes).is_some_and(|length| length.is_zero());
    is_nothing.then(|| Violation::new(path, "duration", "an event lasts for a minute at least"))
}

/// The end lies beyond all calendars.
pub(crate) fn too_long() -> Error {
    refused(
        "/event_duration_hour",
        "duration",
        "the event would end beyond all calendars",
    )
}

fn refused(path: &str, keyword: &str, message: &str) -> Error {
    Error::violations(vec![Violation::new(path, keyword, message)])
}
