//! Calls of tools as a user, and the files of their results.

use serde_json::{Value, json};

use super::walk::{Ask, Walk, text};
use crate::{products::connect, stage::ADA};

const NONE: Value = Value::Null;

/// The path of a tool's execution.
pub fn execute(tool: &str) -> String {
    format!("POST /v1/tools/{tool}/execute")
}

/// The body of a call.
pub fn call(connection: &str, input: Value) -> Value {
    let mut body = json!({ "connection_name": connection, "identifier": "user-1" });
    body["input"] = input;
    body
}

/// A body with more members.
pub fn with(mut body: Value, more: Value) -> Value {
    if let Value::Object(more) = more {
        for (name, value) in more {
            body[name.as_str()] = value;
        }
    }
    body
}

pub async fn walk() -> Walk {
    let walk = Walk::new().await;
    walk.stage.connect("user-1", ADA).await;
    for product in ["workspace", "warehouse", "calendar", "sheets", "drive"] {
        connect(&walk.stage, product).await;
    }
    walk
}

#[tokio::test]
async fn tools() {
    let mut walk = walk().await;
    walk.go("list all", "GET /v1/tools", NONE).await;
    walk.go(
        "list some",
        "GET /v1/tools?product=sheets,calendar&effect=write",
        NONE,
    )
    .await;
    walk.go(
        "list with readiness",
        "GET /v1/tools?effect=delete&identifier=user-1",
        NONE,
    )
    .await;
    walk.go(
        "of a connection",
        "GET /v1/tools?connection_name=sheets&effect=write",
        NONE,
    )
    .await;
    for format in [
        "openai",
        "openai_responses",
        "openai_strict",
        "anthropic",
        "anthropic_strict",
        "gemini",
        "mcp",
    ] {
        let one = format!("/v1/tools/mail_list_drafts?format={format}");
        walk.go(format, format!("GET {one}"), NONE).await;
        walk.go(format, format!("GET {one}&detail=compact"), NONE)
            .await;
        let search = format!("GET /v1/tools?format={format}&mode=search");
        walk.go(format, search, NONE).await;
    }
    walk.no(
        "format with a user",
        "GET /v1/tools?format=openai&identifier=user-1",
        NONE,
    )
    .await;
    walk.no(
        "detail without format",
        "GET /v1/tools?detail=compact",
        NONE,
    )
    .await;
    walk.go("read", "GET /v1/tools/mail_fetch_mails", NONE)
        .await;
    walk.no("misspelled", "GET /v1/tools/mail_fetch_mail", NONE)
        .await;
    walk.no(
        "another version",
        "GET /v1/tools/mail_fetch_mails?tool_version=2020-01-01",
        NONE,
    )
    .await;

    let drafts = call("mail", json!({}));
    walk.go("run", execute("mail_list_drafts"), drafts.clone())
        .await;
    walk.go(
        "run a warehouse's",
        execute("warehouse_execute_query"),
        call("warehouse", json!({ "statement": "SELECT 1.10, 2" })),
    )
    .await;
    let event = call(
        "calendar",
        json!({
        "summary": "Lunch", "start_datetime": "2026-05-05T10:00:00Z", "event_duration_hour": 1 }),
    );
    let keyed = |title: &str, key: &str, body: &Value| {
        Ask::of(title, &execute("calendar_create_event"), body).header("idempotency-key", key)
    };
    walk.send(keyed("a write with a key", "k-1", &event)).await;
    walk.send(keyed("the same again", "k-1", &event)).await;
    let other = with(event.clone(), json!({ "view": "readable" }));
    walk.send(keyed("the key with another call", "k-1", &other))
        .await;
    walk.send(keyed("a wrong key", "k\u{e9}", &event)).await;
    walk.go(
        "try it",
        execute("calendar_create_event"),
        with(event, json!({ "dry_run": true })),
    )
    .await;
    let one = call("mail", json!({ "max_results": 1 }));
    walk.go("full", execute("mail_fetch_mails"), one.clone())
        .await;
    walk.go(
        "readable",
        execute("mail_fetch_mails"),
        with(one.clone(), json!({ "view": "readable" })),
    )
    .await;
    let some = json!({ "view": "readable", "fields": ["messages.subject", "messages.nothing"], "max_bytes": 300 });
    walk.go(
        "some members in some bytes",
        execute("mail_fetch_mails"),
        with(call("mail", json!({})), some),
    )
    .await;
    walk.go(
        "what is meant",
        execute("mail_fetch_mails"),
        call("mail", json!({ "max_results": "1", "query": null })),
    )
    .await;
    walk.no(
        "wrong input",
        execute("mail_fetch_mails"),
        call("mail", json!({ "max_results": "many", "querry": "a" })),
    )
    .await;
    walk.no(
        "of another product",
        execute("mail_fetch_mails"),
        call("calendar", json!({})),
    )
    .await;
    walk.no(
        "misspelled tool",
        execute("mail_fetch_mail"),
        drafts.clone(),
    )
    .await;
    walk.no(
        "unknown connection",
        execute("mail_list_drafts"),
        call("male", json!({})),
    )
    .await;
    walk.no(
        "another version of it",
        execute("mail_list_drafts"),
        with(drafts.clone(), json!({ "tool_version": "2020-01-01" })),
    )
    .await;
    walk.no(
        "a user who never came",
        execute("mail_list_drafts"),
        with(drafts.clone(), json!({ "identifier": "user-9" })),
    )
    .await;
    walk.no(
        "several faults",
        execute("mail_list_drafts"),
        json!({ "connection_name": 1, "view": "short", "max_bytes": 0, "inputs": {} }),
    )
    .await;
    walk.no(
        "not found at the product",
        execute("mail_get_message_by_id"),
        call("mail", json!({ "message_id": "nothing" })),
    )
    .await;
    let timed = |value: &str| {
        Ask::of("a deadline", &execute("mail_list_drafts"), &drafts).header("stead-timeout", value)
    };
    walk.send(timed("10.5")).await;
    walk.send(timed("soon")).await;
    walk.go("suspend", "POST /v1/accounts/mail/user-1/suspend", NONE)
        .await;
    walk.no("a suspended user", execute("mail_list_drafts"), drafts)
        .await;
    walk.end("tools");
}

