//! Calls that bypass the transport: which ones do, and that their responses are the same as the transport's.

use super::*;
use crate::mcp::{direct, links::Links};

/// The call as a client of the newer revision sends it, with a change to its headers and its message.
fn call(client: &Client<'_>, change: impl FnOnce(&mut Request<Body>, &mut Value)) -> Request<Body> {
    let mut request = client.request().body(Body::empty()).unwrap();
    let headers = request.headers_mut();
    headers.insert("mcp-protocol-version", NEW.parse().unwrap());
    headers.insert("mcp-method", "tools/call".parse().unwrap());
    headers.insert("mcp-name", LIST_DRAFTS.parse().unwrap());
    let mut message = json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {
        "name": LIST_DRAFTS,
        "arguments": { "max_results": 5 },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": client.capabilities,
        },
    }});
    change(&mut request, &mut message);
    let message = message.to_string();
    let headers = request.headers_mut();
    let length = headers.entry(header::CONTENT_LENGTH);
    length.or_insert(message.len().into());
    *request.body_mut() = Body::from(message);
    request
}

fn with(name: &'static str, value: &str) -> impl FnOnce(&mut Request<Body>, &mut Value) {
    let value = value.parse().unwrap();
    move |request, _| drop(request.headers_mut().insert(name, value))
}

#[tokio::test]
async fn a_call_has_no_more_time_than_its_client_waits() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let most = Duration::from_millis(7500);
    for plain in [true, false] {
        let request = call(&client, |request, message| {
            let headers = request.headers_mut();
            headers.insert("stead-timeout", "7.5".parse().unwrap());
            if !plain {
                message["params"]["_meta"]["progressToken"] = json!(1);
            }
        });
        let response = service.send(request).await;
        assert_eq!(response.status, 200, "{response:?}");
        let received = service.received();
        let limits = received.last().and_then(|last| last.limits).unwrap();
        assert!(limits.total <= most, "{plain}");
    }
}

#[tokio::test]
async fn other_messages_than_plain_calls_go_to_the_transport_unchanged() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let environment = service.platform.environment();
    let caller = environment.authenticate_agent(&client.token).await.unwrap();
    let environment = environment.acting_as(caller);
    let links = Links::default();
    let serve = async |request| direct::serve(&environment, &links, request).await;

    let response = serve(call(&client, |_, _| ())).await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let sent = service.received().len();
    let others: [(&str, Request<Body>); 13] = [
        ("revision", call(&client, with("mcp-protocol-version", OLD))),
        ("method", call(&client, with("mcp-method", "tools/list"))),
        ("name", call(&client, with("mcp-name", "mail_list_threads"))),
        ("type", call(&client, with("content-type", "text/plain"))),
        ("accept", call(&client, with("accept", "application/json"))),
        ("length", call(&client, with("content-length", "10485761"))),
        ("session", call(&client, with("mcp-session-id", "1"))),
        ("origin", call(&client, with("origin", "null"))),
        (
            "twice",
            call(&client, |request, _| {
                let name = LIST_DRAFTS.parse().unwrap();
                request.headers_mut().append("mcp-name", name);
            }),
        ),
        (
            "meta",
            call(&client, |_, message| {
                message["params"]["_meta"] = json!({});
            }),
        ),
        (
            "progress",
            call(&client, |_, message| {
                message["params"]["_meta"]["progressToken"] = json!(1);
            }),
        ),
        (
            "other method",
            call(&client, |_, message| message["method"] = json!("ping")),
        ),
        (
            "notification",
            call(&client, |_, message| {
                message.as_object_mut().unwrap().remove("id");
            }),
        ),
    ];
    for (what, request) in others {
        let came_back = serve(request).await.expect_err(what);
        let body = axum::body::to_bytes(came_back.into_body(), usize::MAX).await;
        let message: Value = serde_json::from_slice(&body.unwrap()).expect(what);
        assert_eq!(message["params"]["name"], LIST_DRAFTS, "{what}");
    }
    assert_eq!(service.received().len(), sent);
}

#[tokio::test]
async fn a_response_is_the_same_with_and_without_the_transport() {
    let service = with_account().await;
    for (identifier, tool, arguments) in [
        ("u1", LIST_DRAFTS, json!({})),
        ("u1", LIST_DRAFTS, json!({ "colour": 1 })),
        ("u1", "mail_send_pigeon", json!({})),
        ("u1", "stead_check_authorization", json!({})),
        ("u2", LIST_DRAFTS, json!({})),
    ] {
        let client = Client::new(&service, json!({ "identifier": identifier })).await;
        let ask = async |length: Option<&str>| {
            let request = call(&client, |request, message| {
                message["params"]["name"] = json!(tool);
                message["params"]["arguments"] = arguments.clone();
                let headers = request.headers_mut();
                headers.insert("mcp-name", tool.parse().unwrap());
                if let Some(length) = length {
                    headers.insert(header::CONTENT_LENGTH, length.parse().unwrap());
                }
            });
            let response = service.send(request).await;
            let mut message = last_message(&response);
            let meta = message.pointer_mut("/result/_meta");
            if let Some(meta) = meta.and_then(Value::as_object_mut) {
                meta.remove("stead/execution_id");
            }
            // The text ends with the execution's ID.
            let text = message.pointer_mut("/result/content/0/text");
            let text = text.map(Value::take).unwrap_or_default();
            let text = text.as_str().unwrap_or_default();
            let text = text.split("(execution").next().unwrap_or_default();
            (response.status, text.to_owned(), message)
        };
        // The transport handles a length that isn't a number.
        assert_eq!(ask(None).await, ask(Some("+")).await, "{tool} {arguments}");
    }
}
