//! The filters of calls and events.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use stead::Error;
use stead_core::resource::{Event, EventFilter, ExecutionFilter, ExecutionRecord, TotalsStep};
use url::form_urlencoded;

use crate::extract::Query;

/// The time range of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Span {
    Hour,
    #[default]
    Day,
    Week,
}

impl Span {
    pub(super) const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Week];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Hour => "Last hour",
            Self::Day => "Last 24 hours",
            Self::Week => "Last 7 days",
        }
    }

    /// Number of bars in a chart, and the seconds that each covers. The seconds are a multiple of the totals' step.
    pub(super) const fn bars(self) -> (i64, i64) {
        match self {
            Self::Hour => (60, 60),
            Self::Day => (48, 1_800),
            Self::Week => (56, 10_800),
        }
    }

    /// The step of the totals. A bar adds up all totals of its time.
    pub(super) const fn step(self) -> TotalsStep {
        match self {
            Self::Week => TotalsStep::Hour,
            _ => TotalsStep::Minute,
        }
    }

    /// Maximum age of its totals. A change within that time would hardly be visible in the chart.
    pub(super) const fn fresh(self) -> Duration {
        Duration::from_secs(match self {
            Self::Hour => 2,
            Self::Day => 10,
            Self::Week => 60,
        })
    }

    /// The start of its first bar.
    pub(super) fn start(self, now: Timestamp) -> Timestamp {
        let (bars, seconds) = self.bars();
        let last = now.as_second().div_euclid(seconds);
        Timestamp::from_second((last - bars + 1) * seconds).unwrap_or(now)
    }

    pub(super) fn read(query: &mut Query) -> Result<Self, Error> {
        let words = Self::ALL.map(|span| (span.name(), span));
        Ok(query.one_of("time", &words)?.unwrap_or_default())
    }
}

/// Filters for the calls to show.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    pub(super) span: Span,
    pub(super) connection_name: Option<String>,
    pub(super) identifier: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) outcome: Option<String>,
}

impl Calls {
    pub(super) fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            span: Span::read(query)?,
            connection_name: trimmed(query, "connection_name")?,
            identifier: trimmed(query, "identifier")?,
            tool: trimmed(query, "tool")?,
            outcome: trimmed(query, "outcome")?,
        })
    }

    pub(super) fn to_filter(&self, now: Timestamp) -> ExecutionFilter {
        let (bars, seconds) = self.span.bars();
        let mut filter = ExecutionFilter::default();
        filter.since = now
            .checked_sub(SignedDuration::from_secs(bars * seconds))
            .ok();
        filter.connection_name = self.connection_name.clone();
        filter.identifier = self.identifier.clone();
        filter.tool = self.tool.clone();
        filter.outcome = self.outcome.clone();
        filter
    }

    pub(super) fn takes(&self, call: &ExecutionRecord) -> bool {
        is(self.connection_name.as_ref(), &call.connection_name)
            && is(self.identifier.as_ref(), &call.identifier)
            && is(self.tool.as_ref(), &call.tool)
            && is(self.outcome.as_ref(), &call.outcome)
    }

    /// Whether a filter other than the time range is set.
    pub(super) fn is_narrow(&self) -> bool {
        let parts = [
            &self.connection_name,
            &self.identifier,
            &self.tool,
            &self.outcome,
        ];
        parts.into_iter().any(Option::is_some)
    }

    /// The same as a query, with its parts in their order.
    pub(super) fn query(&self) -> String {
        let span = Some(self.span).filter(|span| *span != Span::default());
        query(&[
            ("time", span.map(Span::name)),
            ("connection_name", self.connection_name.as_deref()),
            ("identifier", self.identifier.as_deref()),
            ("tool", self.tool.as_deref()),
            ("outcome", self.outcome.as_deref()),
        ])
    }
}

/// Filters for the events to show.
#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    /// The start of their types, such as `account`.
    pub(super) about: Option<String>,
    pub(super) connection_name: Option<String>,
    pub(super) identifier: Option<String>,
}

/// The subjects of events: the first word of their types.
pub(super) const ABOUT: [(&str, &str); 7] = [
    ("account", "Accounts"),
    ("authorization", "Authorizations"),
    ("connection", "Connections"),
    ("app_credential", "Credentials"),
    ("webhook", "Webhooks"),
    ("member", "Members"),
    ("key", "Keys"),
];

impl Events {
    pub(super) fn read(query: &mut Query) -> Result<Self, Error> {
        let about = query.one_of("about", &ABOUT.map(|(name, _)| (name, name)))?;
        Ok(Self {
            about: about.map(str::to_owned),
            connection_name: trimmed(query, "connection_name")?,
            identifier: trimmed(query, "identifier")?,
        })
    }

    pub(super) fn to_filter(&self) -> EventFilter {
        let mut filter = EventFilter::default();
        filter.types = self.about.iter().map(|name| format!("{name}.*")).collect();
        filter.connection_name = self.connection_name.clone();
        filter.identifier = self.identifier.clone();
        filter.newest_first = true;
        filter
    }

    pub(super) fn takes(&self, event: &Event) -> bool {
        let text = |member| event.text(member).unwrap_or_default();
        self.to_filter().takes_type(&event.event_type)
            && is(self.connection_name.as_ref(), text("connection_name"))
            && is(self.identifier.as_ref(), text("identifier"))
    }

    pub(super) fn query(&self) -> String {
        query(&[
            ("about", self.about.as_deref()),
            ("connection_name", self.connection_name.as_deref()),
            ("identifier", self.identifier.as_deref()),
        ])
    }
}

fn trimmed(query: &mut Query, name: &'static str) -> Result<Option<String>, Error> {
    let text = query.text(name)?.map(|text| text.trim().to_owned());
    Ok(text.filter(|text| !text.is_empty()))
}

fn is(asked: Option<&String>, found: &str) -> bool {
    asked.is_none_or(|asked| asked == found)
}

/// A query of the given members.
fn query(members: &[(&str, Option<&str>)]) -> String {
    let given = members
        .iter()
        .filter_map(|(name, value)| Some((*name, (*value)?)));
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish()
}
