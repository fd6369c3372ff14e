//! The Calendar API's methods that read.

use serde_json::{Value, json};

use crate::client::{Reply, Stage, cases};

pub(crate) const EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
const LIST: &str = "https://www.googleapis.com/auth/calendar.calendarlist.readonly";
const BASE: &str = "/www.googleapis.com/calendar/v3/";

/// A sandbox with one user's token.
pub(crate) struct Calendars {
    pub(crate) stage: Stage,
    pub(crate) token: String,
}

impl Calendars {
    pub(crate) async fn of(user: &str, scopes: &[&str]) -> Self {
        let stage = Stage::new().await;
        let token = stage.tokens(user, scopes).await.access;
        Self { stage, token }
    }

    pub(crate) async fn ada() -> Self {
        Self::of("ada@example.com", &[EVENTS, LIST]).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.stage.get(&format!("{BASE}{path}"), &self.token).await
    }

    /// Sends a GET that must succeed, and returns its JSON.
    async fn read(&self, path: &str) -> Value {
        self.get(path).await.ok()
    }

    /// The same for a path below the events of the primary calendar.
    async fn events(&self, rest: &str) -> Value {
        self.read(&format!("calendars/primary/events{rest}")).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, Some(body), None).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send("PATCH", path, Some(body), None).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, None, None).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
        etag: Option<&str>,
    ) -> Reply {
        let method = method.parse().expect("a method");
        let mut request = self
            .stage
            .http
            .request(method, self.stage.url(&format!("{BASE}{path}")))
            .bearer_auth(&self.token);
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        if let Some(etag) = etag {
            request = request.header("if-match", etag);
        }
        self.stage.send(request).await
    }

    /// The id of an event of a calendar in the user's list.
    pub(crate) fn id(&self, summary: &str) -> String {
        let world = self.stage.sandbox().world();
        let calendars = world["users"][0]["calendars"]
            .as_array()
            .expect("calendars");
        let mut events = calendars
            .iter()
            .flat_map(|calendar| calendar["events"].as_array().expect("events"));
        let found = events
            .find(|event| event["summary"] == summary)
            .expect(summary);
        found["id"].as_str().expect("an id").to_owned()
    }
}

impl Reply {
    /// Checks that Google's older error shape was used, without the members of the newer one.
    #[track_caller]
    pub(crate) fn declined(&self, status: u16, reason: &str, says: &str) {
        self.refused(status, reason, says);
        let error = &self.json()["error"];
        assert_eq!(error["code"], status);
        assert!(error["message"].is_string(), "{error}");
        assert!(
            error.get("status").is_none() && error.get("details").is_none(),
            "{error}"
        );
    }
}

