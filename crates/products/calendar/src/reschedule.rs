//! When an event takes place after a change: what follows from what is given and from what the event was.

use jiff::{SignedDuration, tz::TimeZone};
use serde_json::{Map, Value, json};
use stead_core::{Error, ErrorKind, Result, error::Violation, tool::Io};

use crate::{
    time::{Moment, end_after, length, length_of, unmistakable},
    when::too_long,
    zone,
};

/// What is to become of an event's time.
#[derive(Debug)]
pub(crate) struct Reschedule<'a> {
    pub(crate) calendar: &'a str,
    pub(crate) start: Option<Moment>,
    pub(crate) end: Option<Moment>,
    pub(crate) hours: Option<u32>,
    pub(crate) minutes: Option<u32>,
    /// The zone that the caller names.
    pub(crate) zone: Option<TimeZone>,
    /// Whether it gets lines of a recurrence.
    pub(crate) recurs: bool,
}

impl Reschedule<'_> {
    /// Times that do not go together.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        if self.end.is_some() && self.length().is_some() {
            let given = if self.hours.is_some() {
                "event_duration_hour"
            } else {
                "event_duration_minutes"
            };
            let message =
                "an event ends at end_datetime or lasts for a duration: give one of the two";
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

    /// Whether the event must be read: for its other end, its length, or its zone.
    pub(crate) fn needs_present(&self) -> bool {
        let other_end = match (self.start, self.end) {
            (Some(_), None) => self.length().is_none(),
            (None, None) => self.length().is_some(),
            (None, Some(_)) => true,
            (Some(_), Some(_)) => false,
        };
        other_end || (self.zone.is_none() && (self.needs_zone() || self.recurs))
    }

    /// Puts start and end into the change of `event`, as far as they change.
    pub(crate) async fn put_time(
        &self,
        io: Io<'_>,
        event: &Value,
        body: &mut Map<String, Value>,
    ) -> Result<()> {
        let zone = self.zone(io, event).await?;
        let zone = zone.as_ref();
        let (start, end) = self.ends(event, zone)?;
        for (name, moment) in [("start", start), ("end", end)] {
            let mut edge = match moment {
                Some(moment) => {
                    let mut edge = unmistakable(moment, zone).edge(zone);
                    // The product merges members: what the event was before has to go.
                    let other = if moment.is_day() { "dateTime" } else { "date" };
                    edge.insert(other.to_owned(), Value::Null);
                    edge
                }
                None => Map::new(),
            };
            let new_zone = self.zone.is_some() || self.recurs;
            if let Some(zone) = zone.filter(|_| new_zone) {
                edge.insert(String::from("timeZone"), json!(zone::name(zone)));
            }
            if !edge.is_empty() {
                body.insert(name.to_owned(), edge.into());
            }
        }
        Ok(())
    }

    fn length(&self) -> Option<SignedDuration> {
        length(self.hours, self.minutes)
    }

    fn needs_zone(&self) -> bool {
        let is_local = |moment: Option<Moment>| matches!(moment, Some(Moment::Local(_)));
        is_local(self.start) || is_local(self.end)
    }

    /// The zone in which times are meant: as named, or the event's, or the calendar's. `None` where none is needed.
    async fn zone(&self, io: Io<'_>, event: &Value) -> Result<Option<TimeZone>> {
        if self.zone.is_some() {
            return Ok(self.zone.clone());
        }
        let all_day = self
            .start
            .map_or(event["start"]["date"].is_string(), Moment::is_day);
        if !self.needs_zone() && (!self.recurs || all_day) {
            return Ok(None);
        }
        match event["start"]["timeZone"].as_str().and_then(zone::named) {
            Some(zone) => Ok(Some(zone)),
            None => zone::of_calendar(io, self.calendar).await.map(Some),
        }
    }

    /// The start and the end that change.
    fn ends(
        &self,
        event: &Value,
        zone: Option<&TimeZone>,
    ) -> Result<(Option<Moment>, Option<Moment>)> {
        let old_start = Moment::of_edge(&event["start"]);
        let old_end = Moment::of_edge(&event["end"]);
        Ok(match (self.start, self.end, self.length()) {
            (None, None, None) => (None, None),
            (Some(start), Some(end), _) => {
                in_order(start, end, zone)?;
                (Some(start), Some(end))
            }
            (None, Some(end), _) => {
                let start = old_start.ok_or_else(without_time)?;
                if start.is_day() != end.is_day() {
                    return Err(Error::violations(vec![mixed()]));
                }
                in_order(start, end, zone)?;
                (None, Some(end))
            }
            (Some(start), None, given) => {
                // Another kind of time has no length to keep.
                let same_kind = old_start.is_some_and(|old| old.is_day() == start.is_day());
                let kept = || length_of(old_start?, old_end?).filter(|_| same_kind);
                let end = end_after(start, given.or_else(kept), zone).ok_or_else(too_long)?;
                (Some(start), Some(end))
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

fn in_order(start: Moment, end: Moment, zone: Option<&TimeZone>) -> Result<()> {
    let zone = zone.cloned().unwrap_or(TimeZone::UTC);
    match (start.instant(&zone), end.instant(&zone)) {
        (Some(start), Some(end)) if end <= start => Err(Error::violations(vec![backwards()])),
        _ => Ok(()),
    }
}

fn mixed() -> Violation {
    let message = "an event starts and ends with a date, or starts and ends with a time";
    Violation::new("/end_datetime", "start_datetime", message)
}

fn backwards() -> Violation {
    Violation::new(
        "/end_datetime",
        "start_datetime",
        "an event ends after its start",
    )
}

fn without_time() -> Error {
    Error::new(
        ErrorKind::ProductProtocolError,
        "the product returned an event without a start",
    )
}
