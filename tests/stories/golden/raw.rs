//! A model's tool calls, raw requests, and the history of all calls.

use serde_json::{Value, json};

use super::{
    calls::{call, execute, walk, with},
    walk::{Ask, text},
};
use crate::stage::GRACE;

const NONE: Value = Value::Null;

#[tokio::test]
async fn tool_calls() {
    let mut walk = walk().await;
    let request = "POST /v1/tool-calls";
    let user =
        |calls: Value| json!({ "connection_name": "mail", "identifier": "user-1", "calls": calls });
    let anthropic = json!([
        { "type": "text", "text": "I look." },
        { "type": "tool_use", "id": "toolu_1", "name": "mail_list_drafts", "input": {} },
        { "type": "tool_use", "id": "toolu_2", "name": "mail_fetch_mail", "input": {} },
        { "type": "tool_use", "id": "toolu_3", "name": "mail_fetch_mails", "input": { "max_results": "many" } },
    ]);
    walk.go("anthropic", request, user(anthropic.clone())).await;
    let chat = json!([{ "id": "call_1", "type": "function", "function": { "name": "mail_list_drafts", "arguments": "{}" } }]);
    walk.go("openai", request, user(chat)).await;
    let responses = json!([{ "type": "function_call", "call_id": "call_1", "name": "mail_list_drafts", "arguments": "{\"a\": 1}" }]);
    walk.go("openai_responses", request, user(responses)).await;
    let gemini = json!([{ "functionCall": { "name": "mail_list_drafts", "args": {} } }]);
    walk.go(
        "gemini",
        request,
        with(user(gemini), json!({ "max_bytes": 1000, "view": "full" })),
    )
    .await;
    let mut elsewhere = user(
        json!([{ "type": "tool_use", "id": "toolu_1", "name": "calendar_list_calendars", "input": {} }]),
    );
    elsewhere["connections"] = json!({ "calendar": "calendar" });
    let keyed = Ask::of("with a key", request, &elsewhere).header("idempotency-key", "k-1");
    walk.send(keyed.clone()).await;
    walk.send(keyed).await;
    let stranger = with(
        user(anthropic),
        json!({ "identifier": "user-9", "authorization_links": true }),
    );
    walk.go("a user who never came", request, stranger).await;
    walk.no("no calls", request, user(json!([]))).await;
    walk.no(
        "unknown shape",
        request,
        user(json!([{ "name": "mail_list_drafts" }])),
    )
    .await;
    walk.no(
        "several faults",
        request,
        json!({ "calls": {}, "format": "other", "max_bytes": 0 }),
    )
    .await;
    walk.end("tool-calls");
}

#[tokio::test]
async fn proxy() {
    let mut walk = walk().await;
    let raw = |connection: &str, method: &str, path: &str| json!({ "connection_name": connection, "identifier": "user-1", "method": method, "path": path });
    let request = "POST /v1/proxy";
    let profile = "/gmail/v1/users/me/profile";
    walk.go("read", request, raw("mail", "GET", profile)).await;
    let messages = with(
        raw("mail", "GET", "/gmail/v1/users/me/messages"),
        json!({
        "query": { "q": "is:unread", "labelIds": ["INBOX", "UNREAD"], "maxResults": 1 }, "headers": { "accept": "application/json" } }),
    );
    walk.go("with a query", request, messages).await;
    let write = with(
        raw("calendar", "POST", "/calendar/v3/calendars/primary/events"),
        json!({ "body": {
        "summary": "Lunch", "start": { "dateTime": "2026-05-05T10:00:00Z" }, "end": { "dateTime": "2026-05-05T11:00:00Z" } } }),
    );
    let keyed = |title: &str| Ask::of(title, request, &write).header("idempotency-key", "k-1");
    walk.send(keyed("a write with a key")).await;
    walk.send(keyed("the same again")).await;
    walk.go(
        "try it",
        request,
        with(write.clone(), json!({ "dry_run": true })),
    )
    .await;
    let statement = with(
        raw("warehouse", "POST", "/api/v2/statements"),
        json!({ "body": { "statement": "SELECT 1.10" } }),
    );
    walk.go("a statement", request, statement).await;
    walk.send(Ask::of(
        "the product's own error",
        request,
        &raw("mail", "GET", "/gmail/v1/users/me/messages/nothing"),
    ))
    .await;
    walk.send(Ask::of(
        "no scope for it",
        request,
        &raw("mail", "DELETE", "/gmail/v1/users/me/drafts/1"),
    ))
    .await;
    walk.send(Ask::of(
        "not allowed by the connection",
        request,
        &raw("mail", "DELETE", "/gmail/v1/users/me/messages/1"),
    ))
    .await;
    for (title, path) in [
        ("a path without a slash", "gmail"),
        ("a path that goes up", "/gmail/../oauth"),
        ("another host", "//evil.example/"),
        ("a token endpoint", "/oauth2/v4/token"),
    ] {
        walk.send(Ask::of(title, request, &raw("mail", "GET", path)))
            .await;
    }
    let header = with(
        raw("mail", "GET", profile),
        json!({ "headers": { "authorization": "Bearer a", "host": "a" } }),
    );
    walk.no("headers of Stead", request, header).await;
    walk.no(
        "several faults",
        request,
        json!({ "connection_name": 1, "method": "fetch", "path": 2, "headers": [] }),
    )
    .await;
    walk.no(
        "a user who never came",
        request,
        with(
            raw("mail", "GET", profile),
            json!({ "identifier": "user-9" }),
        ),
    )
    .await;

    let path = format!("/proxy/mail/user-1{profile}");
    walk.send(Ask::new("by path", "GET", &path)).await;
    walk.send(Ask::new("head by path", "HEAD", &path)).await;
    walk.send(Ask::new(
        "with a slash at the end",
        "GET",
        format!("{path}/"),
    ))
    .await;
    walk.send(Ask::new("no token", "GET", &path).bearer(""))
        .await;
    walk.send(Ask::new(
        "unknown connection",
        "GET",
        format!("/proxy/male/user-1{profile}"),
    ))
    .await;
    let digits = Ask::new(
        "a body with its digits",
        "POST",
        "/proxy/warehouse/user-1/api/v2/statements",
    );
    walk.send(digits.text(
        "application/json",
        "{\"statement\": \"SELECT 1\", \"timeout\": 60.0}",
    ))
    .await;
    walk.end("proxy");
}