fn texts<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    let items = list["items"].as_array().expect("items");
    items
        .iter()
        .map(|item| item[name].as_str().unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn calendars_are_listed_by_role_and_state() {
    let ada = Calendars::ada().await;
    let list = ada.read("users/me/calendarList").await;
    assert_eq!(
        texts(&list, "summary"),
        ["Ada Lovelace", "Engine", "Holidays in United Kingdom"]
    );
    assert_eq!(list["items"][0]["primary"], true);
    assert_eq!(
        list["items"][2]["id"],
        "en.uk#holiday@group.v.calendar.google.com"
    );
    let all = ada
        .read("users/me/calendarList?showHidden=true&showDeleted=true&minAccessRole=reader")
        .await;
    assert_eq!(texts(&all, "summary").len(), 5);
    let own = ada.read("users/me/calendarList?minAccessRole=owner").await;
    assert_eq!(texts(&own, "accessRole"), ["owner", "owner"]);
    let first = ada.read("users/me/calendarList?maxResults=2").await;
    assert_eq!(first.get("nextSyncToken"), None);
    let next = first["nextPageToken"].as_str().unwrap();
    let second = ada
        .read(&format!(
            "users/me/calendarList?maxResults=2&pageToken={next}"
        ))
        .await;
    assert_eq!(texts(&second, "summary"), ["Holidays in United Kingdom"]);

    let token = second["nextSyncToken"].as_str().unwrap().to_owned();
    let synced = ada
        .get(&format!("users/me/calendarList?syncToken={token}"))
        .await;
    // A sync token is valid for the list with any page size.
    assert_eq!(synced.ok()["items"], json!([]));
    let clash = ada
        .get(&format!(
            "users/me/calendarList?syncToken={token}&minAccessRole=owner"
        ))
        .await;
    clash.declined(400, "badRequest", "Sync token");
    ada.stage
        .cause(json!({ "kind": "token_lifetime", "seconds": 100_000_000 }));
    let later = Calendars {
        token: ada.stage.tokens("ada@example.com", &[LIST]).await.access,
        ..ada
    };
    later
        .stage
        .cause(json!({ "kind": "advance", "seconds": 31 * 86_400 }));
    let old = later
        .get(&format!("users/me/calendarList?syncToken={token}"))
        .await;
    old.declined(410, "fullSyncRequired", "full sync is required");
}

#[tokio::test]
async fn series_are_listed_as_one_or_by_occurrence() {
    let ada = Calendars::ada().await;
    let week = "timeMin=2026-05-04T00:00:00Z&timeMax=2026-05-11T00:00:00Z";
    let whole = ada.events(&format!("?{week}")).await;
    assert_eq!(
        texts(&whole, "summary"),
        [
            "Stand-up",
            "Stand-up, later than usual",
            "",
            "Review of note G",
            "Call to New York",
            "Great Exhibition",
            "Opera, perhaps",
            "Translation of Menabrea",
            "Lunch with Ada"
        ]
    );
    // A deleted occurrence only says which occurrence it is.
    assert_eq!(whole["items"][2]["status"], "cancelled");
    assert!(whole["items"][2]["originalStartTime"].is_object());
    assert_eq!(whole["timeZone"], "Europe/London");

    let single = ada
        .events(&format!("?{week}&singleEvents=true&orderBy=startTime"))
        .await;
    let starts: Vec<(&str, &str)> = single["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            let start = &event["start"];
            (
                event["summary"].as_str().unwrap(),
                start["dateTime"]
                    .as_str()
                    .or(start["date"].as_str())
                    .unwrap(),
            )
        })
        .collect();
    assert_eq!(
        starts,
        [
            ("Stand-up", "2026-05-04T09:30:00+01:00"),
            ("Translation of Menabrea", "2026-05-04T13:00:00+01:00"),
            ("Review of note G", "2026-05-05T14:00:00+01:00"),
            ("Stand-up, later than usual", "2026-05-06T11:00:00+01:00"),
            ("Call to New York", "2026-05-06T15:00:00+01:00"),
            ("Lunch with Ada", "2026-05-07T12:00:00+01:00"),
            ("Opera, perhaps", "2026-05-07T19:00:00+01:00"),
            ("Great Exhibition", "2026-05-09"),
        ]
    );
    let deleted = ada
        .events(&format!("?{week}&singleEvents=true&showDeleted=true"))
        .await;
    assert_eq!(
        texts(&deleted, "status")
            .iter()
            .filter(|status| **status == "cancelled")
            .count(),
        2
    );
}

#[tokio::test]
async fn a_series_keeps_its_time_of_the_clock() {
    let ada = Calendars::ada().await;
    let id = ada.id("Stand-up");
    let path = format!(
        "calendars/primary/events/{id}/instances?timeMin=2026-03-23T00:00:00Z&timeMax=2026-04-07T00:00:00Z"
    );
    let list = ada.read(&path).await;
    let starts: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["start"]["dateTime"].as_str().unwrap())
        .collect();
    // Clocks go forward on 2026-03-29. The series excludes 2026-04-03.
    assert_eq!(
        starts,
        [
            "2026-03-23T09:30:00Z",
            "2026-03-25T09:30:00Z",
            "2026-03-27T09:30:00Z",
            "2026-03-30T09:30:00+01:00",
            "2026-04-01T09:30:00+01:00",
            "2026-04-06T09:30:00+01:00"
        ]
    );
    let first = &list["items"][3];
    assert_eq!(first["id"], format!("{id}_20260330T083000Z"));
    assert_eq!(first["recurringEventId"], id);
    assert_eq!(first.get("recurrence"), None);
    let one = ada
        .events(&format!("/{id}_20260330T083000Z?timeZone=America/New_York"))
        .await;
    assert_eq!(one["start"]["dateTime"], "2026-03-30T04:30:00-04:00");
    assert_eq!(
        ada.get(&format!("calendars/primary/events/{id}_20260331T083000Z"))
            .await
            .status,
        404
    );
    // The series never ends, but the list is bounded.
    let all = ada
        .events(&format!("/{id}/instances?maxResults=2500"))
        .await;
    assert_eq!(all["items"].as_array().unwrap().len(), 2500);
}

#[tokio::test]
async fn lists_are_filtered() {
    let ada = Calendars::ada().await;
    for (query, found) in [
        ("q=charles%20note", vec!["Review of note G"]),
        ("q=GRACE", vec!["Review of note G", "Lunch with Ada"]),
        (
            "eventTypes=birthday&eventTypes=focusTime",
            vec!["Charles's birthday", "Translation of Menabrea"],
        ),
        (
            "timeMin=2026-05-10T23:00:00Z&timeMax=2026-05-12T00:00:00Z",
            vec!["Stand-up"],
        ),
        (
            "updatedMin=2026-05-03T00:00:00Z",
            vec!["Translation of Menabrea", "Lunch with Ada"],
        ),
        ("q=zeppelin", vec![]),
    ] {
        let list = ada.events(&format!("?{query}")).await;
        let mut summaries = texts(&list, "summary");
        summaries.retain(|summary| !summary.is_empty());
        summaries.retain(|summary| !summary.contains("later"));
        assert_eq!(summaries, found, "{query}");
    }
    let uid = format!("{}@google.com", ada.id("Review of note G"));
    let list = ada.events(&format!("?iCalUID={uid}")).await;
    assert_eq!(texts(&list, "summary"), ["Review of note G"]);
    let zone = ada.events("?maxResults=1&fields=timeZone").await;
    assert_eq!(zone, json!({ "timeZone": "Europe/London" }));
}

