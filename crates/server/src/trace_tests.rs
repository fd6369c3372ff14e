//! The trace that a caller names is stored with its calls, and isn't sent to products.

use std::time::Duration;

use axum::body::Body;
use http::{StatusCode, header};
use serde_json::{Value, json};

use crate::testing::TestService;

const REST: &str = "0af7651916cd43dd8448eb211c80319c";
const PROXY: &str = "1bf7651916cd43dd8448eb211c80319c";
const MCP: &str = "2cf7651916cd43dd8448eb211c80319c";
const META: &str = "3df7651916cd43dd8448eb211c80319c";

fn parent(trace: &str) -> String {
    format!("00-{trace}-b7ad6b7169203331-01")
}

/// A call of a tool with these headers.
async fn call(service: &TestService, parents: &[&str]) {
    let body = json!({ "connection_name": "mail", "identifier": "ada", "input": {} });
    let mut request = service
        .request("POST", "/v1/tools/mail_list_drafts/execute")
        .header(header::CONTENT_TYPE, "application/json");
    for parent in parents {
        request = request.header("traceparent", *parent);
    }
    let request = request.body(Body::from(body.to_string())).unwrap();
    assert_eq!(service.send(request).await.status, StatusCode::OK);
}

/// A call of a tool by an agent, with the header and with this `_meta`.
async fn call_by_agent(service: &TestService, meta: Value) {
    let session = json!({ "identifier": "ada" });
    let session = service.post("/v1/mcp-sessions", session).await;
    let session: Value = serde_json::from_slice(&session.body).unwrap();
    let token = session["token"].as_str().unwrap();
    let mut meta = meta;
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "mail_list_drafts", "arguments": {}, "_meta": meta },
    });
    let request = http::Request::post("/mcp")
        .header(header::HOST, "127.0.0.1")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "mail_list_drafts")
        .header("traceparent", parent(MCP));
    let request = request.body(Body::from(message.to_string())).unwrap();
    let response = service.send(request).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
}

#[tokio::test(start_paused = true)]
async fn the_trace_of_a_caller_is_recorded_and_hidden_from_products() {
    let service = TestService::new().await.with_account("ada").await;
    call(&service, &[&parent(REST)]).await;
    call(&service, &[]).await;
    call(&service, &["no trace"]).await;
    call(&service, &[&parent(REST), &parent(PROXY)]).await;
    let raw = service
        .request("GET", "/proxy/mail/ada/v1/users/me/profile")
        .header("traceparent", parent(PROXY))
        .body(Body::empty())
        .unwrap();
    assert_eq!(service.send(raw).await.status, StatusCode::OK);
    call_by_agent(&service, json!({})).await;
    call_by_agent(&service, json!({ "traceparent": parent(META) })).await;
    // Calls appear in the history a moment later, and this clock doesn't wait.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let page = service.get("/v1/executions").await.json();
    let mut traces: Vec<Value> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["trace_id"].clone())
        .collect();
    traces.reverse();
    let none = Value::Null;
    assert_eq!(
        traces,
        [
            json!(REST),
            none.clone(),
            none.clone(),
            none,
            json!(PROXY),
            json!(MCP),
            json!(META)
        ]
    );
    let received = service.received();
    assert!(received.len() >= 7, "{}", received.len());
    for request in received {
        let shown = format!("{request:?}");
        assert!(!shown.contains("traceparent"), "{shown}");
        for trace in [REST, PROXY, MCP, META] {
            assert!(!shown.contains(trace), "{shown}");
        }
    }
}
