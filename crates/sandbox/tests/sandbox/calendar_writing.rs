//! The Calendar API's methods that write.

use serde_json::{Value, json};

use crate::calendar::{Calendars, EVENTS};

fn tea() -> Value {
    json!({
        "id": "tea0123456789",
        "summary": "Tea",
        "start": { "dateTime": "2026-05-12T16:00:00", "timeZone": "Europe/Berlin" },
        "end": { "dateTime": "2026-05-12T17:00:00+02:00", "timeZone": "Europe/Berlin" },
        "attendees": [{ "email": "grace@example.com" }, { "email": "charles@engine.example" }],
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut event = tea();
    event[name] = value;
    event
}

const PRIMARY: &str = "calendars/primary/events";
const TEA: &str = "calendars/primary/events/tea0123456789";

#[tokio::test]
async fn an_event_is_made_once() {
    let ada = Calendars::ada().await;
    let made = ada
        .post(&format!("{PRIMARY}?sendUpdates=all"), tea())
        .await
        .ok();
    assert_eq!(
        made["start"],
        json!({ "dateTime": "2026-05-12T15:00:00+01:00", "timeZone": "Europe/Berlin" })
    );
    assert_eq!(made["attendees"][0]["responseStatus"], "needsAction");
    assert_eq!(made["organizer"]["self"], true);
    assert_eq!(made["eventType"], "default");
    assert_eq!(made["iCalUID"], "tea0123456789@google.com");
    let again = ada.post(&format!("{PRIMARY}?sendUpdates=all"), tea()).await;
    again.declined(409, "duplicate", "already exists");
    // Each guest was notified once.
    let notices = ada.stage.sandbox().world()["notices"].clone();
    assert_eq!(notices.as_array().unwrap().len(), 2);
    assert_eq!(
        notices[0],
        json!({ "event_id": "tea0123456789", "to": "grace@example.com", "about": "invitation" })
    );
    // The guest sees the event.
    let grace = Calendars {
        token: ada
            .stage
            .tokens("grace@example.com", &[EVENTS])
            .await
            .access,
        ..ada
    };
    let seen = grace.get(TEA).await.ok();
    assert_eq!(seen["start"]["dateTime"], "2026-05-12T10:00:00-04:00");
    assert_eq!(seen["attendees"][0]["self"], true);
    let changed = grace.patch(TEA, json!({ "summary": "Coffee" })).await;
    changed.declined(403, "requiredAccessLevel", "writer access");
    assert_eq!(grace.delete(TEA).await.status, 204);
    assert_eq!(grace.get(TEA).await.status, 404);
}

#[tokio::test]
async fn the_product_creates_a_missing_id() {
    let ada = Calendars::ada().await;
    let mut event = tea();
    event.as_object_mut().unwrap().remove("id");
    let one = ada.post(PRIMARY, event.clone()).await.ok();
    let two = ada.post(PRIMARY, event).await.ok();
    assert_ne!(one["id"], two["id"]);
    assert_eq!(ada.stage.sandbox().world()["notices"], json!([]));
}

#[tokio::test]
async fn a_change_merges_and_replaces() {
    let ada = Calendars::ada().await;
    let path = format!("{PRIMARY}/{}", ada.id("Review of note G"));
    let before = ada.get(&path).await.ok();
    let etag = before["etag"].as_str().unwrap();
    let body = json!({ "summary": "Notes A to G", "location": null, "attendees": [{ "email": "grace@example.com" }], "end": { "dateTime": "2026-05-05T16:00:00+01:00" } });
    let after = ada
        .send("PATCH", &path, Some(body.clone()), Some(etag))
        .await
        .ok();
    assert_eq!(after["summary"], "Notes A to G");
    assert_eq!(after.get("location"), None);
    assert_eq!(
        after["end"],
        json!({ "dateTime": "2026-05-05T16:00:00+01:00", "timeZone": "Europe/London" })
    );
    assert_eq!(after["description"], before["description"]);
    // The list was replaced, and with it the response status.
    assert_eq!(
        after["attendees"],
        json!([{ "email": "grace@example.com", "responseStatus": "needsAction" }])
    );
    assert_ne!(after["etag"], before["etag"]);
    ada.send("PATCH", &path, Some(body), Some(etag))
        .await
        .declined(412, "conditionNotMet", "Precondition");
    let day = json!({ "start": { "date": "2026-05-05", "dateTime": null }, "end": { "date": "2026-05-06", "dateTime": null } });
    assert_eq!(
        ada.patch(&path, day).await.ok()["start"]["date"],
        "2026-05-05"
    );
    let kind = json!({ "eventType": "focusTime" });
    ada.patch(&path, kind)
        .await
        .declined(400, "eventTypeRestriction", "cannot be changed");
}

#[tokio::test]
async fn a_response_changes_one_guest_and_a_list_all() {
    let ada = Calendars::ada().await;
    let responses = |event: &Value| -> Vec<String> {
        let guests = event["attendees"].as_array().unwrap().iter();
        let pair = |guest: &Value| {
            let name = guest["email"]
                .as_str()
                .unwrap()
                .split('@')
                .next()
                .unwrap()
                .to_owned();
            name + " " + guest["responseStatus"].as_str().unwrap()
        };
        guests.map(pair).collect()
    };
    let change = async |id: &str, body: Value| ada.patch(&format!("{PRIMARY}/{id}"), body).await;
    let own = |status: &str| json!([{ "email": "ada@example.com", "responseStatus": status, "comment": "Late" }]);

    // A guest who can't change the event can still respond.
    let lunch = ada.id("Lunch with Ada");
    let body = json!({ "attendeesOmitted": true, "attendees": own("accepted") });
    let after = change(&lunch, body.clone()).await.ok();
    assert_eq!(responses(&after), ["grace accepted", "ada accepted"]);
    assert_eq!(after["attendees"][1]["comment"], "Late");
    assert_eq!(after.get("attendeesOmitted"), None);
    let mut more = body.clone();
    more["summary"] = json!("Dinner");
    let refusal = change(&lunch, more).await;
    refusal.declined(403, "requiredAccessLevel", "writer access");

    // Changes to the entries of other guests are ignored.
    let review = ada.id("Review of note G");
    let body = json!({ "attendeesOmitted": true, "attendees": [{ "email": "grace@example.com", "responseStatus": "declined" }] });
    let after = change(&review, body).await.ok();
    assert_eq!(
        responses(&after),
        ["ada accepted", "grace accepted", "charles declined"]
    );

    // A user who isn't invited is added as a guest.
    let call = ada.id("Call to New York");
    let body = json!({ "attendeesOmitted": true, "attendees": own("tentative") });
    assert_eq!(
        responses(&change(&call, body).await.ok()),
        ["ada tentative"]
    );

    // Without `attendeesOmitted`, the list replaces all guests.
    let after = change(&review, json!({ "attendees": own("declined") }))
        .await
        .ok();
    assert_eq!(responses(&after), ["ada declined"]);
    let after = change(&lunch, json!({ "attendees": own("declined") }))
        .await
        .ok();
    assert_eq!(responses(&after), ["ada declined"]);
}

#[tokio::test]
async fn one_occurrence_can_be_changed_alone() {
    let ada = Calendars::ada().await;
    let series = ada.id("Stand-up");
    let one = format!("{PRIMARY}/{series}_20260511T083000Z");
    let changed = ada
        .patch(&one, json!({ "summary": "Stand-up, outside" }))
        .await
        .ok();
    assert_eq!(changed["recurringEventId"], series);
    assert_eq!(
        ada.delete(&format!("{PRIMARY}/{series}_20260513T083000Z"))
            .await
            .status,
        204
    );
    let week = "timeMin=2026-05-11T00:00:00Z&timeMax=2026-05-16T00:00:00Z";
    let list = ada
        .get(&format!("{PRIMARY}/{series}/instances?{week}"))
        .await
        .ok();
    let summaries: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["summary"].as_str().unwrap())
        .collect();
    assert_eq!(summaries, ["Stand-up, outside", "Stand-up"]);
    assert_eq!(ada.delete(&format!("{PRIMARY}/{series}")).await.status, 204);
    let gone = ada
        .get(&format!("{PRIMARY}?singleEvents=true&{week}"))
        .await
        .ok();
    assert_eq!(gone["items"], json!([]));
}

#[tokio::test]
async fn a_deleted_event_stays_to_be_read_and_is_deleted_once() {
    let ada = Calendars::ada().await;
    let path = format!("{PRIMARY}/{}", ada.id("Opera, perhaps"));
    let reply = ada.delete(&path).await;
    assert_eq!((reply.status, reply.text.as_str()), (204, ""));
    assert_eq!(ada.get(&path).await.ok()["status"], "cancelled");
    ada.delete(&path)
        .await
        .declined(410, "deleted", "Resource has been deleted");
    ada.delete(&format!("{PRIMARY}/nothing"))
        .await
        .declined(404, "notFound", "Not Found");
    let deleted = ada
        .get(&format!("{PRIMARY}?showDeleted=true&q=opera"))
        .await
        .ok();
    assert_eq!(deleted["items"][0]["status"], "cancelled");
}

#[tokio::test]
async fn a_meeting_is_made_after_its_event() {
    let ada = Calendars::ada().await;
    let asked = json!({ "createRequest": { "requestId": "r1", "conferenceSolutionKey": { "type": "hangoutsMeet" } } });
    let ignored = ada
        .post(PRIMARY, with("conferenceData", asked.clone()))
        .await
        .ok();
    assert_eq!(ignored.get("conferenceData"), None);
    let path = TEA;
    let change = json!({ "conferenceData": asked });
    let pending = ada
        .patch(&format!("{path}?conferenceDataVersion=1"), change.clone())
        .await
        .ok();
    assert_eq!(
        pending["conferenceData"]["createRequest"]["status"]["statusCode"],
        "pending"
    );
    assert_eq!(pending.get("hangoutLink"), None);
    let made = ada.get(path).await.ok();
    let link = made["hangoutLink"].as_str().unwrap();
    assert_eq!(made["conferenceData"]["entryPoints"][0]["uri"], link);
    // Sending the same request again changes nothing.
    let again = ada
        .patch(&format!("{path}?conferenceDataVersion=1"), change)
        .await
        .ok();
    assert_eq!(again["hangoutLink"], link);
    let other = json!({ "conferenceData": { "createRequest": { "requestId": "r2", "conferenceSolutionKey": { "type": "eventHangout" } } } });
    let refused_kind = ada
        .patch(&format!("{path}?conferenceDataVersion=1"), other)
        .await;
    refused_kind.declined(400, "invalid", "Invalid conference type value");
    let circle = "calendars/c_reading%40group.calendar.google.com/events?conferenceDataVersion=1";
    let refused_place = ada.post(circle, with("conferenceData", asked)).await;
    refused_place.declined(400, "invalid", "Invalid conference type value");
}

#[tokio::test]
async fn bodies_are_checked_strictly() {
    let ada = Calendars::ada().await;
    let cases = json!([
        ["start", null, "required", "Missing start time."],
        ["end", null, "required", "Missing end time."],
        ["start", {"date": "2026-05-12"}, "invalid", "both be date or both be dateTime"],
        ["start", {"dateTime": "2026-05-12T16:00:00"}, "required", "Missing time zone definition for start time."],
        ["start", {"dateTime": "2026-05-12T16:00:00", "timeZone": "Berlin"}, "invalid", "Invalid time zone definition"],
        ["start", {"dateTime": "tomorrow", "timeZone": "Europe/Berlin"}, "invalid", "Invalid start time."],
        ["start", {"date": "2026-05-12", "dateTime": "2026-05-12T16:00:00Z"}, "invalid", "Invalid start time."],
        ["start", {"dateTime": "2026-05-12T16:00:00Z", "zone": "x"}, "badRequest", "Unknown member"],
        ["start", {"dateTime": "2026-05-12T18:00:00Z"}, "timeRangeEmpty", "range is empty"],
        ["attendees", [{"email": "Charles"}], "invalid", "Invalid attendee email."],
        ["attendees", [{"email": "a@b.c", "responseStatus": "yes"}], "invalid", "response status"],
        ["recurrence", ["FREQ=DAILY"], "invalid", "Invalid recurrence rule."],
        ["recurrence", ["DTSTART:20260512T140000Z"], "invalid", "Invalid recurrence rule."],
        ["recurrence", ["RRULE:FREQ=DAILY;COUNT=0"], "invalid", "Invalid recurrence rule."],
        ["visibility", "secret", "invalid", "visibility"],
        ["transparency", "free", "invalid", "transparency"],
        ["eventType", "fromGmail", "invalid", "eventType"],
        ["guestsCanModify", "yes", "invalid", "guestsCanModify"],
        ["title", "Tea", "badRequest", "Cannot find field"],
        ["id", "UPPER", "invalid", "Invalid resource id value."],
        ["id", "abc", "invalid", "Invalid resource id value."],
        ["eventType", "birthday", "eventTypeRestriction", "birthday"],
        ["eventType", "workingLocation", "eventTypeRestriction", "working location"],
        ["focusTimeProperties", {}, "eventTypeRestriction", "focusTime"],
    ]);
    let cases: Vec<(String, Value, String, String)> = serde_json::from_value(cases).unwrap();
    for (member, value, reason, says) in cases {
        let reply = ada.post(PRIMARY, with(&member, value)).await;
        reply.declined(400, &reason, &says);
    }
    let mut series = with("recurrence", json!(["RRULE:FREQ=DAILY"]));
    series["start"] = json!({ "dateTime": "2026-05-12T16:00:00+02:00" });
    ada.post(PRIMARY, series).await.declined(
        400,
        "required",
        "Missing time zone definition for start time.",
    );
    let mut focus = with("eventType", json!("focusTime"));
    focus["focusTimeProperties"] = json!({});
    let elsewhere = "calendars/c_engine%40group.calendar.google.com/events";
    ada.post(elsewhere, focus)
        .await
        .declined(400, "eventTypeRestriction", "primary calendar");
    let holidays = "calendars/en.uk%23holiday%40group.v.calendar.google.com/events";
    ada.post(holidays, tea())
        .await
        .declined(403, "requiredAccessLevel", "writer access");
    ada.post(&format!("{PRIMARY}?sendUpdates=true"), tea())
        .await
        .declined(400, "badRequest", "TYPE_ENUM");
    ada.post(&format!("{PRIMARY}?conferenceDataVersion=2"), tea())
        .await
        .declined(400, "badRequest", "TYPE_ENUM");
    assert_eq!(ada.post(&format!("{PRIMARY}/x"), tea()).await.status, 405);
    assert_eq!(ada.stage.sandbox().world()["notices"], json!([]));
}

#[tokio::test]
async fn faults_apply_here_too() {
    let ada = Calendars::ada().await;
    ada.stage.cause(json!({ "kind": "cut_before_response", "host": "www.googleapis.com", "path_contains": "/events" }));
    let url = ada
        .stage
        .url(&format!("/www.googleapis.com/calendar/v3/{PRIMARY}"));
    let request = ada
        .stage
        .http
        .post(url)
        .bearer_auth(&ada.token)
        .header("content-type", "application/json")
        .body(tea().to_string());
    assert!(request.send().await.is_err());
    // The event was created although the connection broke.
    ada.post(PRIMARY, tea())
        .await
        .declined(409, "duplicate", "already exists");
    ada.stage
        .cause(json!({ "kind": "error", "status": 403, "reason": "rateLimitExceeded" }));
    let throttled = ada.get(PRIMARY).await;
    assert_eq!(
        (
            throttled.status,
            &throttled.json()["error"]["errors"][0]["reason"]
        ),
        (403, &json!("rateLimitExceeded"))
    );
}

#[tokio::test]
async fn a_sync_returns_only_later_changes() {
    let ada = Calendars::ada().await;
    let sync = async |token: &str| ada.get(&format!("{PRIMARY}?syncToken={token}")).await.ok();
    let token = |list: &Value| list["nextSyncToken"].as_str().unwrap().to_owned();
    let first = token(&ada.get(PRIMARY).await.ok());
    let opera = ada.id("Opera, perhaps");
    let made = ada.post(PRIMARY, with("summary", json!("Tea"))).await.ok();
    let one = sync(&first).await;
    assert_eq!(one["items"].as_array().unwrap().len(), 1);
    assert_eq!(one["items"][0]["id"], made["id"]);
    // Although the sandbox's clock hasn't moved, no change is returned twice.
    let second = token(&one);
    assert_eq!(sync(&second).await["items"], json!([]));
    ada.delete(&format!("{PRIMARY}/{opera}")).await;
    let two = sync(&second).await;
    assert_eq!(two["items"].as_array().unwrap().len(), 1);
    assert_eq!(two["items"][0]["status"], "cancelled");
    assert_eq!(sync(&first).await["items"].as_array().unwrap().len(), 2);
    assert_eq!(sync(&token(&two)).await["items"], json!([]));
}