#[tokio::test]
async fn other_calendars_are_reached_by_their_encoded_ids() {
    let ada = Calendars::ada().await;
    let holidays = ada
        .read("calendars/en.uk%23holiday%40group.v.calendar.google.com/events?q=bank")
        .await;
    assert_eq!(
        texts(&holidays, "summary"),
        ["Early May bank holiday", "Spring bank holiday"]
    );
    assert_eq!(holidays["accessRole"], "reader");
    ada.get("calendars/grace%40example.com/events")
        .await
        .declined(404, "notFound", "Not Found");
    let grace = Calendars::of("grace@example.com", &[EVENTS]).await;
    let lunch = grace.events("?q=lunch").await;
    assert_eq!(
        lunch["items"][0]["start"]["dateTime"],
        "2026-05-07T07:00:00-04:00"
    );
    assert_eq!(
        lunch["items"][0]["organizer"],
        json!({ "email": "grace@example.com", "self": true })
    );
    assert_eq!(grace.get("users/me/calendarList").await.status, 403);
}

#[tokio::test]
async fn narrow_scopes_reach_less() {
    let owned = Calendars::of(
        "ada@example.com",
        &["https://www.googleapis.com/auth/calendar.events.owned.readonly"],
    )
    .await;
    assert_eq!(owned.get("calendars/primary/events").await.status, 200);
    assert_eq!(
        owned
            .get("calendars/en.uk%23holiday%40group.v.calendar.google.com/events")
            .await
            .status,
        404
    );
    assert_eq!(owned.delete("calendars/primary/events/x").await.status, 403);
}

#[tokio::test]
async fn guests_can_be_left_out() {
    let ada = Calendars::ada().await;
    let path = format!("calendars/primary/events/{}", ada.id("Review of note G"));
    assert_eq!(
        ada.read(&path).await["attendees"].as_array().unwrap().len(),
        3
    );
    let few = ada.read(&format!("{path}?maxAttendees=1")).await;
    assert_eq!(few["attendeesOmitted"], true);
    assert_eq!(few["attendees"][0]["self"], true);
}

#[tokio::test]
async fn invalid_parameters_are_refused() {
    let ada = Calendars::ada().await;
    let table = "
        orderBy=startTime => badRequest => ordering
        timeMin=2026-05-04T00:00:00 => badRequest => Bad Request
        timeMin=2026-05-04 => badRequest => Bad Request
        timeMin=2026-05-04T10:00:00Z&timeMax=2026-05-04T10:00:00Z => timeRangeEmpty => range is empty
        maxResults=0 => invalidParameter => within the range
        timeZone=London => invalid => time zone
        syncToken=x => invalid => sync token
        pageToken=x => badRequest => page token
        order_by=updated => badRequest => Cannot bind query parameter
        orderBy=start => badRequest => TYPE_ENUM
        eventTypes=meeting => badRequest => TYPE_ENUM
        singleEvents=yes => badRequest => TYPE_BOOL
    ";
    for [query, reason, says] in cases(table) {
        ada.get(&format!("calendars/primary/events?{query}"))
            .await
            .declined(400, reason, says);
    }
    let long_ago = ada
        .get("calendars/primary/events?updatedMin=2026-03-01T00:00:00Z")
        .await;
    long_ago.declined(410, "updatedMinTooLongAgo", "too far in the past");
    let list = ada.events("").await;
    let token = list["nextSyncToken"].as_str().unwrap();
    let clash = ada
        .get(&format!("calendars/primary/events?syncToken={token}&q=tea"))
        .await;
    clash.declined(400, "badRequest", "Sync token");
    assert_eq!(
        ada.events(&format!("?syncToken={token}")).await["items"],
        json!([])
    );
    assert_eq!(
        ada.get("calendars/primary/events?fields=nothing")
            .await
            .status,
        400
    );
    ada.get("calendars/primary/events/nothing")
        .await
        .declined(404, "notFound", "Not Found");
    let no_token = ada
        .stage
        .send(
            ada.stage.http.get(
                ada.stage
                    .url("/www.googleapis.com/calendar/v3/users/me/calendarList"),
            ),
        )
        .await;
    no_token.declined(401, "required", "authentication credential");
}
