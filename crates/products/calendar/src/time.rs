//! Times in the caller's and in the product's form.

use jiff::{
    SignedDuration, Timestamp, Zoned,
    civil::{Date, DateTime, Time},
    fmt::temporal::Pieces,
    tz::{Offset, TimeZone},
};
use serde_json::{Map, Value, json};

/// Message about a time that can't be read.
pub(crate) const EXPECTED: &str = "expected a time such as 2026-05-01T09:00:00+02:00 or 2026-05-01T09:00:00, or a date such as 2026-05-01";

/// Default length of an event that starts at a time.
const DEFAULT_LENGTH: SignedDuration = SignedDuration::from_mins(30);
/// Default length of an all-day event.
const ONE_DAY: SignedDuration = SignedDuration::from_hours(24);

/// A date or time, as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A date: the start or end of an all-day event.
    Day(Date),
    /// A local time. Its time zone is given elsewhere.
    Local(DateTime),
    /// A time with its offset.
    Fixed(DateTime, Offset),
}

impl Default for Moment {
    fn default() -> Self {
        Self::Day(Date::default())
    }
}

impl Moment {
    /// Reads RFC 3339, with or without an offset, or only a date.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let pieces = Pieces::parse(text.trim()).ok()?;
        // A zone in brackets isn't RFC 3339, and there's a parameter for it. RFC 3339 offsets have no seconds.
        // In some zones, the year 0 begins in a year that can't be written.
        let offset = pieces.to_numeric_offset();
        let odd_offset = offset.is_some_and(|offset| offset.seconds() % 60 != 0);
        if pieces.time_zone_annotation().is_some() || odd_offset || pieces.date().year() < 1 {
            return None;
        }
        match (pieces.time(), offset) {
            (None, None) => Some(Self::Day(pieces.date())),
            (None, Some(_)) => None,
            (Some(time), None) => Some(Self::Local(pieces.date().to_datetime(time))),
            (Some(time), Some(offset)) => {
                let local = pieces.date().to_datetime(time);
                offset
                    .to_timestamp(local)
                    .ok()
                    .map(|_| Self::Fixed(local, offset))
            }
        }
    }

    /// Reads `start` or `end` of an event in the API (Calendar API, `EventDateTime`).
    pub(crate) fn of_edge(edge: &Value) -> Option<Self> {
        Self::parse(edge["dateTime"].as_str().or(edge["date"].as_str())?)
    }

    /// Whether this is a date.
    pub(crate) const fn is_day(self) -> bool {
        matches!(self, Self::Day(_))
    }

    /// The next day if this is a date, otherwise the time itself.
    pub(crate) fn after_day(self) -> Self {
        match self {
            Self::Day(day) => Self::Day(day.tomorrow().unwrap_or(day)),
            moment => moment,
        }
    }

    /// The instant. A date is its first moment in the zone.
    pub(crate) fn instant(self, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Fixed(local, offset) => offset.to_timestamp(local).ok(),
            Self::Local(local) => zone.to_timestamp(local).ok(),
            Self::Day(day) => zone.to_timestamp(day.to_datetime(Time::midnight())).ok(),
        }
    }

    /// Whether `self` is after `other`; `None` if that depends on a time zone.
    pub(crate) fn is_after(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Self::Day(one), Self::Day(two)) => Some(one > two),
            (Self::Local(one), Self::Local(two)) => Some(one > two),
            (Self::Fixed(..), Self::Fixed(..)) => {
                let zone = TimeZone::UTC;
                Some(self.instant(&zone)? > other.instant(&zone)?)
            }
            _ => None,
        }
    }

    /// The `start` or `end` of an event in the API.
    pub(crate) fn edge(self, zone: Option<&TimeZone>) -> Map<String, Value> {
        let mut edge = Map::new();
        match self {
            Self::Day(day) => edge.insert(String::from("date"), json!(day.to_string())),
            Self::Local(local) => edge.insert(String::from("dateTime"), json!(local.to_string())),
            Self::Fixed(local, offset) => {
                edge.insert(String::from("dateTime"), json!(with_offset(local, offset)))
            }
        };
        if let Some(name) = zone.and_then(TimeZone::iana_name) {
            edge.insert(String::from("timeZone"), json!(name));
        }
        edge
    }
}

