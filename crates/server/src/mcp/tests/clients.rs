//! Common clients: those that never close their session, and those whose messages differ slightly from the protocol.

use axum::body::Body;
use futures_util::StreamExt as _;
use http::{StatusCode, header};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{Client, LIST_DRAFTS, OLD, last_message, text, with_account};
use crate::testing::{TestResponse, TestService, json_response};

fn initialize(capabilities: &Value) -> Value {
    let params = json!({
        "protocolVersion": OLD, "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// Sends a message in an open session, or without one.
pub(super) async fn send(
    client: &Client<'_>,
    session: Option<&str>,
    message: &Value,
) -> TestResponse {
    let mut request = client.request();
    if let Some(session) = session {
        request = request
            .header("mcp-session-id", session)
            .header("mcp-protocol-version", OLD);
    }
    let request = request.body(Body::from(message.to_string())).unwrap();
    client.service.send(request).await
}

/// Opens a session.
pub(super) async fn open(client: &Client<'_>, capabilities: &Value) -> String {
    let opened = send(client, None, &initialize(capabilities)).await;
    assert_eq!(opened.status, StatusCode::OK, "{}", opened.text());
    let session = opened.header("mcp-session-id").to_owned();
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let done = send(client, Some(&session), &done).await;
    assert_eq!(done.status, StatusCode::ACCEPTED);
    session
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })
}

#[tokio::test]
async fn clients_that_never_close_make_room_for_new_ones() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let first = open(&client, &json!({})).await;
    let second = open(&client, &json!({})).await;
    for _ in 0..40 {
        // The first one is still active, so it isn't idle.
        let listed = send(&client, Some(&first), &list()).await;
        assert_eq!(listed.status, StatusCode::OK, "{}", listed.text());
        open(&client, &json!({})).await;
    }
    let gone = send(&client, Some(&second), &list()).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert!(
        last_message(&gone)["error"]["message"].is_string(),
        "{}",
        gone.text()
    );
}

#[tokio::test]
async fn a_session_ends_with_a_status_that_clients_take_for_success() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let session = open(&client, &json!({})).await;
    let end = client
        .request()
        .method("DELETE")
        .header("mcp-session-id", &session);
    let ended = service.send(end.body(Body::empty()).unwrap()).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    let gone = send(&client, Some(&session), &list()).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_response_has_the_form_that_the_client_takes() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let session = open(&client, &json!({})).await;
    for (accept, kind) in [
        (None, "application/json"),
        (Some("*/*"), "application/json"),
        (Some("application/json"), "application/json"),
        (Some("application/*;q=0.9, text/html"), "application/json"),
        (Some("text/event-stream"), "text/event-stream"),
    ] {
        for message in [initialize(&json!({})), list()] {
            let mut request = client.request();
            let headers = request.headers_mut().unwrap();
            headers.remove(header::ACCEPT);
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, accept.parse().unwrap());
            }
            if message["id"] == 2 {
                headers.insert("mcp-session-id", session.parse().unwrap());
            }
            let request = request.body(Body::from(message.to_string())).unwrap();
            let response = service.send(request).await;
            assert_eq!(
                response.status,
                StatusCode::OK,
                "{accept:?}: {}",
                response.text()
            );
            assert!(
                response.header("content-type").starts_with(kind),
                "{accept:?}"
            );
            let is_json = serde_json::from_slice::<Value>(&response.body).is_ok();
            assert_eq!(is_json, kind == "application/json", "{}", response.text());
            assert!(last_message(&response)["result"].is_object());
        }
    }
    let request = client.request();
    let request = request.header(header::ACCEPT, "text/html");
    let mut request = request.body(Body::from(list().to_string())).unwrap();
    request
        .headers_mut()
        .insert(header::ACCEPT, "text/html".parse().unwrap());
    let refused = service.send(request).await;
    assert_eq!(refused.status, StatusCode::NOT_ACCEPTABLE);
    assert_eq!(last_message(&refused)["id"], 2);
    assert_eq!(last_message(&refused)["error"]["code"], -32600);
}

