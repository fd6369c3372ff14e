//! Dry runs: the product later receives exactly the announced requests, byte for byte, and a dry run changes nothing.

use std::{
    mem,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::{
    ports::{Body, BoxFuture, Transport, TransportError},
    resource::{ExecuteRequest, Plan},
    tool::Effect,
};

use crate::{
    products::connect,
    stage::{Setting, Stage},
};

/// The first case of every tool's fixture, with ids of the sandbox's world.
const CASES: &str = include_str!("../../crates/cli/src/commands/demo/cases.json");

/// Tools that only read, but whose two runs differ. The product gives an attachment another ID at each read, and the
/// search for people needs a warm-up request, which the dry run sent.
const READS_DIFFER: [&str; 2] = ["mail_get_attachment_by_id", "mail_search_people"];

/// A request: method, address, and the body's bytes.
type Seen = (String, String, String);

/// Passes requests on, and keeps what tools send.
struct Recording {
    inner: ReqwestTransport,
    seen: Mutex<Vec<Seen>>,
}

impl Transport for Recording {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let body = match request.body() {
            Body::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            _ => String::new(),
        };
        let seen = (
            request.method().to_string(),
            request.uri().to_string(),
            body,
        );
        self.seen.lock().unwrap().push(seen);
        self.inner.send(request)
    }
}

impl Recording {
    /// The requests since the last call, sorted, because several reads are sent at the same time.
    fn take(&self) -> Vec<Seen> {
        let mut seen = mem::take(&mut *self.seen.lock().unwrap());
        seen.sort();
        seen
    }
}

fn planned(plan: &Plan, only: impl Fn(bool) -> bool) -> Vec<Seen> {
    let requests = plan.requests.iter().filter(|one| only(one.sent));
    let mut seen: Vec<Seen> = requests
        .map(|one| {
            // A body that isn't JSON is a string.
            let body = one.body.as_ref().map(|body| {
                let text = serde_json::from_str::<String>(body.get());
                text.unwrap_or_else(|_| body.get().to_owned())
            });
            (
                one.method.clone(),
                one.url.clone(),
                body.unwrap_or_default(),
            )
        })
        .collect();
    seen.sort();
    seen
}

/// Both calls have the same key, so the IDs that derive from the call (an event's, a meeting's, a statement's
/// `requestId`) are the same. Every byte can be compared.
#[tokio::test]
async fn a_dry_run_shows_exactly_the_requests_of_each_tool() {
    let recording = Arc::new(Recording {
        inner: ReqwestTransport::new(TransportOptions::default()).unwrap(),
        seen: Mutex::default(),
    });
    let stage = Stage::set(Setting {
        transport: Some(Arc::clone(&recording) as _),
        ..Setting::default()
    })
    .await;
    let permissions = json!({ "permissions": ["read", "send", "drafts", "organize"] });
    stage.patch("/v1/connections/mail", &permissions).await;
    stage.connect("user-1", crate::stage::ADA).await;
    for product in ["workspace", "warehouse", "calendar", "sheets", "drive"] {
        connect(&stage, product).await;
    }
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert_eq!(cases.len(), 55);
    let (actions, mut writes) = (stage.platform.actions(), 0);
    for case in &cases {
        let tool = case["tool"].as_str().unwrap();
        let product = tool.split('_').next().unwrap();
        let call = |dry_run| {
            let mut request = ExecuteRequest::new(product, "user-1", case["input"].clone());
            request.dry_run = dry_run;
            request.idempotency_key = Some(format!("key of {tool}"));
            actions.execute_tool_with(tool, request)
        };
        recording.take();
        let plan: Plan = call(true).await.unwrap().json().unwrap();
        // A dry run only sends reads.
        assert_eq!(recording.take(), planned(&plan, |sent| sent), "{tool}");
        assert!(
            plan.requests
                .iter()
                .all(|one| !one.sent || one.effect == Effect::Read)
        );
        assert!(
            plan.requests
                .iter()
                .all(|one| !one.headers.contains_key("authorization"))
        );
        call(false).await.unwrap();
        let (sent, expected) = (recording.take(), planned(&plan, |_| true));
        if READS_DIFFER.contains(&tool) {
            assert!(sent.iter().all(|(method, ..)| method == "GET"), "{tool}");
        } else {
            assert_eq!(sent, expected, "{tool}");
        }
        assert_eq!(plan.then, None, "{tool}");
        writes += plan.requests.iter().filter(|one| !one.sent).count();
    }
    assert_eq!(writes, 19);
}

#[tokio::test]
async fn a_dry_run_says_what_follows_a_write() {
    let stage = Stage::connected().await;
    connect(&stage, "calendar").await;
    let input = json!({
        "summary": "Tea", "start_datetime": "2026-05-04T16:00:00+01:00", "create_meeting_room": true,
    });
    let body = json!({ "connection_name": "calendar", "identifier": "user-1", "input": input, "dry_run": true });
    let before = stage.received();
    let plan = stage
        .post("/v1/tools/calendar_create_event/execute", &body)
        .await;
    let data = &plan.json()["data"];
    assert_eq!(data["requests"][0]["sent"], false, "{data}");
    assert!(data["then"].as_str().unwrap().contains("meeting"), "{data}");
    assert_eq!(stage.received(), before);
}

#[tokio::test]
async fn a_raw_request_is_described_and_not_sent() {
    let stage = Stage::connected().await;
    let before = stage.received();
    let body = json!({
        "connection_name": "mail", "identifier": "user-1", "dry_run": true,
        "method": "POST", "path": "/gmail/v1/users/me/labels", "body": { "name": "b", "color": null },
    });
    let plan = stage.post("/v1/proxy", &body).await;
    assert!(plan.header("stead-execution-id").starts_with("exec_"));
    let plan = plan.json();
    let one = &plan["requests"][0];
    assert_eq!(
        (&one["method"], &one["effect"]),
        (&json!("POST"), &json!("write")),
        "{plan}"
    );
    assert_eq!(one["path"], "/gmail/v1/users/me/labels");
    assert_eq!(one["body"], json!({ "color": null, "name": "b" }));
    assert_eq!(one["headers"].get("authorization"), None);
    assert_eq!(stage.received(), before);
}