#[tokio::test]
async fn executions() {
    let mut walk = walk().await;
    walk.stage.connect("user-2", GRACE).await;
    let ran = walk
        .go(
            "a tool",
            execute("mail_list_drafts"),
            call("mail", json!({})),
        )
        .await;
    let traced = Ask::of(
        "a traced one",
        &execute("mail_list_drafts"),
        &with(call("mail", json!({})), json!({ "identifier": "user-2" })),
    );
    walk.send(traced.header(
        "traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ))
    .await;
    walk.no(
        "one that fails",
        execute("mail_get_message_by_id"),
        call("mail", json!({ "message_id": "nothing" })),
    )
    .await;
    let raw = json!({
        "connection_name": "mail", "identifier": "user-1", "method": "POST",
        "path": "/gmail/v1/users/me/messages/nothing/trash",
    });
    walk.send(Ask::of("a raw write", "POST /v1/proxy", &raw))
        .await;
    let count = |page: &Value| page["items"].as_array().map_or(0, Vec::len);
    walk.until("/v1/executions", |page| count(page) == 4).await;
    let totals = |page: &Value| {
        let items = page["items"].as_array().unwrap().iter();
        items.filter_map(|one| one["calls"].as_u64()).sum::<u64>() == 4
    };
    walk.until("/v1/executions/totals", totals).await;
    let page = walk
        .go("list", "GET /v1/executions?page_size=2", NONE)
        .await;
    let next = format!(
        "GET /v1/executions?page_size=2&page_token={}",
        text(&page, "next_page_token")
    );
    walk.go("list the rest", next, NONE).await;
    for (title, query) in [
        ("by tool", "tool=proxy"),
        ("by user", "identifier=user-2"),
        ("by outcome", "outcome=ok"),
        (
            "by time",
            "since=2026-05-04T09:00:02Z&before=2026-05-04T09:00:03Z",
        ),
        ("by connection", "connection_name=calendar"),
    ] {
        walk.go(title, format!("GET /v1/executions?{query}"), NONE)
            .await;
    }
    let client = walk.stage.client_id.clone();
    walk.go(
        "by actor",
        format!("GET /v1/executions?actor={client}&page_size=1"),
        NONE,
    )
    .await;
    walk.no(
        "wrong times",
        "GET /v1/executions?since=yesterday&before=2026",
        NONE,
    )
    .await;
    walk.go(
        "read",
        format!("GET /v1/executions/{}", text(&ran, "execution_id")),
        NONE,
    )
    .await;
    walk.go("totals", "GET /v1/executions/totals", NONE).await;
    walk.go(
        "totals by hour",
        "GET /v1/executions/totals?by=hour&since=2026-05-04T00:00:00Z",
        NONE,
    )
    .await;
    walk.no("totals by day", "GET /v1/executions/totals?by=day", NONE)
        .await;
    walk.end("executions");
}