#[tokio::test]
async fn missing_parameters_and_empty_lists_are_accepted() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let first = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
    let of_php = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": OLD, "capabilities": [], "clientInfo": { "name": "php", "version": "1" },
    } });
    for message in [first, of_php] {
        let opened = send(&client, None, &message).await;
        assert_eq!(opened.status, StatusCode::OK, "{}", opened.text());
        let session = opened.header("mcp-session-id").to_owned();
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": [] });
        let listed = send(&client, Some(&session), &list).await;
        assert!(
            last_message(&listed)["result"]["tools"].is_array(),
            "{}",
            listed.text()
        );
        let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": LIST_DRAFTS, "arguments": [] } });
        let called = send(&client, Some(&session), &call).await;
        assert_eq!(
            last_message(&called)["result"]["isError"],
            false,
            "{}",
            called.text()
        );
    }
    // Messages that aren't understood get an error of the protocol.
    for (message, id, words) in [
        (list(), json!(2), "initialize"),
        (json!({ "id": "a" }), json!("a"), "JSON-RPC"),
        (json!([1]), Value::Null, "JSON-RPC"),
    ] {
        let refused = send(&client, None, &message).await;
        assert!(refused.status.is_client_error(), "{}", refused.text());
        let refused = last_message(&refused);
        assert_eq!(refused["id"], id, "{refused}");
        let said = refused["error"]["message"].as_str().unwrap();
        assert!(said.contains(words), "{said}");
    }
    let session = open(&client, &json!({})).await;
    let prompts = json!({ "jsonrpc": "2.0", "id": 4, "method": "prompts/list" });
    let refused = last_message(&send(&client, Some(&session), &prompts).await);
    assert_eq!(refused["error"]["code"], -32601);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(
        said.contains("prompts/list") && said.contains("tools/list and tools/call"),
        "{said}"
    );
}

/// The client's callback opens the link, and the call that asked continues.
#[tokio::test(start_paused = true)]
async fn a_client_with_a_callback_is_asked_in_the_stream_of_its_call() {
    for (action, words) in [
        ("accept", "drafts"),
        ("decline", "Don't ask again"),
        (
            "error",
            "Connect Gmail to continue.\nhttp://127.0.0.1/connect/",
        ),
    ] {
        let service = TestService::with_products(|_| json_response(&json!({ "drafts": [] }))).await;
        let connection = service.connect_mail().await;
        let client = Client::new(&service, json!({ "identifier": "u2" })).await;
        let session = open(
            &client,
            &json!({ "elicitation": { "url": {}, "form": {} } }),
        )
        .await;
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": LIST_DRAFTS, "arguments": {} },
        });
        let request = client
            .request()
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", OLD)
            .body(Body::from(call.to_string()))
            .unwrap();
        let response = service.router.clone().oneshot(request).await.unwrap();
        let mut stream = response.into_body().into_data_stream();
        let mut last = async || {
            let mut heard = String::new();
            while let Some(bytes) = stream.next().await {
                heard.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
                let lines = heard.lines().filter_map(|line| line.strip_prefix("data:"));
                let message = lines
                    .rev()
                    .find_map(|data| serde_json::from_str::<Value>(data).ok());
                if let Some(message) = message {
                    return message;
                }
            }
            panic!("the stream ended: {heard}");
        };
        let question = last().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert_eq!(question["params"]["mode"], "url");
        let link = question["params"]["url"].as_str().unwrap();
        let reply = match action {
            "error" => {
                json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -32601, "message": "no" } })
            }
            _ => json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action } }),
        };
        if action == "accept" {
            super::authorize::allow(&service, &connection, link).await;
        }
        let taken = send(&client, Some(&session), &reply).await;
        assert_eq!(taken.status, StatusCode::ACCEPTED);
        let done = last().await;
        assert_eq!(done["id"], 2, "{done}");
        assert!(text(&done["result"]).contains(words), "{action}: {done}");
        assert_eq!(done["result"]["isError"], action != "accept", "{done}");
    }
}
