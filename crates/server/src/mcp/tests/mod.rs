//! `/mcp`, through the router, with clients of both revisions.

mod authorize;
mod clients;
mod direct_calls;
mod find;
mod issuer;
mod read_result;
mod stream;

use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};
use stead_core::resource::NewConnection;

use crate::testing::{TestResponse, TestService, json_response};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";
const LIST_DRAFTS: &str = "mail_list_drafts";

/// A client with a token.
struct Client<'s> {
    service: &'s TestService,
    token: String,
    /// Its capabilities.
    capabilities: Value,
}

impl<'s> Client<'s> {
    async fn new(service: &'s TestService, session: Value) -> Self {
        let made = service.post("/v1/mcp-sessions", session).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
        let made: Value = serde_json::from_slice(&made.body).unwrap();
        assert_eq!(made["url"], "http://127.0.0.1/mcp");
        Self {
            service,
            token: made["token"].as_str().unwrap().to_owned(),
            capabilities: json!({}),
        }
    }

    /// A client that can open URLs.
    async fn opening(service: &'s TestService, session: Value) -> Self {
        let mut client = Self::new(service, session).await;
        client.capabilities = json!({ "elicitation": { "url": {} } });
        client
    }

    fn request(&self) -> http::request::Builder {
        Request::post("/mcp")
            .header(header::HOST, "127.0.0.1")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
    }

    /// Sends a request of the newer revision. Returns the last message of the response.
    async fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(NEW);
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] =
            json!({ "name": "test", "version": "1" });
        let mut request = self
            .request()
            .header("mcp-protocol-version", NEW)
            .header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let message = message.to_string();
        let request = request.header(header::CONTENT_LENGTH, message.len());
        let request = request.body(Body::from(message)).unwrap();
        last_message(&self.service.send(request).await)
    }

    /// Calls a tool and returns the result.
    async fn call(&self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let message = self.ask("tools/call", params).await;
        assert!(message["result"].is_object(), "{message}");
        message["result"].clone()
    }

    async fn tools(&self) -> Vec<Value> {
        let message = self.ask("tools/list", json!({})).await;
        let tools = message["result"]["tools"].as_array();
        tools.unwrap_or_else(|| panic!("{message}")).clone()
    }
}

/// The last message of a response, which is JSON or a stream of events.
fn last_message(response: &TestResponse) -> Value {
    let text = response.text();
    let last = text.lines().rev().find_map(|line| {
        let data = line.strip_prefix("data:")?.trim();
        (!data.is_empty()).then_some(data)
    });
    serde_json::from_str(last.unwrap_or(text)).unwrap_or_else(|_| panic!("{text}"))
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

async fn with_account() -> TestService {
    let drafts = json!({ "drafts": [{ "id": "r1", "message": { "id": "m1", "threadId": "t1" } }] });
    TestService::with_products(move |_| json_response(&drafts))
        .await
        .with_account("u1")
        .await
}

#[tokio::test(start_paused = true)]
async fn a_session_lists_its_tools_and_calls_one() {
    let service = with_account().await;
    let session = json!({ "identifier": "u1", "tool_set": "all", "output_schemas": true });
    let client = Client::new(&service, session).await;
    let list = client.ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["cacheScope"], "private", "{list}");
    assert!(list["result"]["ttlMs"].as_u64() > Some(0));
    let tools = client.tools().await;
    let all = names(&tools);
    // Twelve tools of mail, the only connection, and three of Stead.
    assert_eq!(all.len(), 15, "{all:?}");
    assert_eq!(client.tools().await, tools);
    let drafts = tools
        .iter()
        .find(|tool| tool["name"] == LIST_DRAFTS)
        .unwrap();
    assert_eq!(drafts["title"], "List drafts (Gmail)");
    assert_eq!(
        drafts["annotations"],
        json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true })
    );
    assert_eq!(drafts["outputSchema"]["type"], "object");
    let properties = drafts["inputSchema"]["properties"].as_object().unwrap();
    assert!(!properties.contains_key("connection_name"), "{drafts}");

    let result = client
        .call(LIST_DRAFTS, &json!({ "max_results": "5" }))
        .await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(result["structuredContent"]["drafts"][0]["id"], "r1");
    let written: Value = serde_json::from_str(text(&result)).unwrap();
    assert_eq!(written, result["structuredContent"]);
    assert_eq!(result["resultType"], "complete");
    let id = result["_meta"]["stead/execution_id"].as_str().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let record = service.get(&format!("/v1/executions/{id}")).await.json();
    let actor = record["actor"].as_str().unwrap();
    assert!(
        actor.starts_with("app_") && actor.contains("/mcp_"),
        "{actor}"
    );
    let sent = service.received().last().unwrap().uri.clone();
    assert!(sent.contains("maxResults=5"), "{sent}");
}

#[tokio::test]
async fn a_model_gets_violations_of_its_arguments() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let arguments = json!({ "max_results": "many", "colour": 1 });
    let result = client.call(LIST_DRAFTS, &arguments).await;
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"], Value::Null);
    let lines: Vec<&str> = text(&result).lines().collect();
    assert_eq!(
        lines[0],
        "The arguments aren't valid. Correct them and call again:"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("- /max_results: "))
    );
    assert!(
        lines.iter().any(|line| line.starts_with("- /colour: ")),
        "{lines:?}"
    );
    let params = json!({ "name": "mail_send_pigeon", "arguments": {} });
    let unknown = client.ask("tools/call", params).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test]
