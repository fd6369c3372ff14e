//! A write with an idempotency key is executed once, however often and through whatever path it's
//! requested.

use futures_util::future::join_all;
use http::{HeaderValue, Method};
use serde_json::{Value, json};
use stead_core::ErrorKind;

use crate::{
    http_client::{Reply, request},
    products,
    stage::Stage,
};

const EXECUTE: &str = "/v1/tools/calendar_create_event/execute";
const EVENTS: &str = "/calendar/v3/calendars/primary/events";
const REPLAYED: &str = "stead-idempotent-replayed";

/// A stage with Ada's calendar connected as `user-1`.
async fn connected() -> Stage {
    let stage = Stage::new().await;
    products::connect(&stage, "calendar").await;
    stage
}

/// A request with a key.
async fn post(stage: &Stage, path: &str, key: &str, body: &Value) -> Reply {
    let url = format!("{}{path}", stage.url);
    let bytes = body.to_string().into_bytes().into();
    let mut request = request(Method::POST, &url, &stage.bearer, bytes);
    let headers = request.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("idempotency-key", key.parse().unwrap());
    stage.http.send(request).await
}

fn event(summary: &str) -> Value {
    json!({ "connection_name": "calendar", "identifier": "user-1", "input": {
        "summary": summary, "start_datetime": "2026-12-01T10:00:00Z", "event_duration_hour": 1 } })
}

fn inserted(summary: &str) -> Value {
    let at = |hour: &str| json!({ "dateTime": format!("2026-12-01T{hour}:00:00Z") });
    json!({ "summary": summary, "start": at("10"), "end": at("11") })
}

fn raw(summary: &str) -> Value {
    json!({ "connection_name": "calendar", "identifier": "user-1", "method": "POST",
        "path": EVENTS, "body": inserted(summary) })
}

/// How many writes the products have received.
fn written(stage: &Stage) -> usize {
    let received = stage.sandbox.sandbox.received();
    let is_write = |path: &str| path.ends_with("/drafts") || path.ends_with("/events");
    let writes = received
        .iter()
        .filter(|one| one.method == "POST" && is_write(&one.path));
    writes.count()
}

/// Sends a hundred equal writes at the same time. Returns their common response.
async fn a_hundred(stage: &Stage, path: &str, body: &Value) -> Reply {
    let before = written(stage);
    // Quoted or not, the key is the same.
    let keys = ["\"order-1\"", "order-1"].into_iter().cycle().take(100);
    let mut replies = join_all(keys.map(|key| post(stage, path, key, body))).await;
    assert_eq!(written(stage), before + 1, "{path}");
    let first = replies.pop().unwrap();
    assert_eq!(first.status, 200, "{}", first.text());
    for reply in &replies {
        assert_eq!((reply.status, &reply.body), (first.status, &first.body));
    }
    let replayed = replies.iter().chain([&first]);
    let replayed = replayed.filter(|reply| reply.header(REPLAYED) == "true");
    assert_eq!(replayed.count(), 99);
    first
}

#[tokio::test]
async fn a_hundred_concurrent_equal_writes_reach_the_product_once() {
    let stage = connected().await;
    a_hundred(&stage, EXECUTE, &event("Tea")).await;
    let proxied = a_hundred(&stage, "/v1/proxy", &raw("Milk")).await;
    assert!(proxied.header("stead-execution-id").starts_with("exec_"));

    let writes = written(&stage);
    let other = post(&stage, EXECUTE, "order-1", &event("Coffee")).await;
    assert_eq!(
        (other.status.as_u16(), other.kind().as_str()),
        (422, "idempotency_mismatch")
    );
    let other = post(&stage, "/v1/proxy", "order-1", &raw("Bread")).await;
    assert_eq!(other.kind(), "idempotency_mismatch");
    assert_eq!(written(&stage), writes);
    // A permanent error is replayed too.
    let mut wrong = raw("Milk");
    wrong["path"] = json!("/calendar/v3/calendars/nothing/events");
    let first = post(&stage, "/v1/proxy", "order-2", &wrong).await;
    let again = post(&stage, "/v1/proxy", "order-2", &wrong).await;
    assert_eq!(first.status, 404, "{}", first.text());
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(
        (first.header(REPLAYED), again.header(REPLAYED)),
        ("", "true")
    );
    for bad in ["\"\"", "\"a", &"x".repeat(256)] {
        let refused = post(&stage, "/v1/proxy", bad, &wrong).await;
        assert_eq!(
            (refused.status.as_u16(), refused.kind().as_str()),
            (400, "invalid_request"),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn an_idempotency_key_works_in_platform_and_client() {
    let stage = connected().await;
    let doors: [(stead::Stead, &str); 2] = [
        (stage.client().into(), "client"),
        (stage.platform.clone().into(), "platform"),
    ];
    for (stead, door) in doors {
        let before = written(&stage);
        let calendar = stead.account("calendar", "user-1").unwrap();
        let input = event(door)["input"].take();
        let create = || {
            calendar
                .execute("calendar_create_event", input.clone())
                .idempotency_key("k")
        };
        let (first, again) = (create().await.unwrap(), create().await.unwrap());
        assert_eq!((first.replayed, again.replayed), (false, true), "{door}");
        assert_eq!(first.execution_id, again.execution_id);
        assert_eq!(first.data.get(), again.data.get());
        let insert = |summary: &str| {
            let request = calendar.request(Method::POST, EVENTS);
            request.json(&inserted(summary)).idempotency_key("k")
        };
        let (first, again) = (insert("Milk").await.unwrap(), insert("Milk").await.unwrap());
        assert_eq!(first.body(), again.body());
        assert!(again.headers().contains_key(REPLAYED), "{door}");
        let other = insert("Bread").await.unwrap_err();
        assert_eq!(other.kind(), ErrorKind::IdempotencyMismatch);
        assert_eq!(written(&stage), before + 2, "{door}");
    }
}
