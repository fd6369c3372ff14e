//! Webhooks, policies with their approvals, the audit log and the feed of events.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::walk::{Ask, START, Walk, text};
use crate::{
    mirror::Mirror,
    products::connect,
    stage::{ADA, Setting},
};

const NONE: Value = Value::Null;

#[tokio::test]
async fn webhooks() {
    let mut walk = Walk::set(Setting {
        private_hosts: vec!["127.0.0.1"],
        ..Setting::default()
    })
    .await;
    // Accepts test events, and answers all others with an error and a `Retry-After` of two hours.
    let receiver = Mirror::start(|heard| {
        let is_test = String::from_utf8_lossy(&heard.body).contains("webhook.test");
        let response = if is_test {
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        } else {
            "HTTP/1.1 503 Service Unavailable\r\nretry-after: 7200\r\ncontent-length: 5\r\n\r\nouch!"
        };
        response.as_bytes().to_vec()
    })
    .await;
    walk.normal.address(&receiver.url, 8486);
    walk.stage.connect("user-1", ADA).await;
    let url = format!("{}/hook", receiver.url);
    let new = json!({ "url": url, "events": ["account.*"], "description": "the shop" });
    let made = walk.go("create", "POST /v1/webhooks", new).await;
    let one = format!("/v1/webhooks/{}", text(&made, "id"));
    let second = json!({ "url": "https://hooks.example.com/", "events": ["connection.deleted"] });
    let made = walk.go("create another", "POST /v1/webhooks", second).await;
    let other = format!("/v1/webhooks/{}", text(&made, "id"));
    let page = walk
        .go("list the first", "GET /v1/webhooks?page_size=1", NONE)
        .await;
    let next = format!(
        "GET /v1/webhooks?page_size=1&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the second", next, NONE).await;
    walk.go("read", format!("GET {one}"), NONE).await;
    let change =
        json!({ "description": "the other shop", "events": ["account.*", "connection.*"] });
    walk.go("change", format!("PATCH {one}"), change).await;
    walk.go("change nothing", format!("PATCH {one}"), json!({}))
        .await;
    walk.go(
        "disable",
        format!("PATCH {other}"),
        json!({ "disabled": true }),
    )
    .await;
    walk.go(
        "enable",
        format!("PATCH {other}"),
        json!({ "disabled": false }),
    )
    .await;
    walk.go("delete", format!("DELETE {other}"), NONE).await;
    walk.no("read a deleted one", format!("GET {other}"), NONE)
        .await;
    walk.go("test", format!("POST {one}/test"), NONE).await;
    walk.go(
        "rotate the secret",
        format!("POST {one}/rotate-secret"),
        NONE,
    )
    .await;

    walk.go("an event", "POST /v1/accounts/mail/user-1/suspend", NONE)
        .await;
    let deliveries = format!("{one}/deliveries");
    let waits = |page: &Value| {
        let mut items = page["items"].as_array().unwrap().iter();
        items.any(|one| one["state"] == "waiting" && one["attempts"] == 1)
    };
    let waiting = walk.until(&deliveries, waits).await;
    walk.go("deliveries", format!("GET {deliveries}"), NONE)
        .await;
    walk.go(
        "deliveries that wait",
        format!("GET {deliveries}?state=waiting"),
        NONE,
    )
    .await;
    walk.go("read one that fails", format!("GET {one}"), NONE)
        .await;
    let mut events = waiting["items"].as_array().unwrap().iter();
    let event = events.find(|one| one["state"] == "waiting").unwrap();
    let event = format!("POST {deliveries}/{}/replay", text(event, "event_id"));
    walk.go("replay an event", event, NONE).await;
    walk.go(
        "replay all",
        format!("POST {one}/replay"),
        json!({ "since": START }),
    )
    .await;
    walk.no(
        "replay without a time",
        format!("POST {one}/replay"),
        json!({ "since": "yesterday" }),
    )
    .await;
    let wrong = json!({ "url": "http://10.0.0.1/", "events": ["accounts.*", "nothing"], "description": "x".repeat(201) });
    walk.no("several faults", "POST /v1/webhooks", wrong).await;
    let wrong = json!({ "url": "https://a.example.com/", "events": ["accounts.*", "nothing"] });
    walk.no("unknown events", "POST /v1/webhooks", wrong).await;
    walk.end("webhooks");
}

/// A raw request that changes something.
fn trash(message: &str) -> Value {
    json!({
        "connection_name": "mail", "identifier": "user-1", "method": "POST",
        "path": format!("/gmail/v1/users/me/messages/{message}/trash"),
    })
}

