//! Occurrences of recurring events, and the times when people are busy.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};
use serde_json::{Map, Value, json};

use super::{
    calendar_at,
    rule::{self, Rule, Until},
    times::{Edge, check_time_range, format_in_zone, moment, zone_named, zone_of},
    visible_events,
};
use crate::google::{
    ApiError, Call, Members as _, State,
    world::calendars::{Calendar, Calendars, Event},
};

/// The largest number of occurrences of a series, because a series may never end.
const MAX_OCCURRENCES: usize = 2500;

/// The occurrences that end after `from` and start before `to`. If one differs from its series, that's the stored
/// event, even if it's deleted.
pub(super) fn in_time_range(
    calendar: &Calendar,
    series: &Event,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> Vec<Event> {
    let zone = zone_named(calendar.time_zone).unwrap_or(TimeZone::UTC);
    let overlaps = |event: &Event| is_in_time_range(event, &zone, from, to);
    let different: Vec<&Event> = calendar
        .events
        .iter()
        .filter(|event| event.text("recurringEventId") == series.id())
        .collect();
    let mut found = Vec::new();
    for (start, end) in all(calendar, series) {
        if to.is_some_and(|to| start.instant(&zone) >= to) || found.len() >= MAX_OCCURRENCES {
            break;
        }
        let occurrence = occurrence(calendar, series, start, end);
        let is_stored = different.iter().any(|event| event.id() == occurrence.id());
        if !is_stored && overlaps(&occurrence) {
            found.push(occurrence);
        }
    }
    found.extend(
        different
            .into_iter()
            .filter(|event| overlaps(event))
            .cloned(),
    );
    found
        .sort_by_key(|event| Edge::of(event.fields.get("start")).map(|start| start.instant(&zone)));
    found
}

/// Whether an event ends after `from` and starts before `to` (events.list, `timeMin` and `timeMax`).
pub(super) fn is_in_time_range(
    event: &Event,
    zone: &TimeZone,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> bool {
    let instant = |name: &str| Edge::of(event.fields.get(name)).map(|edge| edge.instant(zone));
    from.is_none_or(|from| instant("end").is_some_and(|end| end > from))
        && to.is_none_or(|to| instant("start").is_some_and(|start| start < to))
}

/// The occurrence with this id, if the series has it.
pub(super) fn by_id(calendar: &Calendar, series: &Event, id: &str) -> Option<Event> {
    let (_, time) = id.rsplit_once('_')?;
    let wanted = match rule::until(time)? {
        Until::Day(day) => Edge::Day(day),
        Until::Time(instant) => Edge::Time(instant),
    };
    let (start, end) = all(calendar, series).find(|(start, _)| *start == wanted)?;
    Some(occurrence(calendar, series, start, end)).filter(|occurrence| occurrence.id() == id)
}

/// All starts and ends according to the series' lines, in order.
fn all(calendar: &Calendar, series: &Event) -> impl Iterator<Item = (Edge, Edge)> {
    let start = Edge::of(series.fields.get("start"));
    let end = Edge::of(series.fields.get("end"));
    let zone = zone_of(series.fields.get("start"), calendar.time_zone);
    let length = start
        .zip(end)
        .and_then(|(start, end)| start.until(end))
        .unwrap_or(SignedDuration::ZERO);
    let lines = Lines::of(series, &zone);
    let starts = start.map(|start| lines.starts(start, &zone));
    starts
        .into_iter()
        .flatten()
        .map(move |start| (start, start.later(length)))
}

/// The parsed lines of a recurrence.
struct Lines {
    rules: Vec<Rule>,
    added: Vec<Edge>,
    excluded: Vec<Edge>,
}

impl Lines {
    fn of(series: &Event, zone: &TimeZone) -> Self {
        let mut lines = Self {
            rules: Vec::new(),
            added: Vec::new(),
            excluded: Vec::new(),
        };
        for line in series
            .list("recurrence")
            .iter()
            .filter_map(|line| line.as_str())
        {
            let Some((head, value)) = line.split_once(':') else {
                continue;
            };
            let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
            match name {
                "RRULE" => lines.rules.extend(Rule::parse(value)),
                "RDATE" => lines.added.extend(dates(parameters, value, zone)),
                "EXDATE" => lines.excluded.extend(dates(parameters, value, zone)),
                _ => {}
            }
        }
        lines
    }

    /// The starts of the occurrences. An event without a rule takes place at its own start and on the added dates.
    fn starts(self, first: Edge, zone: &TimeZone) -> Box<dyn Iterator<Item = Edge>> {
        let Self {
            mut rules,
            mut added,
            excluded,
        } = self;
        let kept = move |start: &Edge| !excluded.contains(start);
        if rules.len() == 1
            && added.is_empty()
            && let Some(rule) = rules.pop()
        {
            return Box::new(starts_by_rule(rule, first, zone.clone()).filter(kept));
        }
        added.push(first);
        let ruled = rules.into_iter();
        added.extend(ruled.flat_map(|rule| starts_by_rule(rule, first, zone.clone())));
        added.sort_by_key(|start| start.instant(zone));
        added.dedup();
        Box::new(added.into_iter().filter(kept))
    }
}

/// The starts according to a rule. They have the same local time on each of the rule's days.
fn starts_by_rule(rule: Rule, first: Edge, zone: TimeZone) -> Box<dyn Iterator<Item = Edge>> {
    let until = rule.until;
    match first {
        Edge::Day(day) => {
            let is_before_the_end = move |day: &Date| match until {
                Some(Until::Day(last)) => *day <= last,
                Some(Until::Time(last)) => Edge::Day(*day).instant(&TimeZone::UTC) <= last,
                None => true,
            };
            Box::new(rule.days(day).take_while(is_before_the_end).map(Edge::Day))
        }
        Edge::Time(instant) => {
            let local = instant.to_zoned(zone.clone()).datetime();
            let starts = rule.days(local.date()).map_while(move |day| {
                let start = local_instant(day.to_datetime(local.time()), &zone)?;
                let is_before_the_end = match until {
                    Some(Until::Day(last)) => day <= last,
                    Some(Until::Time(last)) => start <= last,
                    None => true,
                };
                is_before_the_end.then_some(start)
            });
            Box::new(starts.map(Edge::Time))
        }
    }
}

fn local_instant(local: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    local
        .to_zoned(zone.clone())
        .ok()
        .map(|seen| seen.timestamp())
}

/// The dates of `RDATE` or `EXDATE`: in UTC with a `Z`, otherwise in the zone of `TZID` or of the event.
fn dates(parameters: &str, value: &str, zone: &TimeZone) -> Vec<Edge> {
    let named = parameters
        .split(';')
        .find_map(|parameter| parameter.strip_prefix("TZID="));
    let zone = named.and_then(zone_named).unwrap_or_else(|| zone.clone());
    let date = |text: &str| match text.split_once('T') {
        None => Date::strptime("%Y%m%d", text).ok().map(Edge::Day),
        Some(_) => {
            let local = DateTime::strptime("%Y%m%dT%H%M%S", text.trim_end_matches('Z')).ok()?;
            let zone = if text.ends_with('Z') {
                &TimeZone::UTC
            } else {
                &zone
            };
            local_instant(local, zone).map(Edge::Time)
        }
    };
    value.split(',').filter_map(date).collect()
}

/// An occurrence as an event of its own.
fn occurrence(calendar: &Calendar, series: &Event, start: Edge, end: Edge) -> Event {
    let mut event = series.clone();
    let name = series
        .fields
        .get("start")
        .and_then(|start| start["timeZone"].as_str())
        .unwrap_or(calendar.time_zone);
    let edge = |edge: Edge| match edge {
        Edge::Day(day) => json!({ "date": day.to_string() }),
        Edge::Time(instant) => {
            json!({ "dateTime": format_in_zone(instant, &zone_named(name).unwrap_or(TimeZone::UTC)), "timeZone": name })
        }
    };
    let suffix = match start {
        Edge::Day(day) => day.strftime("%Y%m%d").to_string(),
        Edge::Time(instant) => instant.strftime("%Y%m%dT%H%M%SZ").to_string(),
    };
    event.fields.remove("recurrence");
    event
        .fields
        .insert("id".to_owned(), json!(format!("{}_{suffix}", series.id())));
    event
        .fields
        .insert("recurringEventId".to_owned(), json!(series.id()));
    event
        .fields
        .insert("originalStartTime".to_owned(), edge(start));
    event.fields.insert("start".to_owned(), edge(start));
    event.fields.insert("end".to_owned(), edge(end));
    event
}

/// The largest number of calendars in a query.
const MAX_CALENDARS: usize = 50;

type Period = (Timestamp, Timestamp);

/// `freebusy.query`: when calendars are busy.
pub(super) fn query(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let body = &call.body;
    let most = body.get("calendarExpansionMax").and_then(Value::as_u64);
    let most = most.and_then(|most| usize::try_from(most).ok());
    let time = |name: &str| match body.text(name) {
        None => Err(ApiError::of(
            400,
            "required",
            format!("Missing {name} parameter."),
        )),
        Some(text) => moment(text).ok_or_else(|| ApiError::of(400, "badRequest", "Bad Request")),
    };
    let range = (time("timeMin")?, time("timeMax")?);
    check_time_range(Some(range.0), Some(range.1))?;
    let zone = body.text("timeZone").unwrap_or("UTC");
    let zone =
        zone_named(zone).ok_or_else(|| ApiError::of(400, "invalid", "Invalid time zone."))?;
    let items: Vec<_> = body.objects("items").collect();
    if items.len() > most.unwrap_or(MAX_CALENDARS).min(MAX_CALENDARS) {
        let message = "The requested set of calendars is too large.";
        return Err(ApiError::of(400, "tooManyCalendarsRequested", message));
    }
    let calendars = &state.world.calendars;
    let mut shown = Map::new();
    for item in items {
        let id = item.text("id").unwrap_or_default();
        let index = calendars
            .index_of(id, &call.user)
            .filter(|index| calendar_at(calendars, *index).role(&call.user).is_some());
        let entry = match index {
            Some(index) => {
                let periods = busy(calendars, index, &call.user, range).into_iter();
                let periods = periods.map(|(start, end)| {
                    json!({"start": format_in_zone(start, &zone), "end": format_in_zone(end, &zone)})
                });
                json!({"busy": periods.collect::<Vec<_>>()})
            }
            None => json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}),
        };
        shown.insert(id.to_owned(), entry);
    }
    Ok(json!({
        "kind": "calendar#freeBusy",
        "timeMin": format_in_zone(range.0, &TimeZone::UTC),
        "timeMax": format_in_zone(range.1, &TimeZone::UTC),
        "calendars": shown,
    }))
}

