//! Time zones by name, and the calendar's time zone.

use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io},
};

use crate::time::Moment;

/// The zone with this IANA name, from the library's own data.
pub(crate) fn named(name: &str) -> Option<TimeZone> {
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (!zone.is_unknown()).then_some(zone)
}

/// The zone for the product's name of an event's zone. Imported events have names such as `GMT-05:00`, which is a fixed
/// offset, and `Eastern Standard Time`, which isn't known.
pub(crate) fn of_event(name: &str) -> Option<TimeZone> {
    let fixed = || {
        let mut prefixes = ["GMT", "UTC"].into_iter();
        let offset = prefixes.find_map(|prefix| name.strip_prefix(prefix))?;
        match Moment::parse(&format!("1970-01-01T00:00{offset}"))? {
            Moment::Fixed(_, offset) => Some(TimeZone::fixed(offset)),
            Moment::Day(_) | Moment::Local(_) => None,
        }
    };
    named(name).or_else(fixed)
}

/// The calendar's time zone; `None` if the product doesn't return one. It's read from a page of events, because
/// `calendars.get` needs another scope.
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
            format!("the calendar's time zone {told:?} isn't known; write times with an offset");
        Error::new(ErrorKind::InvalidRequest, message)
    })
}

/// Like `of_calendar`, for writing an event. A wrong zone would do harm there, so none is assumed.
pub(crate) async fn for_writing(io: Io<'_>, calendar: &str) -> Result<TimeZone> {
    of_calendar(io, calendar).await?.ok_or_else(|| {
        let message = "the product didn't return the calendar's time zone; set timezone";
        Error::new(ErrorKind::InvalidRequest, message)
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn zones_are_found_by_their_names_in_any_case() {
        for (name, iana) in [("europe/berlin", "Europe/Berlin"), ("UTC", "UTC")] {
            assert_eq!(named(name).unwrap().iana_name(), Some(iana));
        }
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

    #[test]
    fn imported_events_have_fixed_offsets() {
        let offset = |name: &str| Some(of_event(name)?.to_offset(Timestamp::UNIX_EPOCH).seconds());
        for (name, minutes) in [
            ("GMT-05:00", -300),
            ("GMT+0530", 330),
            ("UTC+02", 120),
            ("Asia/Tokyo", 540),
        ] {
            assert_eq!(offset(name), Some(60 * minutes), "{name}");
        }
        for unknown in [
            "",
            "GMT-",
            "GMT-99:00",
            "GMT 5",
            "Eastern Standard Time",
            "Customized Time Zone",
        ] {
            assert_eq!(offset(unknown), None, "{unknown}");
        }
    }
}