#[tokio::test]
async fn policies() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    let agents = json!({
        "tools": { "allow": ["mail_*"], "deny": ["mail_get_contacts"] },
        "requests": [{ "product": "mail", "methods": ["GET", "POST"], "paths": ["/gmail/v1/users/me/**"] }],
        "facts": [{ "product": "mail", "kind": "recipient", "allow": ["*@example.com"] }],
        "requires_approval": { "effects": ["delete"], "tools": ["mail_list_drafts"] },
        "approval_expires_in": 600,
    });
    walk.go("create", "PUT /v1/policies/agents", agents.clone())
        .await;
    let mut named = agents;
    named["name"] = json!("agents");
    walk.go(
        "set again, with its name",
        "PUT /v1/policies/agents",
        named.clone(),
    )
    .await;
    walk.no("another name", "PUT /v1/policies/others", named)
        .await;
    let all = json!({ "environment": true, "requires_approval": { "effects": ["write"] } });
    walk.go("one for the environment", "PUT /v1/policies/everyone", all)
        .await;
    walk.go("read", "GET /v1/policies/agents", NONE).await;
    walk.go("list", "GET /v1/policies", NONE).await;
    let test = json!({ "policies": ["agents"], "tool": "mail_get_contacts", "input": {} });
    walk.go("test a tool", "POST /v1/policies/test", test).await;
    let test = json!({ "policies": ["agents"], "tool": "mail_list_drafts", "input": {} });
    walk.go(
        "test a tool that needs approval",
        "POST /v1/policies/test",
        test,
    )
    .await;
    let raw = json!({
        "policies": ["agents"], "product": "mail", "method": "POST", "path": "/gmail/v1/users/me/messages/send",
        "body": { "raw": "VG86IGFkYUBleGFtcGxlLm9yZw0KU3ViamVjdDogSGkNCg0KSGVsbG8" },
    });
    walk.go("test a raw request", "POST /v1/policies/test", raw)
        .await;
    let caller = json!({ "caller": walk.stage.client_id, "tool": "mail_list_drafts", "input": {} });
    walk.go("test a caller", "POST /v1/policies/test", caller)
        .await;
    let unknown = json!({ "policies": ["nothing"], "tool": "mail_list_drafts", "input": {} });
    walk.no("test an unknown policy", "POST /v1/policies/test", unknown)
        .await;
    let unknown = json!({ "tool": "mail_list_draft", "input": {} });
    walk.no("test an unknown tool", "POST /v1/policies/test", unknown)
        .await;
    let wrong =
        json!({ "tool": "mail_fetch_mails", "input": { "max_results": "many", "querry": "a" } });
    walk.no("test a wrong input", "POST /v1/policies/test", wrong)
        .await;
    let wrong = json!({
        "tools": { "allow": ["post_*"] }, "requests": [{ "paths": ["no/slash"], "methods": ["FETCH"] }],
        "facts": [{ "product": "mail", "kind": "nothing" }], "approval_expires_in": 1,
        "requires_approval": { "effects": ["nothing"] },
    });
    walk.no("several faults", "PUT /v1/policies/wrong", wrong)
        .await;
    let app = json!({ "name": "agent", "policy": "agents" });
    walk.go(
        "a credential with the policy",
        "POST /v1/app-credentials",
        app,
    )
    .await;
    walk.no(
        "delete one that is used",
        "DELETE /v1/policies/agents",
        NONE,
    )
    .await;
    walk.go("delete", "DELETE /v1/policies/everyone", NONE)
        .await;
    walk.end("policies");
}

#[tokio::test]
async fn approvals() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    let another = walk.another_application().await;
    let policy = json!({ "environment": true, "requires_approval": { "effects": ["write", "delete"], "tools": ["mail_list_drafts"] } });
    walk.go("a policy", "PUT /v1/policies/everyone", policy)
        .await;
    let held = async |walk: &mut Walk, title: &str, message: &str| {
        let ask = Ask::of(title, "POST /v1/proxy", &trash(message));
        let reply = walk.send(ask).await;
        assert_eq!(reply.kind(), "approval_required");
        text(&reply.json()["context"], "approval_id").to_owned()
    };
    let first = held(&mut walk, "a raw request is held", "none").await;
    let again = held(&mut walk, "the same is held once", "none").await;
    assert_eq!(first, again);
    let second = held(&mut walk, "another is held", "other").await;
    let call = json!({ "connection_name": "mail", "identifier": "user-1", "input": {} });
    walk.no(
        "a tool is held",
        "POST /v1/tools/mail_list_drafts/execute",
        call.clone(),
    )
    .await;
    let page = walk.go("list", "GET /v1/approvals?page_size=2", NONE).await;
    let next = format!(
        "GET /v1/approvals?page_size=2&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    walk.go("read", format!("GET /v1/approvals/{first}"), NONE)
        .await;
    let decide = |title: &str, id: &str, what: &str, body: Value| {
        let request = format!("POST /v1/approvals/{id}/{what}");
        Ask::of(title, &request, &body).bearer(&another)
    };
    let because = json!({ "reason": "the user asked for it" });
    let own = format!("POST /v1/approvals/{first}/approve");
    walk.no("approve an own call", own, because.clone()).await;
    for ask in [
        decide("approve", &first, "approve", because),
        decide("approve again", &first, "approve", json!({})),
        decide(
            "a long reason",
            &second,
            "deny",
            json!({ "reason": "x".repeat(501) }),
        ),
        decide("deny", &second, "deny", json!({})),
        decide("approve a denied one", &second, "approve", json!({})),
    ] {
        walk.send(ask).await;
    }
    walk.go(
        "list those that wait",
        "GET /v1/approvals?state=pending",
        NONE,
    )
    .await;
    let sent = Ask::of(
        "the approved request is made",
        "POST /v1/proxy",
        &trash("none"),
    );
    walk.send(sent).await;
    walk.go(
        "read a used one",
        format!("GET /v1/approvals/{first}"),
        NONE,
    )
    .await;
    let waiting = walk.stage.get("/v1/approvals?state=pending").await.json();
    let mut waiting = waiting["items"].as_array().unwrap().iter();
    let tool = waiting
        .find(|one| one["tool"] == "mail_list_drafts")
        .unwrap();
    let tool = text(tool, "approval_id").to_owned();
    walk.send(decide("approve the tool", &tool, "approve", json!({})))
        .await;
    walk.go(
        "the tool runs",
        "POST /v1/tools/mail_list_drafts/execute",
        call.clone(),
    )
    .await;
    walk.no(
        "the tool is held again",
        "POST /v1/tools/mail_list_drafts/execute",
        call,
    )
    .await;
    walk.stage.clock.advance(SignedDuration::from_mins(55));
    walk.stage.platform.environment().maintain().await.unwrap();
    let bearer = walk.stage.token().await;
    walk.stage.bearer = bearer;
    walk.stage.clock.advance(SignedDuration::from_mins(6));
    walk.stage.platform.environment().maintain().await.unwrap();
    walk.go("expired ones", "GET /v1/approvals?state=expired", NONE)
        .await;
    walk.end("approvals");
}