/// The busy periods within the range, in order. Adjacent periods are joined, and the range cuts off both ends.
fn busy(calendars: &Calendars, index: usize, user: &str, range: Period) -> Vec<Period> {
    let zone = zone_named(calendar_at(calendars, index).time_zone).unwrap_or(TimeZone::UTC);
    let (from, to) = (Some(range.0), Some(range.1));
    let mut events = Vec::new();
    for (home, event) in visible_events(calendars, index) {
        if event.is_series() {
            let home = calendar_at(calendars, home);
            events.extend(in_time_range(home, event, from, to));
        } else if event.text("recurringEventId").is_empty()
            && is_in_time_range(event, &zone, from, to)
        {
            // An occurrence that differs from its series comes with the series.
            events.push(event.clone());
        }
    }
    let mut periods: Vec<Period> = events
        .iter()
        .filter(|event| takes_time(event, user))
        .filter_map(|event| {
            let edge = |name: &str| Edge::of(event.fields.get(name));
            let (start, end) = (edge("start")?.instant(&zone), edge("end")?.instant(&zone));
            Some((start.max(range.0), end.min(range.1)))
        })
        .filter(|(start, end)| start < end)
        .collect();
    periods.sort_unstable();
    let mut joined: Vec<Period> = Vec::new();
    for (start, end) in periods {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Whether an event makes its user busy.
fn takes_time(event: &Event, user: &str) -> bool {
    let declined = event.guests().any(|guest| {
        guest["email"].as_str() == Some(user) && guest["responseStatus"] == "declined"
    });
    !event.is_cancelled() && event.text("transparency") != "transparent" && !declined
}