/// The instant in RFC 3339, with the zone's offset.
pub(crate) fn written(instant: Timestamp, zone: &TimeZone) -> String {
    let seen = instant.to_zoned(zone.clone());
    with_offset(seen.datetime(), seen.offset())
}

/// Formats as RFC 3339, with `Z` for UTC and for historic offsets with seconds, which RFC 3339 can't express.
fn with_offset(local: DateTime, offset: Offset) -> String {
    match offset.to_timestamp(local) {
        Ok(instant) if offset.seconds() % 60 != 0 || offset == Offset::UTC => instant.to_string(),
        Ok(instant) => instant.display_with_offset(offset).to_string(),
        // Such a time was already refused when it was read.
        Err(_) => local.to_string(),
    }
}

/// The sum of hours and minutes; `None` if neither is given.
pub(crate) fn length(hours: Option<u32>, minutes: Option<u32>) -> Option<SignedDuration> {
    if hours.is_none() && minutes.is_none() {
        return None;
    }
    let minutes =
        i64::from(minutes.unwrap_or_default()) + 60 * i64::from(hours.unwrap_or_default());
    Some(SignedDuration::from_mins(minutes))
}

/// Length of an event in the API.
pub(crate) fn length_of(start: Moment, end: Moment) -> Option<SignedDuration> {
    match (start, end) {
        (Moment::Day(start), Moment::Day(end)) => Some(start.duration_until(end)),
        (Moment::Day(_), _) | (_, Moment::Day(_)) => None,
        _ => {
            let zone = TimeZone::UTC;
            Some(start.instant(&zone)?.duration_until(end.instant(&zone)?))
        }
    }
}

/// The end of an event that begins at `start` and lasts for `length`. Hours and minutes are exact (RFC 5545, 3.3.6), also
/// on the day on which the clocks change. All-day events are rounded up to whole days.
///
/// A local start needs its zone. Returns `None` if the end is out of range.
pub(crate) fn end_after(
    start: Moment,
    length: Option<SignedDuration>,
    zone: Option<&TimeZone>,
) -> Option<Moment> {
    match start {
        Moment::Day(day) => {
            let length = length.unwrap_or(ONE_DAY).as_secs();
            let begun = i64::from(length % ONE_DAY.as_secs() != 0);
            let days = (length / ONE_DAY.as_secs() + begun).max(1);
            let end = day.checked_add(SignedDuration::from_hours(24 * days));
            end.ok().map(Moment::Day)
        }
        Moment::Fixed(local, offset) => {
            let end = local.checked_add(length.unwrap_or(DEFAULT_LENGTH)).ok()?;
            offset.to_timestamp(end).ok()?;
            Some(Moment::Fixed(end, offset))
        }
        Moment::Local(local) => {
            let start = local.to_zoned(zone?.clone()).ok()?;
            let end = start.checked_add(length.unwrap_or(DEFAULT_LENGTH)).ok()?;
            Some(on_the_clocks(&end))
        }
    }
}

/// The same time without ambiguity: a local time that occurs twice or never gets an offset. The first of two is used, and a
/// skipped time moves forward by the gap (RFC 5545, 3.3.5).
pub(crate) fn unmistakable(moment: Moment, zone: Option<&TimeZone>) -> Moment {
    let (Moment::Local(local), Some(zone)) = (moment, zone) else {
        return moment;
    };
    local
        .to_zoned(zone.clone())
        .map_or(moment, |seen| on_the_clocks(&seen))
}

