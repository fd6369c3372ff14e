//! The Calendar API's methods that replace events, create them from a text, and list busy times; and etags.

use serde_json::{Value, json};

use crate::{calendar::Calendars, client::Reply};

const ALL: &str = "https://www.googleapis.com/auth/calendar";
const EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
const BASE: &str = "/www.googleapis.com/calendar/v3/";

impl Calendars {
    async fn ada_with(scope: &str) -> Self {
        Self::of("ada@example.com", &[scope]).await
    }

    async fn put(&self, path: &str, body: &Value) -> Reply {
        self.send("PUT", path, Some(body.clone()), None).await
    }

    async fn busy(&self, body: &Value) -> Value {
        let reply = self.post("freeBusy", body.clone()).await;
        reply.ok()["calendars"].clone()
    }
}

fn tea() -> Value {
    json!({
        "summary": "Tea",
        "description": "with cake",
        "colorId": "5",
        "start": {"dateTime": "2026-05-12T16:00:00+01:00"},
        "end": {"dateTime": "2026-05-12T17:00:00+01:00"},
        "attendees": [{"email": "grace@example.com"}],
    })
}

#[tokio::test]
async fn a_put_replaces_the_whole_event() {
    let ada = Calendars::ada_with(EVENTS).await;
    let made = ada.post("calendars/primary/events", tea()).await.ok();
    let path = format!("calendars/primary/events/{}", made["id"].as_str().unwrap());
    let body = json!({
        "summary": "Coffee",
        "start": {"dateTime": "2026-05-12T10:00:00+01:00"},
        "end": {"dateTime": "2026-05-12T10:30:00+01:00"},
    });
    let changed = ada.put(&path, &body).await.ok();
    assert_eq!(changed["summary"], "Coffee");
    for gone in ["description", "colorId", "attendees"] {
        assert_eq!(changed.get(gone), None, "{gone}");
    }
    for kept in ["id", "iCalUID", "creator", "organizer", "status", "created"] {
        assert_eq!(changed[kept], made[kept], "{kept}");
    }
    assert_ne!(changed["etag"], made["etag"]);
    assert_eq!(ada.get(&path).await.ok()["summary"], "Coffee");
    let reply = ada.put(&path, &json!({"summary": "When?"})).await;
    reply.declined(400, "required", "Missing end time.");
    let mut other = tea();
    other["colour"] = json!("red");
    let reply = ada.put(&path, &other).await;
    reply.declined(400, "badRequest", "Unknown name");
    let reply = ada.put("calendars/primary/events/nowhere", &tea()).await;
    reply.declined(404, "notFound", "Not Found");
    // One occurrence of a series is replaced like any event.
    let series = "calendars/primary/events/fa5102feb93ebab770ff8c1d87_20260513T083000Z";
    let moved = ada.put(series, &body).await.ok();
    assert_eq!(moved["recurringEventId"], "fa5102feb93ebab770ff8c1d87");
    let stale = ada.send("PUT", &path, Some(body), Some("\"1\"")).await;
    stale.declined(412, "conditionNotMet", "");
}