async fn an_error_says_who_must_act() {
    let service = TestService::with_products(|_| {
        let mut response =
            json_response(&json!({ "error": { "code": 404, "message": "Not Found" } }));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    })
    .await
    .with_account("u1")
    .await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let result = client.call(LIST_DRAFTS, &json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("Correct the arguments, or use another tool."),
        "{result}"
    );
    assert_eq!(result["_meta"]["stead/error"]["kind"], "product_not_found");
}

#[tokio::test]
async fn a_session_has_only_its_tools() {
    let service = with_account().await;
    let session = json!({ "identifier": "u1", "tools": [LIST_DRAFTS, "mail_get_contacts"] });
    let client = Client::new(&service, session).await;
    let tools = client.tools().await;
    let expected = [
        "mail_get_contacts",
        LIST_DRAFTS,
        "stead_check_authorization",
        "stead_get_authorization_link",
        "stead_read_result",
    ];
    assert_eq!(names(&tools), expected);
    let refused = client.call("mail_list_threads", &json!({})).await;
    assert_eq!(refused["isError"], true);
    assert_eq!(
        refused["_meta"]["stead/error"]["kind"],
        "insufficient_scope"
    );
    // Arguments can't select another user.
    let arguments = json!({ "identifier": "u2" });
    let refused = client.call(LIST_DRAFTS, &arguments).await;
    assert!(text(&refused).contains("/identifier"), "{refused}");
}

#[tokio::test]
async fn a_call_names_one_of_several_connections_of_a_product() {
    let service = with_account().await;
    let new = NewConnection::mail("work").client("other", "secret");
    let environment = service.platform.environment();
    environment.send(new).await.unwrap();
    let client = Client::new(&service, json!({ "identifier": "u1", "tool_set": "all" })).await;
    let tools = client.tools().await;
    let drafts = tools
        .iter()
        .find(|tool| tool["name"] == LIST_DRAFTS)
        .unwrap();
    let schema = &drafts["inputSchema"];
    assert_eq!(
        schema["properties"]["connection_name"]["enum"],
        json!(["mail", "work"])
    );
    assert_eq!(schema["required"], json!(["connection_name"]));
    let missing = client.call(LIST_DRAFTS, &json!({})).await;
    assert!(
        text(&missing).contains("- /connection_name: is missing; expected one of mail, work"),
        "{missing}"
    );
    let arguments = json!({ "connection_name": "home" });
    let wrong = client.call(LIST_DRAFTS, &arguments).await;
    assert!(text(&wrong).contains("found \"home\""), "{wrong}");
    let arguments = json!({ "connection_name": "mail" });
    let named = client.call(LIST_DRAFTS, &arguments).await;
    assert_eq!(named["isError"], false, "{named}");
}

#[tokio::test]
async fn a_caller_without_a_session_gets_the_metadata_url() {
    let service = with_account().await;
    let url = "http://127.0.0.1/.well-known/oauth-protected-resource/mcp";
    let resource = format!("resource_metadata=\"{url}\"");
    let anyone = Request::post("/mcp").body(Body::empty()).unwrap();
    let anyone = service.send(anyone).await;
    anyone.assert_problem(StatusCode::UNAUTHORIZED, "unauthenticated");
    let challenge = format!("Bearer realm=\"stead\", {resource}");
    assert_eq!(anyone.header("www-authenticate"), challenge);
    // An application's token doesn't work for a session, and a session's token doesn't work for an application.
    let application = service.call("POST", "/mcp", Some(json!({}))).await;
    application.assert_problem(StatusCode::UNAUTHORIZED, "unauthenticated");
    let challenge = application.header("www-authenticate");
    let invalid = "Bearer realm=\"stead\", error=\"invalid_token\", error_description=\"/mcp needs";
    assert!(
        challenge.starts_with(invalid) && challenge.ends_with(&resource),
        "{challenge}"
    );
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    for path in ["/v1/tools", "/v1/mcp-sessions", "/proxy/mail/u1/x"] {
        let mut request = client.request().method("GET").uri(path);
        request = request.header("x-test", "1");
        let refused = service.send(request.body(Body::empty()).unwrap()).await;
        refused.assert_problem(StatusCode::FORBIDDEN, "insufficient_scope");
    }
    for path in ["", "/mcp"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let metadata = service.visit(&path).await.json();
        assert_eq!(metadata["resource"], "http://127.0.0.1/mcp");
    }
}

#[tokio::test]
async fn pages_of_other_sites_and_other_names_are_refused() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let sent = async |name: &str, value: &str| {
        let mut request = client.request().body(Body::from(message.clone())).unwrap();
        let value = value.parse().unwrap();
        request
            .headers_mut()
            .insert(name.parse::<http::HeaderName>().unwrap(), value);
        service.send(request).await.status
    };
    for (name, value, refused) in [
        ("origin", "https://evil.example.com", true),
        ("origin", "null", true),
        ("origin", "http://localhost:1234", true),
        ("host", "evil.example.com", true),
        ("origin", "http://127.0.0.1", false),
        ("origin", "http://localhost", false),
    ] {
        let status = sent(name, value).await;
        assert_eq!(
            status == StatusCode::FORBIDDEN,
            refused,
            "{value}: {status}"
        );
    }
}
