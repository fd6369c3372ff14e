//! Events and calendars can be named by their links.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use serde_json::{Value, json};
use stead_calendar::{CreateEvent, DeleteEvent, GetEventById, ListEvents, UpdateEvent};
use stead_core::{Result, tool::Tool};
use stead_testkit::cases;

use crate::run;

/// The path of the first request.
fn path<T: Tool>(input: Value) -> Result<String> {
    let (result, canned) = run::<T>(input, &[json!({ "id": "e1" }), json!({ "id": "e1" })]);
    result.map(|_| canned.requests()[0].path.join("/"))
}

/// The paths of all tools for an event and a calendar.
fn paths(event: &str, calendar: &str) -> Vec<Result<String>> {
    let both = json!({ "event_id": event, "calendar_id": calendar });
    let title = json!({ "event_id": event, "calendar_id": calendar, "summary": "Tea" });
    let new = json!({ "calendar_id": calendar, "summary": "Tea", "start_datetime": "2026-05-04" });
    vec![
        path::<GetEventById>(both.clone()),
        path::<DeleteEvent>(both),
        path::<UpdateEvent>(title),
        path::<ListEvents>(json!({ "calendar_id": calendar })),
        path::<CreateEvent>(new),
    ]
}

#[test]
fn a_link_is_read_as_its_id() {
    let eid = STANDARD_NO_PAD.encode("e1_20260504T090000Z ada@m");
    let cid = STANDARD_NO_PAD.encode("team@group.calendar.google.com");
    let team = "team@group.calendar.google.com";
    let table = "
        e1_20260504T090000Z => team@group.calendar.google.com
        https://www.google.com/calendar/event?eid=EID => https://calendar.google.com/calendar/embed?src=team%40group.calendar.google.com&ctz=UTC
        http://calendar.google.com/calendar/event?ctz=UTC&eid=EID= => HTTPS://calendar.google.com/calendar/u/0?cid=CID
        https://calendar.google.com/calendar/u/0/r/eventedit/EID?x=1 => https://calendar.google.com/calendar/ical/team%40group.calendar.google.com/public/basic.ics
    ";
    for link in cases(table) {
        let [event, calendar] = link.map(|text| text.replace("EID", &eid).replace("CID", &cid));
        let list = format!("calendars/{team}/events");
        let one = format!("{list}/e1_20260504T090000Z");
        let paths: Vec<String> = paths(&event, &calendar)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            paths,
            [&*one, &one, &one, &list, &list],
            "{event} {calendar}"
        );
    }
    let uid = "https://example.org/1@example.org";
    assert_eq!(
        path::<GetEventById>(json!({ "event_id": uid })).unwrap(),
        format!("calendars/primary/events/{uid}")
    );
}

#[test]
fn another_link_is_refused() {
    let table = "
        https://zoom.us/j/1 => https://example.org/calendar
        https://www.google.com/calendar/event?eid=%% => https://calendar.google.com/calendar/u/0/r
        https://calendar.google.com/calendar/event => https://calendar.google.com/calendar/embed?src=a%2Fb%40c
    ";
    for [event, calendar] in cases(table) {
        let places = |result: &Result<String>| {
            let error = result.as_ref().unwrap_err();
            let places = error.violation_list().iter().map(|one| one.path.clone());
            places.collect::<Vec<_>>()
        };
        let refused = paths(event, calendar);
        for both in &refused[..3] {
            assert_eq!(
                places(both),
                ["/event_id", "/calendar_id"],
                "{event} {calendar}"
            );
        }
        for one in &refused[3..] {
            assert_eq!(places(one), ["/calendar_id"], "{calendar}");
        }
    }
}