#[tokio::test]
async fn audit() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    walk.go("suspend", "POST /v1/accounts/mail/user-1/suspend", NONE)
        .await;
    walk.go("resume", "POST /v1/accounts/mail/user-1/resume", NONE)
        .await;
    let new = json!({ "connection_name": "letters", "product": "mail" });
    walk.go("create a connection", "POST /v1/connections", new)
        .await;
    let change = json!({ "client_id": "id", "client_secret": "secret" });
    walk.go("change it", "PATCH /v1/connections/letters", change)
        .await;
    walk.go("delete it", "DELETE /v1/connections/letters", NONE)
        .await;
    let page = walk.go("list", "GET /v1/audit?page_size=4", NONE).await;
    let next = format!(
        "GET /v1/audit?page_size=4&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    walk.go("by action", "GET /v1/audit?action=account.*", NONE)
        .await;
    walk.go(
        "by another action",
        "GET /v1/audit?action=connection.changed",
        NONE,
    )
    .await;
    walk.go("by actor", "GET /v1/audit?actor=operator", NONE)
        .await;
    let client = walk.stage.client_id.clone();
    walk.go(
        "by application",
        format!("GET /v1/audit?actor={client}&page_size=1"),
        NONE,
    )
    .await;
    let target = text(&page["items"][0]["target"], "id").to_owned();
    walk.go("by target", format!("GET /v1/audit?target={target}"), NONE)
        .await;
    let verified = walk.go("verify", "GET /v1/audit/verify", NONE).await;
    let hash = text(&verified["head"], "hash").to_owned();
    let number = verified["head"]["number"].as_u64().unwrap();
    walk.go(
        "expect it",
        format!("GET /v1/audit/verify?expect={number}:{hash}"),
        NONE,
    )
    .await;
    walk.go(
        "expect another",
        format!("GET /v1/audit/verify?expect={}:{hash}", number - 1),
        NONE,
    )
    .await;
    walk.no("expect nothing", "GET /v1/audit/verify?expect=7", NONE)
        .await;
    walk.end("audit");
}

#[tokio::test]
async fn events() {
    let mut walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    connect(&walk.stage, "calendar").await;
    walk.go("suspend", "POST /v1/accounts/mail/user-1/suspend", NONE)
        .await;
    walk.go(
        "disable",
        "PATCH /v1/connections/calendar",
        json!({ "disabled": true }),
    )
    .await;
    let page = walk.go("the first", "GET /v1/events?limit=3", NONE).await;
    let after = format!("GET /v1/events?after={}", text(&page, "cursor"));
    walk.go("those after", after, NONE).await;
    walk.go(
        "by type",
        "GET /v1/events?types=account.*,connection.changed",
        NONE,
    )
    .await;
    walk.go(
        "by connection",
        "GET /v1/events?connection_name=calendar",
        NONE,
    )
    .await;
    walk.go("by user", "GET /v1/events?identifier=user-1&limit=1", NONE)
        .await;
    walk.go(
        "the newest",
        "GET /v1/events?newest_first=true&limit=2",
        NONE,
    )
    .await;
    let latest = walk
        .go("from now on", "GET /v1/events?after=latest", NONE)
        .await;
    let after = format!("GET /v1/events?after={}&wait=1", text(&latest, "cursor"));
    walk.go("nothing within a second", after, NONE).await;
    walk.go("of nothing", "GET /v1/events?connection_name=nothing", NONE)
        .await;
    walk.no(
        "wrong values",
        "GET /v1/events?limit=501&wait=31&types=accounts",
        NONE,
    )
    .await;
    walk.no("wrong cursor", "GET /v1/events?after=AAAA", NONE)
        .await;
    walk.end("events");
}