/// The same time in another zone, or with an offset if there is no other zone.
pub(crate) fn moved(moment: Moment, from: Option<&TimeZone>, to: Option<&TimeZone>) -> Moment {
    let (Moment::Local(local), Some(from)) = (moment, from) else {
        return moment;
    };
    match (local.to_zoned(from.clone()), to) {
        (Ok(seen), Some(to)) => on_the_clocks(&seen.with_time_zone(to.clone())),
        (Ok(seen), None) => Moment::Fixed(local, seen.offset()),
        (Err(_), _) => moment,
    }
}

fn on_the_clocks(seen: &Zoned) -> Moment {
    let (local, zone) = (seen.datetime(), seen.time_zone());
    if zone.iana_name().is_none() || zone.to_ambiguous_timestamp(local).is_ambiguous() {
        Moment::Fixed(local, seen.offset())
    } else {
        Moment::Local(local)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stead_testkit::cases;

    use super::*;
    use crate::zone;

    fn moment(text: &str) -> Moment {
        Moment::parse(text).expect(text)
    }

    fn edge(moment: Moment, zone: Option<&str>) -> String {
        let zone = zone.map(|name| zone::named(name).unwrap());
        Value::Object(moment.edge(zone.as_ref())).to_string()
    }

    /// The `dateTime` or `date` of the end of an event of this length.
    fn end(start: &str, minutes: i64, zone: Option<&str>) -> String {
        let zone = zone.map(|name| zone::named(name).unwrap());
        let length = Some(SignedDuration::from_mins(minutes));
        let end = end_after(moment(start), length, zone.as_ref()).unwrap();
        let edge = end.edge(None);
        let text = edge.get("dateTime").or(edge.get("date")).unwrap();
        text.as_str().unwrap().to_owned()
    }

    #[test]
    fn times_are_read_as_rfc_3339_has_them() {
        let table = r#"
            2026-05-01T09:00:00+02:00 => {"dateTime":"2026-05-01T09:00:00+02:00"}
            2026-05-01T09:00:00Z => {"dateTime":"2026-05-01T09:00:00Z"}
            2026-05-01t09:00:00z => {"dateTime":"2026-05-01T09:00:00Z"}
            2026-05-01T09:00:00-00:00 => {"dateTime":"2026-05-01T09:00:00Z"}
            2026-05-01 09:00-05:30 => {"dateTime":"2026-05-01T09:00:00-05:30"}
            2026-05-01T09:00:00.250Z => {"dateTime":"2026-05-01T09:00:00.25Z"}
            2026-05-01T09:00:00 => {"dateTime":"2026-05-01T09:00:00"}
            2026-05-01 => {"date":"2026-05-01"}
        "#;
        for [text, written] in cases(table) {
            assert_eq!(edge(moment(text), None), written, "{text}");
        }
        assert_eq!(moment(" 2026-05-01T09:00 "), moment("2026-05-01T09:00:00"));
        for text in [
            "",
            "tomorrow",
            "2026-05",
            "2026-13-01",
            "2026-02-29",
            "2026-05-01T25:00:00",
            "1777885200",
            "2026-05-01T09:00:00+02:00[Europe/Berlin]",
            "2026-05-01T09:00:00+01:00:30",
            "2026-05-01+02:00",
            "-002026-05-01T09:00:00Z",
            "0000-01-01",
            "09:00",
            "2026-05-01T09:00:00+02:00 or so",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_zone_is_sent_next_to_a_time() {
        let zone = Some("Europe/Berlin");
        assert_eq!(
            edge(moment("2026-05-01T09:00:00"), zone),
            r#"{"dateTime":"2026-05-01T09:00:00","timeZone":"Europe/Berlin"}"#
        );
        assert_eq!(
            edge(moment("2026-05-01T07:00:00Z"), zone),
            r#"{"dateTime":"2026-05-01T07:00:00Z","timeZone":"Europe/Berlin"}"#
        );
    }

    #[test]
    fn an_hour_is_an_hour_on_the_day_that_the_clocks_change() {
        let berlin = Some("Europe/Berlin");
        assert_eq!(
            end("2026-05-01T09:00:00", 90, berlin),
            "2026-05-01T10:30:00"
        );
        // 2026-03-29: from 02:00 to 03:00. 2026-10-25: from 03:00 back to 02:00.
        assert_eq!(
            end("2026-03-29T01:30:00", 60, berlin),
            "2026-03-29T03:30:00"
        );
        assert_eq!(
            end("2026-10-25T01:30:00", 60, berlin),
            "2026-10-25T02:30:00+02:00"
        );
        assert_eq!(
            end("2026-10-25T01:30:00", 120, berlin),
            "2026-10-25T02:30:00+01:00"
        );
        assert_eq!(
            end("2026-10-25T01:30:00", 180, berlin),
            "2026-10-25T03:30:00"
        );
        // A time with an offset doesn't depend on a clock change.
        assert_eq!(
            end("2026-03-29T01:30:00+01:00", 60, berlin),
            "2026-03-29T02:30:00+01:00"
        );
        assert_eq!(
            end("2026-12-31T23:30:00Z", 60, None),
            "2027-01-01T00:30:00Z"
        );
    }

    #[test]
    fn a_time_that_clocks_show_twice_or_never_gets_its_offset() {
        let berlin = zone::named("Europe/Berlin").unwrap();
        for (text, written) in [
            ("2026-10-25T02:30:00", "2026-10-25T02:30:00+02:00"),
            ("2026-03-29T02:30:00", "2026-03-29T03:30:00"),
            ("2026-03-29T09:00:00", "2026-03-29T09:00:00"),
            ("2026-03-29T02:30:00+05:00", "2026-03-29T02:30:00+05:00"),
        ] {
            assert_eq!(
                unmistakable(moment(text), Some(&berlin)),
                moment(written),
                "{text}"
            );
        }
    }

    #[test]
    fn all_day_events_last_whole_days() {
        for (minutes, last) in [
            (1, "2026-03-02"),
            (1440, "2026-03-02"),
            (1441, "2026-03-03"),
            (4320, "2026-03-04"),
        ] {
            assert_eq!(
                end("2026-03-01", minutes, Some("Europe/Berlin")),
                last,
                "{minutes}"
            );
        }
        let day = end_after(moment("2026-02-28"), None, None).unwrap();
        assert_eq!(day, moment("2026-03-01"));
    }

    #[test]
    fn an_event_without_a_length_lasts_half_an_hour() {
        let end = end_after(moment("2026-05-01T09:00:00Z"), None, None).unwrap();
        assert_eq!(end, moment("2026-05-01T09:30:00Z"));
        assert_eq!(length(None, None), None);
        assert_eq!(
            length(Some(1), Some(90)),
            Some(SignedDuration::from_mins(150))
        );
    }

    #[test]
    fn a_very_long_event_ends_within_the_calendar() {
        let longest = length(Some(u32::MAX), Some(u32::MAX));
        let berlin = zone::named("Europe/Berlin").unwrap();
        for start in [
            "9999-12-30",
            "9999-12-30T09:00:00",
            "9999-12-30T09:00:00+02:00",
        ] {
            assert_eq!(
                end_after(moment(start), longest, Some(&berlin)),
                None,
                "{start}"
            );
        }
    }

    #[test]
    fn a_zone_tells_the_instant() {
        let berlin = zone::named("Europe/Berlin").unwrap();
        for (text, instant) in [
            ("2026-05-01", "2026-05-01T00:00:00+02:00"),
            ("2026-01-01T09:00:00", "2026-01-01T09:00:00+01:00"),
            ("2026-05-01T07:00:00Z", "2026-05-01T09:00:00+02:00"),
        ] {
            assert_eq!(
                written(moment(text).instant(&berlin).unwrap(), &berlin),
                instant
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = Moment::parse(&text);
        }

        #[test]
        fn a_written_time_is_read_back(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[012][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-][01][0-9]:[0-5][0-9]|)") {
            if let Some(moment) = Moment::parse(&text) {
                prop_assert_eq!(Moment::of_edge(&Value::Object(moment.edge(None))), Some(moment));
            }
        }
    }
}
