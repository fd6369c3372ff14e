//! Events that are moved keep their time zones, including those without an IANA name.

use serde_json::{Value, json};
use stead_calendar::{GetEventById, UpdateEvent};

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
    let at_two = json!({ "start_datetime": "2026-05-04T14:00:00" });
    let until_noon = json!({ "end_datetime": "2026-05-04T12:00:00" });
    let weekly = json!({ "recurrence": ["RRULE:FREQ=WEEKLY"] });
    let (london, tokyo) = (Some("Europe/London"), Some("Asia/Tokyo"));
    for (event, input, start, end) in [
        // Only the offset is known, and the name doesn't change.
        (
            event("-05:00", Some("GMT-05:00"), Some("GMT-05:00")),
            &at_two,
            "2026-05-04T14:00:00-05:00",
            "2026-05-04T15:00:00-05:00",
        ),
        (
            event("-05:00", Some("GMT-05:00"), Some("GMT-05:00")),
            &until_noon,
            "",
            "2026-05-04T12:00:00-05:00",
        ),
        (
            event("-05:00", Some("GMT-05:00"), Some("GMT-05:00")),
            &weekly,
            "",
            "",
        ),
        (
            event("+05:30", Some("UTC+0530"), None),
            &at_two,
            "2026-05-04T14:00:00+05:30",
            "2026-05-04T15:00:00+05:30",
        ),
        (
            event("-05:00", Some("Eastern Standard Time"), None),
            &weekly,
            "",
            "",
        ),
        // Start and end have different zones.
        (
            event("+01:00", london, tokyo),
            &at_two,
            "2026-05-04T14:00:00 Europe/London",
            "2026-05-04T23:00:00 Asia/Tokyo",
        ),
        (
            event("+01:00", london, tokyo),
            &json!({ "end_datetime": "2026-05-04T22:00:00" }),
            "",
            "2026-05-04T22:00:00 Asia/Tokyo",
        ),
        (
            event("+01:00", london, tokyo),
            &weekly,
            "Europe/London",
            "Asia/Tokyo",
        ),
        (
            event("+01:00", london, Some("Tokyo Standard Time")),
            &at_two,
            "2026-05-04T14:00:00 Europe/London",
            "2026-05-04T15:00:00+01:00",
        ),
        (
            event("+01:00", london, Some("Tokyo Standard Time")),
            &weekly,
            "Europe/London",
            "",
        ),
        (
            event("+09:00", None, tokyo),
            &at_two,
            "2026-05-04T14:00:00 Asia/Tokyo",
            "2026-05-04T15:00:00 Asia/Tokyo",
        ),
        // An event without a zone uses the calendar's.
        (
            event("+02:00", None, None),
            &weekly,
            "Europe/Berlin",
            "Europe/Berlin",
        ),
        (
            event("+02:00", None, None),
            &at_two,
            "2026-05-04T14:00:00 Europe/Berlin",
            "2026-05-04T15:00:00 Europe/Berlin",
        ),
    ] {
        let changed = change(&event, input.clone());
        assert_eq!(
            changed,
            Ok([start.to_owned(), end.to_owned()]),
            "{event} {input}"
        );
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
