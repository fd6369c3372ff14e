//! The new time of a changed event, from the parameters and the event's current time.

use jiff::{SignedDuration, tz::TimeZone};
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    error::Violation,
    tool::{Io, text_of},
};

use crate::{
    time::{Moment, end_after, length, length_of, moved, unmistakable},
    when::too_long,
    zone,
};

/// The requested change of an event's time.
#[derive(Debug)]
pub(crate) struct Reschedule<'a> {
    pub(crate) calendar: &'a str,
    pub(crate) start: Option<Moment>,
    pub(crate) end: Option<Moment>,
    pub(crate) hours: Option<u32>,
    pub(crate) minutes: Option<u32>,
    /// The time zone parameter.
    pub(crate) zone: Option<TimeZone>,
    /// Whether the event gets recurrence lines.
    pub(crate) recurs: bool,
}

/// The time zones of an event's start and end, which can differ.
#[derive(Debug, Default)]
struct Zones {
    start: Option<TimeZone>,
    end: Option<TimeZone>,
}

impl Zones {
    fn both(zone: TimeZone) -> Self {
        Self {
            start: Some(zone.clone()),
            end: Some(zone),
        }
    }
}

/// How to get the time zones.
enum Source {
    Known(Zones),
    Calendar,
}

impl Reschedule<'_> {
    /// Parameters that contradict each other.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        if self.end.is_some() && self.length().is_some() {
            let given = if self.hours.is_some() {
                "event_duration_hour"
            } else {
                "event_duration_minutes"
            };
            let message = "give either end_datetime or a duration, not both";
            violations.push(Violation::new(format!("/{given}"), "end_datetime", message));
        }
        if let (Some(start), Some(end)) = (self.start, self.end) {
            if start.is_day() != end.is_day() {
                violations.push(mixed());
            } else if end.is_after(start) == Some(false) {
                violations.push(backwards());
            }
        }
        violations
    }

    /// Whether the change depends on the event's current end, length or time zone, so that it must be read.
    pub(crate) fn needs_present(&self) -> bool {
        let other_end = match (self.start, self.end) {
            (Some(_), None) => self.length().is_none(),
            (None, None) => self.length().is_some(),
            (None, Some(_)) => true,
            (Some(_), Some(_)) => false,
        };
        other_end || (self.zone.is_none() && (self.needs_zone() || self.recurs))
    }

    /// Adds start and end to the change of `event`, if they change.
    pub(crate) async fn put_time(
        &self,
        io: Io<'_>,
        event: &Value,
        body: &mut Map<String, Value>,
    ) -> Result<()> {
        let zones = match self.zones(event)? {
            Source::Known(zones) => zones,
            Source::Calendar => Zones::both(zone::for_writing(io, self.calendar).await?),
        };
        body.extend(self.edges(event, &zones)?);
        Ok(())
    }

    /// The `start` and `end` members of the change.
    fn edges(&self, event: &Value, zones: &Zones) -> Result<Map<String, Value>> {
        let mut edges = Map::new();
        let (start, end) = self.ends(event, zones)?;
        let edges_of = [("start", start, &zones.start), ("end", end, &zones.end)];
        for (name, moment, zone) in edges_of {
            let zone = zone.as_ref();
            let mut edge = match moment {
                Some(moment) => {
                    let mut edge = unmistakable(moment, zone).edge(zone);
                    // The product merges members, so the event's previous kind of time has to be removed.
                    let other = if moment.is_day() { "dateTime" } else { "date" };
                    edge.insert(other.to_owned(), Value::Null);
                    edge
                }
                None => Map::new(),
            };
            let new_zone = self.zone.is_some() || self.recurs;
            let zone_name = zone.and_then(TimeZone::iana_name);
            if let Some(zone_name) = zone_name.filter(|_| new_zone) {
                edge.insert(String::from("timeZone"), json!(zone_name));
            }
            if !edge.is_empty() {
                edges.insert(name.to_owned(), edge.into());
            }
        }
        Ok(edges)
    }

    fn length(&self) -> Option<SignedDuration> {
        length(self.hours, self.minutes)
    }

    fn needs_zone(&self) -> bool {
        is_local(self.start) || is_local(self.end)
    }

    /// The time zones to use: the parameter, or else the event's, or else the calendar's.
    fn zones(&self, event: &Value) -> Result<Source> {
        if let Some(zone) = &self.zone {
            return Ok(Source::Known(Zones::both(zone.clone())));
        }
        let all_day = self
            .start
            .map_or(event["start"]["date"].is_string(), Moment::is_day);
        if !self.needs_zone() && (!self.recurs || all_day) {
            return Ok(Source::Known(Zones::default()));
        }
        let [start, end] = ["start", "end"].map(|name| text_of(&event[name]["timeZone"]));
        let (Some(start), Some(end)) = (start.clone().or(end.clone()), end.or(start)) else {
            return Ok(Source::Calendar);
        };
        let zone = |name: &str, moment: Option<Moment>| match zone::of_event(name) {
            None if is_local(moment) => Err(unknown(name)),
            zone => Ok(zone),
        };
        Ok(Source::Known(Zones {
            start: zone(&start, self.start)?,
            end: zone(&end, self.end)?,
        }))
    }

    /// The new start and end, if they change.
    fn ends(&self, event: &Value, zones: &Zones) -> Result<(Option<Moment>, Option<Moment>)> {
        let zone = zones.start.as_ref();
        let old_start = Moment::of_edge(&event["start"]);
        let old_end = Moment::of_edge(&event["end"]);
        Ok(match (self.start, self.end, self.length()) {
            (None, None, None) => (None, None),
            (Some(start), Some(end), _) => {
                in_order(start, end, zones)?;
                (Some(start), Some(end))
            }
            (None, Some(end), _) => {
                let start = old_start.ok_or_else(without_time)?;
                if start.is_day() != end.is_day() {
                    return Err(Error::violations(vec![mixed()]));
                }
                in_order(start, end, zones)?;
                (None, Some(end))
            }
            (Some(start), None, given) => {
                // A length can't be kept between dates and times.
                let same_kind = old_start.is_some_and(|old| old.is_day() == start.is_day());
                let kept = || length_of(old_start?, old_end?).filter(|_| same_kind);
                let end = end_after(start, given.or_else(kept), zone).ok_or_else(too_long)?;
                (Some(start), Some(moved(end, zone, zones.end.as_ref())))
            }
            (None, None, given) => {
                let start = old_start.ok_or_else(without_time)?;
                (
                    None,
                    Some(end_after(start, given, zone).ok_or_else(too_long)?),
                )
            }
        })
    }
}