#[tokio::test]
async fn busy_times_are_joined_and_cut_at_the_ends() {
    let ada = Calendars::ada_with("https://www.googleapis.com/auth/calendar.freebusy").await;
    let body = json!({
        "timeMin": "2026-05-06T10:05:00Z",
        "timeMax": "2026-05-07T00:00:00Z",
        "timeZone": "Europe/London",
        "items": [
            {"id": "primary"},
            {"id": "c_engine@group.calendar.google.com"},
            {"id": "grace@example.com"},
        ],
    });
    let calendars = ada.busy(&body).await;
    assert_eq!(
        calendars["primary"]["busy"],
        json!([
            {"start": "2026-05-06T11:05:00+01:00", "end": "2026-05-06T11:15:00+01:00"},
            {"start": "2026-05-06T15:00:00+01:00", "end": "2026-05-06T15:30:00+01:00"},
        ])
    );
    let engine = &calendars["c_engine@group.calendar.google.com"]["busy"];
    assert_eq!(engine[0]["start"], "2026-05-06T17:00:00+01:00");
    let hidden = json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []});
    assert_eq!(calendars["grace@example.com"], hidden);
    // The event on this weekend is transparent, so the user isn't busy.
    let day = json!({
        "timeMin": "2026-05-09T00:00:00Z",
        "timeMax": "2026-05-11T00:00:00Z",
        "items": [{"id": "primary"}],
    });
    assert_eq!(ada.busy(&day).await["primary"]["busy"], json!([]));
    for (change, reason) in [
        (json!({"timeMin": null}), "required"),
        (json!({"timeMax": "2026-05-07"}), "badRequest"),
        (json!({"timeMax": "2026-05-01T00:00:00Z"}), "timeRangeEmpty"),
        (json!({"timeZone": "Mars/Base"}), "invalid"),
        (
            json!({"calendarExpansionMax": 2}),
            "tooManyCalendarsRequested",
        ),
        (json!({"items": [{"name": "x"}]}), "badRequest"),
        (json!({"people": []}), "badRequest"),
    ] {
        let mut wrong = body.clone();
        for (name, value) in change.as_object().unwrap() {
            wrong[name] = value.clone();
        }
        let reply = ada.post("freeBusy", wrong).await;
        reply.declined(400, reason, "");
    }
    let events = Calendars::ada_with(EVENTS).await;
    let reply = events.post("freeBusy", body).await;
    reply.declined(403, "insufficientPermissions", "scopes");
}

#[tokio::test]
async fn one_calendar_can_be_asked_for() {
    let ada = Calendars::ada_with(ALL).await;
    let own = ada.get("calendars/primary").await.ok();
    assert_eq!(own["id"], "ada@example.com");
    assert_eq!(own["timeZone"], "Europe/London");
    let listed = ada.get("users/me/calendarList/primary").await.ok();
    assert_eq!(
        (&listed["primary"], &listed["accessRole"]),
        (&json!(true), &json!("owner"))
    );
    for path in [
        "calendars/grace@example.com",
        "users/me/calendarList/nowhere",
    ] {
        ada.get(path).await.declined(404, "notFound", "Not Found");
    }
    let events = Calendars::ada_with(EVENTS).await;
    for path in ["calendars/primary", "users/me/calendarList/primary"] {
        events
            .get(path)
            .await
            .declined(403, "insufficientPermissions", "scopes");
    }
}

#[tokio::test]
async fn unchanged_resources_are_not_sent_again() {
    let ada = Calendars::ada_with(ALL).await;
    let made = ada.post("calendars/primary/events", tea()).await.ok();
    let event = format!("calendars/primary/events/{}", made["id"].as_str().unwrap());
    let ask = async |path: &str, etag: &str| {
        let request = ada.stage.http.get(ada.stage.url(&format!("{BASE}{path}")));
        let request = request
            .bearer_auth(&ada.token)
            .header("if-none-match", etag);
        ada.stage.send(request).await
    };
    for path in [
        event.as_str(),
        "calendars/primary/events",
        "users/me/calendarList",
    ] {
        let first = ada.get(path).await;
        let etag = first.header("etag").to_owned();
        assert_eq!(first.ok()["etag"], etag, "{path}");
        let again = ask(path, &etag).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
        assert_eq!(again.header("etag"), etag);
        assert_eq!(ask(path, "\"other\"").await.status, 200);
    }
    let before = ada
        .get("calendars/primary/events")
        .await
        .header("etag")
        .to_owned();
    ada.patch(&event, json!({"summary": "Coffee"})).await.ok();
    assert_eq!(ask("calendars/primary/events", &before).await.status, 200);
    assert_eq!(
        ask(&event, made["etag"].as_str().unwrap()).await.status,
        200
    );
}
