//! Time zones by name, and a calendar's own.

use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io},
};

/// The zone with this IANA name, from the data that comes with the library.
pub(crate) fn named(name: &str) -> Option<TimeZone> {
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (!zone.is_unknown()).then_some(zone)
}

/// The name of a zone as the product writes it.
pub(crate) fn name(zone: &TimeZone) -> &str {
    zone.iana_name().unwrap_or("UTC")
}

/// The zone of a calendar; `None` where the product leaves it out. Any page of its events tells it, under every scope
/// that reads events; `calendars.get` would need a further one.
pub(crate) async fn of_calendar(io: Io<'_>, calendar: &str) -> Result<Option<TimeZone>> {
    let request = ApiRequest::get(["calendars", calendar, "events"])
        .query("maxResults", 1_u32)
        .query("fields", "timeZone");
    let response: Value = io.send(request).await?.json()?;
    let told = response["timeZone"].as_str().unwrap_or_default();
    if told.is_empty() {
        return Ok(None);
    }
    named(told).map(Some).ok_or_else(|| {
        let message =
            format!("the calendar's time zone {told:?} is not known; write times with an offset");
        Error::new(ErrorKind::InvalidRequest, message)
    })
}

/// The same for an event that is written: at a wrong time it would do harm, so no zone is assumed.
pub(crate) async fn for_writing(io: Io<'_>, calendar: &str) -> Result<TimeZone> {
    of_calendar(io, calendar).await?.ok_or_else(|| {
        let message = "the product does not say which time zone the calendar has; give timezone";
        Error::new(ErrorKind::InvalidRequest, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_their_names_in_any_case() {
        assert_eq!(name(&named("europe/berlin").unwrap()), "Europe/Berlin");
        assert_eq!(name(&named("UTC").unwrap()), "UTC");
        for unknown in [
            "",
            "CEST+2",
            "Berlin",
            "Europe/Atlantis",
            "+02:00",
            "Etc/Unknown",
            "../etc/passwd",
        ] {
            assert!(named(unknown).is_none(), "{unknown}");
        }
    }
}
