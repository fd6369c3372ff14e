use jiff::{Timestamp, tz::TimeZone};
use stead_core::{Error, Result, error::Violation, tool::Io};

use crate::{
    time::{Moment, WANTED},
    zone,
};

/// A parameter that names a moment, as the caller wrote it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound<'a> {
    pub(super) name: &'static str,
    pub(super) text: Option<&'a str>,
}

impl Bound<'_> {
    /// Whether it is written in a way that is understood.
    pub(super) fn violation(self) -> Option<Violation> {
        let text = self.text?;
        match Moment::parse(text) {
            Some(_) => None,
            None => Some(Violation::new(format!("/{}", self.name), "format", WANTED)),
        }
    }

    fn moment(self) -> Option<Moment> {
        self.text.and_then(Moment::parse)
    }

    /// Whether only a zone tells which instant is meant.
    pub(super) fn needs_zone(self) -> bool {
        self.moment()
            .is_some_and(|moment| !matches!(moment, Moment::Fixed(..)))
    }

    /// The instant, as the clocks of a zone show it where the bound has no offset.
    pub(super) fn instant(self, zone: &TimeZone) -> Result<Option<Timestamp>> {
        let Some(moment) = self.moment() else {
            return Ok(None);
        };
        match moment.instant(zone) {
            Some(instant) => Ok(Some(instant)),
            None => Err(Error::violations(vec![Violation::new(
                format!("/{}", self.name),
                "format",
                "the time lies beyond all calendars",
            )])),
        }
    }
}

/// The zone in which bounds without an offset are meant: the calendar's, which is asked for only where one needs it.
pub(super) async fn zone_of(io: Io<'_>, calendar: &str, bounds: &[Bound<'_>]) -> Result<TimeZone> {
    if bounds.iter().any(|bound| bound.needs_zone()) {
        zone::of_calendar(io, calendar).await
    } else {
        Ok(TimeZone::UTC)
    }
}

/// The later bound lies after the earlier one, as the product wants it.
pub(super) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<()> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => {
            let violation =
                Violation::new("/time_max", "time_min", "time_max must lie after time_min");
            Err(Error::violations(vec![violation]))
        }
        _ => Ok(()),
    }
}
