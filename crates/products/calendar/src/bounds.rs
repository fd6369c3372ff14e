//! Time bounds of lists and filters.

use jiff::{Timestamp, tz::TimeZone};
use stead_core::{
    Error, Result,
    error::{Violation, Violations},
    tool::{Io, Warning},
};

use crate::{time::Moment, when, zone};

/// A parsed time parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    path: &'static str,
    moment: Option<Moment>,
}

impl Bound {
    /// Parses a parameter, and adds a violation if it isn't a time.
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

    /// Like `read`, for `time_max`: a date includes the whole of that day.
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

    /// Whether the instant depends on a time zone.
    fn needs_zone(self) -> bool {
        self.moment
            .is_some_and(|moment| !matches!(moment, Moment::Fixed(..)))
    }

    /// The instant. If the bound has no offset, it's a time in `zone`.
    pub(crate) fn instant(self, zone: &TimeZone) -> Result<Option<Timestamp>> {
        let Some(moment) = self.moment else {
            return Ok(None);
        };
        match moment.instant(zone) {
            Some(instant) => Ok(Some(instant)),
            None => Err(Error::violations(vec![Violation::new(
                self.path,
                "format",
                "the time is out of range",
            )])),
        }
    }
}

/// The time zone for bounds without one, and a warning for the caller.
#[derive(Debug)]
pub(crate) struct Clocks {
    pub(crate) zone: TimeZone,
    pub(crate) warnings: Vec<Warning>,
}

impl Clocks {
    /// The calendar's time zone, read only if one of the bounds needs it.
    pub(crate) async fn of(io: Io<'_>, calendar: &str, bounds: &[Bound]) -> Result<Self> {
        if bounds.iter().any(|bound| bound.needs_zone()) {
            return Self::of_calendar(io, calendar).await;
        }
        Ok(Self {
            zone: TimeZone::UTC,
            warnings: Vec::new(),
        })
    }

    /// The calendar's time zone, or UTC if the product doesn't return one.
    pub(crate) async fn of_calendar(io: Io<'_>, calendar: &str) -> Result<Self> {
        let told = zone::of_calendar(io, calendar).await?;
        let message = "the product didn't return the calendar's time zone; dates and times without an offset are read as UTC";
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

/// The product expects the later bound to be after the earlier one.
pub(crate) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<()> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => {
            let violation =
                Violation::new("/time_max", "time_min", "time_max must be after time_min");
            Err(Error::violations(vec![violation]))
        }
        _ => Ok(()),
    }
}
