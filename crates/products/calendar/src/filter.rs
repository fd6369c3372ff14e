//! Filters for a single event. They match what a list with the same parameters returns (Calendar API, events.list).

use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value;

use crate::time::Moment;

/// Conditions that an event must meet.
#[derive(Debug, Default)]
pub(crate) struct Filter<'a> {
    /// Kinds of event. The event must be of one of them.
    pub(crate) event_types: Option<Vec<&'static str>>,
    /// Words that it must contain.
    pub(crate) query: Option<&'a str>,
    /// It must end after this.
    pub(crate) time_min: Option<Timestamp>,
    /// It must start before this.
    pub(crate) time_max: Option<Timestamp>,
    /// It must have been changed at this time or later.
    pub(crate) updated_min: Option<Timestamp>,
}

impl Filter<'_> {
    /// The parameters that the event doesn't match.
    pub(crate) fn failing(&self, event: &Value, zone: &TimeZone) -> Vec<&'static str> {
        let mut failing = self.failing_but_time(event);
        let edge = |name: &str| Moment::of_edge(&event[name])?.instant(zone);
        // Some all-day events end on their start date in the API; such an event still takes that day.
        let end = || {
            let (start, end) = (
                Moment::of_edge(&event["start"]),
                Moment::of_edge(&event["end"])?,
            );
            let own = start.filter(|start| start.is_day() && *start == end);
            own.map_or(end, Moment::after_day).instant(zone)
        };
        if self
            .time_min
            .is_some_and(|min| end().is_none_or(|end| end <= min))
        {
            failing.push("time_min");
        }
        if self
            .time_max
            .is_some_and(|max| edge("start").is_none_or(|start| start >= max))
        {
            failing.push("time_max");
        }
        failing
    }

    /// Like `failing`, without the time bounds.
    pub(crate) fn failing_but_time(&self, event: &Value) -> Vec<&'static str> {
        let mut failing = Vec::new();
        let kind = event["eventType"].as_str().unwrap_or("default");
        if self
            .event_types
            .as_ref()
            .is_some_and(|kinds| !kinds.contains(&kind))
        {
            failing.push("event_types");
        }
        if self.query.is_some_and(|query| !has_words(event, query)) {
            failing.push("query");
        }
        let updated = || event["updated"].as_str()?.parse::<Timestamp>().ok();
        if self
            .updated_min
            .is_some_and(|min| updated().is_none_or(|updated| updated < min))
        {
            failing.push("updated_min");
        }
        failing
    }

    /// The time bounds that are set.
    pub(crate) fn bounds(&self) -> Vec<&'static str> {
        let bounds = [
            ("time_min", self.time_min.is_some()),
            ("time_max", self.time_max.is_some()),
        ];
        bounds
            .into_iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| name)
            .collect()
    }
}

/// Whether the event's texts, or the names and addresses of its people, contain every word, in any case.
fn has_words(event: &Value, query: &str) -> bool {
    let mut texts = Vec::new();
    let mut add = |value: &Value| texts.extend(value.as_str().map(str::to_lowercase));
    for name in ["summary", "description", "location"] {
        add(&event[name]);
    }
    let guests = event["attendees"].as_array().into_iter().flatten();
    for person in guests.chain([&event["organizer"]]) {
        add(&person["displayName"]);
        add(&person["email"]);
    }
    query
        .to_lowercase()
        .split_whitespace()
        .all(|word| texts.iter().any(|text| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event() -> Value {
        json!({
            "summary": "Plan the Engine", "description": "Bring the cards", "location": "Dorset Street",
            "attendees": [{"email": "charles@engine.example", "displayName": "Charles Babbage"}],
            "organizer": {"email": "ada@example.com"},
            "start": {"dateTime": "2026-05-04T10:00:00+01:00"}, "end": {"dateTime": "2026-05-04T11:00:00+01:00"},
            "updated": "2026-05-01T09:00:00.000Z",
        })
    }

    fn at(text: &str) -> Option<Timestamp> {
        Some(text.parse().unwrap())
    }

    #[track_caller]
    fn check(filter: &Filter<'_>, failing: &[&str]) {
        assert_eq!(filter.failing(&event(), &TimeZone::UTC), failing);
    }

    #[test]
    fn words_are_found_in_all_texts_and_people() {
        let words = |query| Filter {
            query: Some(query),
            ..Filter::default()
        };
        for query in [
            "engine",
            "PLAN cards",
            "dorset babbage",
            "ada@",
            "charles@engine.example",
            "",
        ] {
            check(&words(query), &[]);
        }
        check(&words("engine loom"), &["query"]);
    }

    #[test]
    fn bounds_are_exclusive_and_cut_at_the_other_end() {
        let min = |text| Filter {
            time_min: at(text),
            ..Filter::default()
        };
        let max = |text| Filter {
            time_max: at(text),
            ..Filter::default()
        };
        check(&min("2026-05-04T09:59:59Z"), &[]);
        check(&min("2026-05-04T10:00:00Z"), &["time_min"]);
        check(&max("2026-05-04T09:00:01Z"), &[]);
        check(&max("2026-05-04T09:00:00Z"), &["time_max"]);
    }

    #[test]
    fn kinds_and_changes() {
        let kinds = |kinds| Filter {
            event_types: Some(kinds),
            ..Filter::default()
        };
        let since = |text| Filter {
            updated_min: at(text),
            ..Filter::default()
        };
        check(&kinds(vec!["default", "birthday"]), &[]);
        check(&kinds(vec!["focusTime"]), &["event_types"]);
        check(&since("2026-05-01T09:00:00Z"), &[]);
        check(&since("2026-05-01T09:00:01Z"), &["updated_min"]);
    }

    #[test]
    fn a_day_begins_and_ends_in_the_zone() {
        let day = json!({"start": {"date": "2026-05-04"}, "end": {"date": "2026-05-05"}});
        let filter = Filter {
            time_min: at("2026-05-04T22:30:00Z"),
            ..Filter::default()
        };
        let berlin = crate::zone::named("Europe/Berlin").unwrap();
        assert_eq!(filter.failing(&day, &berlin), ["time_min"]);
        assert!(filter.failing(&day, &TimeZone::UTC).is_empty());
    }
}