#[tokio::test]
async fn files() {
    let mut walk = walk().await;
    let query = call(
        "warehouse",
        json!({ "statement": "SELECT * FROM INFORMATION_SCHEMA.TABLES" }),
    );
    let long = json!({ "max_bytes": 600 });
    let ran = walk
        .go(
            "a result that is cut",
            execute("warehouse_execute_query"),
            with(query, long),
        )
        .await;
    let handle = match ran["left_out"][0]["handle"].as_str() {
        Some(handle) => handle.to_owned(),
        None => {
            let mails = with(
                call("mail", json!({})),
                json!({ "max_bytes": 600, "view": "readable" }),
            );
            let mails = walk
                .go("mails that are cut", execute("mail_fetch_mails"), mails)
                .await;
            text(&mails["left_out"][0], "handle").to_owned()
        }
    };
    let path = format!("/v1/files/{handle}");
    let ask = |title: &str| Ask::new(title, "GET", &path);
    let whole = walk.send(ask("all of it")).await;
    walk.send(ask("a range").header("range", "bytes=0-19"))
        .await;
    walk.send(ask("the end").header("range", "bytes=-5")).await;
    let etag = whole.header("etag").to_owned();
    if !etag.is_empty() {
        walk.send(
            ask("if unchanged")
                .header("range", "bytes=0-4")
                .header("if-range", &etag),
        )
        .await;
    }
    walk.send(
        ask("if changed")
            .header("range", "bytes=0-4")
            .header("if-range", "\"other\""),
    )
    .await;
    walk.send(ask("beyond").header("range", "bytes=99999999-"))
        .await;
    walk.send(ask("no range").header("range", "lines=1-2"))
        .await;
    walk.send(ask("several ranges").header("range", "bytes=0-1,3-4"))
        .await;
    walk.send(Ask::new("head", "HEAD", &path)).await;
    let mut wrong = path.clone();
    wrong.pop();
    walk.send(Ask::new("a handle that was cut", "GET", &wrong))
        .await;
    walk.end("files");
}
