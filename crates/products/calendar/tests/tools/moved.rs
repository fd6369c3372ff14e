//! Events that are moved keep their time zones, including those without an IANA name.

use serde_json::{Value, json};
use stead_calendar::{GetEventById, UpdateEvent};
use stead_testkit::cases;

use crate::run;

/// An event from 10 to 11, with these zones of its start and its end.
fn event(offset: &str, start: Option<&str>, end: Option<&str>) -> Value {
    let edge = |hour: &str, zone: Option<&str>| {
        let mut edge = json!({ "dateTime": format!("2026-05-04T{hour}:00:00{offset}") });
        if let Some(zone) = zone {
            edge["timeZone"] = json!(zone);
        }
        edge
    };
    json!({ "id": "e1", "etag": "\"1\"", "start": edge("10", start), "end": edge("11", end) })
}

/// `start` and `end` of the change: time and zone. The calendar is in Berlin.
fn change(event: &Value, mut input: Value) -> Result<[String; 2], String> {
    input["calendar_id"] = json!("primary");
    input["event_id"] = json!("e1");
    // The calendar's zone is only read if the event has none.
    let calendar = json!({ "timeZone": "Europe/Berlin" });
    let has_zone = event.to_string().contains("timeZone");
    let between = (!has_zone).then_some(calendar);
    let responses: Vec<Value> = [Some(event.clone()), between, Some(event.clone())]
        .into_iter()
        .flatten()
        .collect();
    let (result, canned) = run::<UpdateEvent>(input, &responses);
    if let Err(error) = result {
        return Err(format!("{:?}", error.violation_list()));
    }
    let requests = canned.requests();
    let body = requests.last().and_then(|sent| sent.body.clone());
    let body: Value = serde_json::from_slice(&body.expect("a body")).expect("JSON");
    Ok(["start", "end"].map(|name| {
        let text = |member: &str| body[name][member].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("dateTime"), text("timeZone"))
            .trim()
            .to_owned()
    }))
}

#[test]
fn times_without_an_offset_are_in_the_zone_of_the_event() {
    // The columns are the event's offset, its start and end zones, the input, and the start and end of the change. If a
    // zone isn't an IANA name, Stead only knows the offset. If the event has no zone, Stead uses the calendar's.
    let table = "
        -05:00 => GMT-05:00 => GMT-05:00 => at two => 2026-05-04T14:00:00-05:00 => 2026-05-04T15:00:00-05:00
        -05:00 => GMT-05:00 => GMT-05:00 => until noon => => 2026-05-04T12:00:00-05:00
        -05:00 => GMT-05:00 => GMT-05:00 => weekly => =>
        +05:30 => UTC+0530 => => at two => 2026-05-04T14:00:00+05:30 => 2026-05-04T15:00:00+05:30
        -05:00 => Eastern Standard Time => => weekly => =>
        +01:00 => Europe/London => Asia/Tokyo => at two => 2026-05-04T14:00:00 Europe/London => 2026-05-04T23:00:00 Asia/Tokyo
        +01:00 => Europe/London => Asia/Tokyo => until ten => => 2026-05-04T22:00:00 Asia/Tokyo
        +01:00 => Europe/London => Asia/Tokyo => weekly => Europe/London => Asia/Tokyo
        +01:00 => Europe/London => Tokyo Standard Time => at two => 2026-05-04T14:00:00 Europe/London => 2026-05-04T15:00:00+01:00
        +01:00 => Europe/London => Tokyo Standard Time => weekly => Europe/London =>
        +09:00 => => Asia/Tokyo => at two => 2026-05-04T14:00:00 Asia/Tokyo => 2026-05-04T15:00:00 Asia/Tokyo
        +02:00 => => => weekly => Europe/Berlin => Europe/Berlin
        +02:00 => => => at two => 2026-05-04T14:00:00 Europe/Berlin => 2026-05-04T15:00:00 Europe/Berlin
    ";
    for [offset, start_zone, end_zone, input, start, end] in cases(table) {
        let zone = |name| Some(name).filter(|name: &&str| !name.is_empty());
        let event = event(offset, zone(start_zone), zone(end_zone));
        let input = match input {
            "at two" => json!({ "start_datetime": "2026-05-04T14:00:00" }),
            "until noon" => json!({ "end_datetime": "2026-05-04T12:00:00" }),
            "until ten" => json!({ "end_datetime": "2026-05-04T22:00:00" }),
            _ => json!({ "recurrence": ["RRULE:FREQ=WEEKLY"] }),
        };
        let changed = change(&event, input.clone());
        let expected = [start.to_owned(), end.to_owned()];
        assert_eq!(changed, Ok(expected), "{event} {input}");
    }
}

#[test]
fn a_zone_that_is_not_known_is_asked_for() {
    let event = event(
        "-05:00",
        Some("Eastern Standard Time"),
        Some("Eastern Standard Time"),
    );
    for input in [
        json!({ "start_datetime": "2026-05-04T14:00:00" }),
        json!({ "end_datetime": "2026-05-04T12:00:00" }),
        json!({ "start_datetime": "2026-05-04T14:00:00", "recurrence": ["RRULE:FREQ=WEEKLY"] }),
    ] {
        let refused = change(&event, input.clone()).expect_err("a refusal");
        assert!(
            refused.contains("/timezone") && refused.contains("Eastern Standard Time"),
            "{input}: {refused}"
        );
    }
    for input in [
        json!({ "start_datetime": "2026-05-04T14:00:00-05:00" }),
        json!({ "end_datetime": "2026-05-04T12:00:00-05:00" }),
        json!({ "start_datetime": "2026-05-04T14:00:00", "timezone": "America/New_York" }),
    ] {
        assert!(change(&event, input.clone()).is_ok(), "{input}");
    }
}

#[test]
fn an_event_that_ends_on_its_own_date_takes_that_day() {
    let event =
        json!({ "id": "e1", "start": { "date": "2026-10-02" }, "end": { "date": "2026-10-02" } });
    let zone = json!({ "timeZone": "Europe/Berlin" });
    for (from, to, matched) in [
        ("2026-10-02", "2026-10-02", true),
        ("2026-10-02T23:00:00+02:00", "2026-10-03", true),
        ("2026-10-03", "2026-10-03", false),
        ("2026-10-01", "2026-10-01", false),
    ] {
        let input = json!({ "event_id": "e1", "time_min": from, "time_max": to });
        let found = run::<GetEventById>(input, &[event.clone(), zone.clone()]).0;
        assert_eq!(found.unwrap()["matched"], matched, "{from} to {to}");
    }
}
