//! Bounds of time that a list and a filter take.

use jiff::{Timestamp, tz::TimeZone};
use stead_core::{
    Error, Result,
    error::{Violation, Violations},
    tool::{Io, Warning},
};

use crate::{time::Moment, when, zone};

/// A parameter that names a moment, read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    path: &'static str,
    moment: Option<Moment>,
}

impl Bound {
    /// Reads a parameter, and notes where it is not a moment.
    pub(crate) fn read(
        path: &'static str,
        text: &Option<String>,
        violations: &mut Violations,
    ) -> Self {
        let moment = text
            .as_ref()
            .and_then(|text| violations.read(when::moment(path, text)));
        Self { path, moment }
    }

    /// The same for what events start before: a date stands for the whole of its day.
    pub(crate) fn read_until(
        path: &'static str,
        text: &Option<String>,
        violations: &mut Violations,
    ) -> Self {
        let bound = Self::read(path, text, violations);
        Self {
            moment: bound.moment.map(Moment::after_day),
            ..bound
        }
    }

    /// Whether only a zone tells which instant is meant.
    fn needs_zone(self) -> bool {
        self.moment
            .is_some_and(|moment| !matches!(moment, Moment::Fixed(..)))
    }

    /// The instant, as the clocks of a zone show it where the bound has no offset.
    pub(crate) fn instant(self, zone: &TimeZone) -> Result<Option<Timestamp>> {
        let Some(moment) = self.moment else {
            return Ok(None);
        };
        match moment.instant(zone) {
            Some(instant) => Ok(Some(instant)),
            None => Err(Error::violations(vec![Violation::new(
                self.path,
                "format",
                "the time lies beyond all calendars",
            )])),
        }
    }
}

/// The zone in which times are meant that name none, and what the caller should know about it.
#[derive(Debug)]
pub(crate) struct Clocks {
    pub(crate) zone: TimeZone,
    pub(crate) warnings: Vec<Warning>,
}

impl Clocks {
    /// The calendar's, which are asked for only where one of the bounds needs them.
    pub(crate) async fn of(io: Io<'_>, calendar: &str, bounds: &[Bound]) -> Result<Self> {
        if bounds.iter().any(|bound| bound.needs_zone()) {
            return Self::of_calendar(io, calendar).await;
        }
        Ok(Self {
            zone: TimeZone::UTC,
            warnings: Vec::new(),
        })
    }

    /// The calendar's; UTC where the product leaves its zone out.
    pub(crate) async fn of_calendar(io: Io<'_>, calendar: &str) -> Result<Self> {
        let told = zone::of_calendar(io, calendar).await?;
        let message = "the product does not say which time zone the calendar has; dates and times without an offset are taken in UTC";
        let assumed = || vec![Warning::new("time_zone_assumed", message)];
        Ok(Self {
            warnings: if told.is_none() {
                assumed()
            } else {
                Vec::new()
            },
            zone: told.unwrap_or(TimeZone::UTC),
        })
    }
}

/// The later bound lies after the earlier one, as the product expects it.
pub(crate) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<()> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => {
            let violation =
                Violation::new("/time_max", "time_min", "time_max must lie after time_min");
            Err(Error::violations(vec![violation]))
        }
        _ => Ok(()),
    }
}