fn is_local(moment: Option<Moment>) -> bool {
    matches!(moment, Some(Moment::Local(_)))
}

fn in_order(start: Moment, end: Moment, zones: &Zones) -> Result<()> {
    let instant = |moment: Moment, zone: &Option<TimeZone>| {
        moment.instant(zone.as_ref().unwrap_or(&TimeZone::UTC))
    };
    match (instant(start, &zones.start), instant(end, &zones.end)) {
        (Some(start), Some(end)) if end <= start => Err(Error::violations(vec![backwards()])),
        _ => Ok(()),
    }
}

/// The event's time zone is one for which no offset is known.
fn unknown(zone: &str) -> Error {
    let message = format!(
        "the event is in the time zone {zone:?}, which isn't an IANA name; set timezone, or write the time with an offset"
    );
    Error::violations(vec![Violation::new("/timezone", "required", message)])
}

fn mixed() -> Violation {
    let message = "start and end must both be dates or both be times";
    Violation::new("/end_datetime", "start_datetime", message)
}

fn backwards() -> Violation {
    Violation::new(
        "/end_datetime",
        "start_datetime",
        "an event must end after its start",
    )
}

fn without_time() -> Error {
    Error::new(
        ErrorKind::ProductProtocolError,
        "the product returned an event without a start",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns: parameters | the event | reads needed | `start` of the change | its `end`. The calendar is in London.
    const CHANGES: &str = "
        start=2026-05-05T09:00:00+02:00 | unzoned | event | 2026-05-05T09:00:00+02:00 | 2026-05-05T10:30:00+02:00
        start=2026-12-05T09:00:00 | london | event | 2026-12-05T09:00:00 Europe/London | 2026-12-05T09:30:00 Europe/London
        start=2026-12-05T09:00:00 | unzoned | calendar | 2026-12-05T09:00:00 Europe/London | 2026-12-05T10:30:00 Europe/London
        start=2026-06-01 | days | event | day 2026-06-01 | day 2026-06-04
        start=2026-06-01 | london | event | day 2026-06-01 | day 2026-06-02
        start=2026-06-01T09:00:00Z | days | event | 2026-06-01T09:00:00Z | 2026-06-01T09:30:00Z
        start=2026-06-01T09:00:00Z hours=1 minutes=5 | london | nothing | 2026-06-01T09:00:00Z | 2026-06-01T10:05:00Z
        start=2026-06-01 hours=25 | london | nothing | day 2026-06-01 | day 2026-06-03
        start=2026-06-01T09:00:00 minutes=5 zone=Europe/Rome | london | nothing | 2026-06-01T09:00:00 Europe/Rome | 2026-06-01T09:05:00 Europe/Rome
        start=2026-06-01 end=2026-06-02 | london | nothing | day 2026-06-01 | day 2026-06-02
        start=2026-06-01T09:00:00 end=2026-06-01T10:00:00 | london | event | 2026-06-01T09:00:00 Europe/London | 2026-06-01T10:00:00 Europe/London
        hours=2 | london | event | | 2026-05-04T18:00:00+01:00
        minutes=2880 | days | event | | day 2026-05-06
        end=2026-05-04T20:00:00 | london | event | | 2026-05-04T20:00:00 Europe/London
        end=2026-05-10 | days | event | | day 2026-05-10
        zone=Europe/Rome | london | nothing | Europe/Rome | Europe/Rome
        zone=Europe/Rome hours=1 | london | event | Europe/Rome | 2026-05-04T17:00:00+01:00 Europe/Rome
        recurs=yes | london | event | Europe/London | Europe/London
        recurs=yes | unzoned | calendar | Europe/London | Europe/London
        recurs=yes | days | event | |
        | london | nothing | |";

    fn reschedule(given: &str) -> Reschedule<'static> {
        let text = |name: &str| {
            let mut pairs = given.split(' ').filter_map(|pair| pair.split_once('='));
            pairs.find(|(known, _)| *known == name).map(|pair| pair.1)
        };
        let moment = |name| text(name).map(|text| Moment::parse(text).unwrap());
        let number = |name| text(name).map(|text| text.parse().unwrap());
        Reschedule {
            calendar: "primary",
            start: moment("start"),
            end: moment("end"),
            hours: number("hours"),
            minutes: number("minutes"),
            zone: text("zone").map(|name| zone::named(name).unwrap()),
            recurs: text("recurs").is_some(),
        }
    }

    /// The reads that are needed, and `start` and `end` of the change.
    fn change(given: &str, event: &str) -> (&'static str, Result<Map<String, Value>>) {
        let hour = "2026-05-04T16:00:00+01:00";
        let event = match event {
            "london" => json!({
                "start": {"dateTime": hour, "timeZone": "Europe/London"},
                "end": {"dateTime": "2026-05-04T16:30:00+01:00", "timeZone": "Europe/London"},
            }),
            "unzoned" => json!({
                "start": {"dateTime": hour},
                "end": {"dateTime": "2026-05-04T17:30:00+01:00"},
            }),
            _ => json!({"start": {"date": "2026-05-04"}, "end": {"date": "2026-05-07"}}),
        };
        let time = reschedule(given);
        assert!(time.violations().is_empty(), "{given}");
        let (read, event) = match time.needs_present() {
            true => ("event", event),
            false => ("nothing", Value::Null),
        };
        let london = || Zones::both(zone::named("Europe/London").unwrap());
        let (read, zones) = match time.zones(&event).unwrap() {
            Source::Known(zones) => (read, zones),
            Source::Calendar => ("calendar", london()),
        };
        (read, time.edges(&event, &zones))
    }

    fn shown(edge: Option<&Value>) -> String {
        let Some(edge) = edge else {
            return String::new();
        };
        let time = match (&edge["dateTime"], &edge["date"]) {
            (Value::String(time), Value::Null) if edge.get("date").is_some() => time.clone(),
            (Value::Null, Value::String(day)) if edge.get("dateTime").is_some() => {
                format!("day {day}")
            }
            _ => String::new(),
        };
        let zone = edge["timeZone"].as_str().unwrap_or_default();
        format!("{time} {zone}").trim().to_owned()
    }

    #[test]
    fn missing_times_follow_from_the_event() {
        for row in CHANGES.lines().filter(|row| !row.is_empty()) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let (read, edges) = change(cells[0], cells[1]);
            let edges = edges.unwrap();
            let (start, end) = (shown(edges.get("start")), shown(edges.get("end")));
            assert_eq!([read, &*start, &*end], cells[2..], "{row}");
        }
    }

    #[test]
    fn times_that_do_not_go_together_are_refused() {
        let of_end = ("/end_datetime", "start_datetime");
        for given in [
            "end=2026-05-10",
            "end=2026-05-04T12:00:00Z",
            "start=2026-05-04T09:00:00 end=2026-05-04T07:00:00Z zone=Europe/Berlin",
        ] {
            let error = change(given, "london").1.unwrap_err();
            assert_eq!(places(error.violation_list()), [of_end], "{given}");
        }
        let too_much = |path| (path, "end_datetime");
        for (given, expected) in [
            ("start=2026-05-04T09:00:00 end=2026-05-04T09:00:00", of_end),
            ("start=2026-05-04T09:00:00 end=2026-05-05", of_end),
            (
                "end=2026-05-04T20:00:00Z hours=1",
                too_much("/event_duration_hour"),
            ),
            (
                "end=2026-05-04T20:00:00Z minutes=1",
                too_much("/event_duration_minutes"),
            ),
        ] {
            let violations = reschedule(given).violations();
            assert_eq!(places(&violations), [expected], "{given}");
        }
    }

    fn places(violations: &[Violation]) -> Vec<(&str, &str)> {
        let places = violations.iter();
        places.map(|one| (&*one.path, &*one.keyword)).collect()
    }
}
