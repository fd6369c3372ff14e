//! The readable view of events: how to join, the guests, and other members.

use serde_json::{Value, json};
use stead_calendar::{GetEventById, ListCalendars, ListEvents};

use crate::view;

/// The view of an event from a call for one event, and from a list.
#[track_caller]
fn seen(mut event: Value) -> Value {
    event["id"] = json!("e1");
    let one = view::<GetEventById>(json!({ "event_id": "e1" }), &[event.clone()])["event"].clone();
    let page = view::<ListEvents>(json!({}), &[json!({ "items": [event] })]);
    let listed = page["events"][0].clone();
    for member in [
        "meeting",
        "meeting_access",
        "my_response",
        "attendees",
        "fields",
    ] {
        assert_eq!(one[member], listed[member], "{member}");
    }
    one
}

#[test]
fn links_of_meetings_are_found_wherever_they_stand() {
    let zoom = "https://example.zoom.us/j/123?pwd=x&uname=a";
    let teams = "https://teams.microsoft.com/l/meetup-join/19%3ameeting_x%40thread.v2/0?context=%7b%22Tid%22%3a%221%22%7d";
    let webex = "https://example.webex.com/example/j.php?MTID=m1";
    let meet = "https://meet.google.com/abc-defg-hij";
    let video = |uri: &str| json!({ "conferenceData": { "entryPoints": [{ "entryPointType": "video", "uri": uri }] } });
    let long = "Agenda. ".repeat(1_000);
    for (event, link) in [
        (video(zoom), zoom),
        (video(meet), meet),
        (json!({ "hangoutLink": meet }), meet),
        (json!({ "location": format!("Room 4, {teams}") }), teams),
        (json!({ "location": "meet.google.com/abc-defg-hij" }), meet),
        (
            json!({ "location": "HTTPS://Example.zoom.us/my/ada" }),
            "https://Example.zoom.us/my/ada",
        ),
        (
            json!({ "description": format!("{long}<a href=\"{}\">Join</a>", zoom.replace('&', "&amp;")) }),
            zoom,
        ),
        (
            json!({ "description": format!("Join the meeting now<{teams}>") }),
            teams,
        ),
        (
            json!({ "description": format!("When it's time: {webex}. Dial in: https://example.webex.com/globalcallin.php?x=1") }),
            webex,
        ),
    ] {
        assert_eq!(seen(event.clone())["meeting"], link, "{event}");
    }
    for text in [
        "https://zoom.us/pricing",
        "https://evil.example/zoom.us/j/1",
        "https://notzoom.us/j/1",
        "https://meet.google.com/",
        "j/123",
    ] {
        assert_eq!(
            seen(json!({ "location": text }))["meeting"],
            Value::Null,
            "{text}"
        );
    }
}

#[test]
fn phone_numbers_and_codes_of_a_meeting_are_shown() {
    let phone = json!({ "entryPointType": "phone", "uri": "tel:+1-929-205-6099", "label": "+1 929-205-6099", "pin": "7315" });
    let video =
        json!({ "entryPointType": "video", "uri": "https://zoom.us/j/1", "label": "zoom.us/j/1" });
    let coded =
        json!({ "entryPointType": "video", "uri": "https://zoom.us/j/1", "passcode": "4Q" });
    let event = |video: &Value| json!({ "conferenceData": { "entryPoints": [video, phone], "notes": "Wait in the lobby" } });
    let plain = seen(event(&video));
    assert_eq!(
        (&plain["meeting"], &plain["meeting_notes"]),
        (&json!("https://zoom.us/j/1"), &json!("Wait in the lobby"))
    );
    assert_eq!(plain["meeting_access"], json!([phone]));
    assert_eq!(seen(event(&coded))["meeting_access"], json!([coded, phone]));
    let mut both = event(&video);
    both["hangoutLink"] = json!("https://meet.google.com/x");
    let own = json!({ "entryPointType": "video", "uri": "https://meet.google.com/x" });
    assert_eq!(seen(both)["meeting_access"], json!([phone, own]));
}

#[test]
fn the_users_response_and_the_kind_of_each_guest_are_shown() {
    let mut guests = vec![json!({ "email": "g@x.org" }); 60];
    guests.push(json!({ "email": "me@x.org", "self": true, "responseStatus": "declined" }));
    let event = seen(
        json!({ "attendees": guests, "organizer": { "email": "o@x.org", "displayName": "Ops" } }),
    );
    assert_eq!(
        (&event["my_response"], &event["organizer_name"]),
        (&json!("declined"), &json!("Ops"))
    );
    let event = seen(json!({
        "organizer": { "email": "me@x.org", "self": true },
        "attendees": [
            { "email": "me@x.org", "self": true, "organizer": true, "responseStatus": "accepted" },
            { "email": "g@x.org", "optional": true, "comment": "Late", "additionalGuests": 2 },
            { "email": "room@x.org", "resource": true, "responseStatus": "accepted" },
        ],
    }));
    assert_eq!(event["organized_by_user"], true);
    assert_eq!(
        event["attendees"],
        json!([
            { "email": "me@x.org", "self": true, "response": "accepted" },
            { "email": "g@x.org", "optional": true, "comment": "Late", "additional_guests": 2 },
            { "email": "room@x.org", "resource": true, "response": "accepted" },
        ])
    );
}

#[test]
fn members_without_a_form_of_their_own_are_shown_as_they_are() {
    let attachments =
        json!([{ "fileUrl": "https://drive.google.com/open?id=1", "title": "Agenda" }]);
    let event = seen(json!({
        "kind": "calendar#event", "etag": "\"1\"", "sequence": 0, "iCalUID": "e1@google.com",
        "organizer": { "email": "o@x.org" }, "creator": { "email": "o@x.org" }, "reminders": { "useDefault": true },
        "start": { "dateTime": "2026-05-04T10:00:00+01:00", "timeZone": "Europe/London" },
        "end": { "dateTime": "2026-05-04T23:00:00+09:00", "timeZone": "Asia/Tokyo" },
        "attachments": attachments, "updated": "2026-05-01T09:00:00.000Z",
    }));
    assert_eq!(
        event["fields"],
        json!({ "attachments": attachments, "updated": "2026-05-01T09:00:00.000Z" })
    );
    assert_eq!(event["end_time_zone"], "Asia/Tokyo");
    let calendar = json!({
        "id": "c1", "summary": "team@x.org", "summaryOverride": "Team", "description": "All of us", "hidden": true,
        "colorId": "7", "defaultReminders": [{ "method": "popup", "minutes": 10 }],
    });
    let page = view::<ListCalendars>(
        json!({ "show_hidden": true }),
        &[json!({ "items": [calendar] })],
    );
    assert_eq!(
        page["calendars"],
        json!([{
            "id": "c1", "name": "Team", "own_name": "team@x.org", "description": "All of us", "hidden": true,
            "fields": { "defaultReminders": [{ "method": "popup", "minutes": 10 }] },
        }])
    );
}
