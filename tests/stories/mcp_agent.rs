//! An agent over the Model Context Protocol. It only has one user's session and the server's address, and does a task
//! over three products. A few lines of Rust play the model.

use http::Method;
use serde_json::{Value, json};
use stead_core::ports::Body;

use crate::{
    browser::Browser,
    http_client::request,
    products::{connect, create},
    stage::{ADA, Stage},
};

const REVISION: &str = "2026-07-28";

/// More digits than a double has.
const DIGITS: &str = "12345678901234567890123";

/// A client of the protocol with the token of a session.
pub struct Agent<'s> {
    stage: &'s Stage,
    token: String,
}

impl<'s> Agent<'s> {
    /// The agent of `user-1`, with a session that the application creates.
    pub async fn new(stage: &'s Stage, session: Value) -> Self {
        let made = stage.post("/v1/mcp-sessions", &session).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.json();
        assert_eq!(made["url"], format!("{}/mcp", stage.url));
        let token = made["token"].as_str().unwrap().to_owned();
        Self { stage, token }
    }

    async fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "agent", "version": "1" },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        // A JSON value can't hold that many digits.
        let message = message.to_string().replace("\"DIGITS\"", DIGITS);
        let body = Body::from(message.into_bytes());
        let url = format!("{}/mcp", self.stage.url);
        let mut request = request(Method::POST, &url, &self.token, body);
        let name = params["name"].as_str().unwrap_or_default();
        for (header, value) in [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", REVISION),
            ("mcp-method", method),
            ("mcp-name", name),
        ] {
            if !value.is_empty() {
                let value = value.parse().unwrap();
                request.headers_mut().insert(header, value);
            }
        }
        let text = self.stage.http.send(request).await.text();
        // The response is one message, as JSON or as an event of a stream.
        let data = text.lines().rev().find_map(|line| {
            let data = line.strip_prefix("data:")?.trim();
            (!data.is_empty()).then_some(data)
        });
        let message: Value = serde_json::from_str(data.unwrap_or(&text)).unwrap();
        assert!(message["result"].is_object(), "{message}");
        message["result"].clone()
    }

    /// Names of the tools, in their order.
    pub async fn tools(&self) -> Vec<String> {
        let list = self.ask("tools/list", json!({})).await;
        let tools = list["tools"].as_array().unwrap();
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect()
    }

    pub async fn call(&self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        self.ask("tools/call", params).await
    }

    /// The structured content of a call, which must succeed.
    async fn done(&self, name: &str, arguments: Value) -> Value {
        let result = self.call(name, arguments).await;
        assert!(result["isError"] != true, "{name}: {result}");
        result["structuredContent"].clone()
    }
}

/// Connects the products of the task. Drive only gets a connection, but no account.
async fn stage() -> Stage {
    let stage = Stage::connected().await;
    connect(&stage, "workspace").await;
    create(&stage, "drive").await;
    stage
}

#[tokio::test]
async fn an_agent_with_a_session_does_a_task_over_three_products() {
    let stage = stage().await;
    let agent = Agent::new(&stage, json!({ "identifier": "user-1" })).await;
    let tools = agent.tools().await;
    for needed in [
        "mail_fetch_mails",
        "drive_search_content",
        "workspace_search",
        "workspace_create_page",
        "stead_check_authorization",
    ] {
        assert!(tools.iter().any(|tool| tool == needed), "{tools:?}");
    }

    // The model makes a mistake, reads what was expected, and corrects itself.
    let wrong = agent.call("mail_fetch_mails", json!({ "limit": 1 })).await;
    let text = wrong["content"][0]["text"].as_str().unwrap();
    assert!(
        wrong["isError"] == true && text.contains("/limit"),
        "{text}"
    );
    let mails = json!({ "query": "is:unread", "max_results": 1 });
    let mails = agent.done("mail_fetch_mails", mails).await;
    let subject = mails["messages"][0]["subject"].as_str().unwrap();
    // Text from strangers is marked, so that a model treats it as data.
    let untrusted = mails["untrusted"].as_array().unwrap();
    assert!(untrusted.contains(&json!("messages[].subject")), "{mails}");

    // The user hasn't connected Drive yet. The model shows the link and repeats the call.
    let search = json!({ "search_term": "Bernoulli", "page_size": 1 });
    let asked = agent.call("drive_search_content", search.clone()).await;
    let text = asked["content"][0]["text"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(asked["isError"] == true && lines.len() == 3, "{text}");
    let done = Browser::new().connect(&stage, lines[1], ADA).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let files = agent.done("drive_search_content", search).await;
    let file = files["files"][0]["name"].as_str().unwrap();

    let pages = json!({ "query": "Projects" });
    let pages = agent.done("workspace_search", pages).await;
    let parent = pages["results"][0]["id"].as_str().unwrap();
    let title = format!("{subject}: see {file}");
    let page = json!({
        "parent_page_id": parent,
        "properties": { "title": { "title": [{ "text": { "content": title } }] } },
    });
    let page = agent.done("workspace_create_page", page).await;
    assert!(page["id"].is_string(), "{page}");
    let found = json!({ "query": title });
    let found = agent.done("workspace_search", found).await;
    assert_eq!(found["results"][0]["id"], page["id"], "{found}");
}

#[tokio::test]
async fn a_session_sets_view_and_size_of_its_results() {
    let stage = Stage::connected().await;
    let mails = json!({ "query": "is:unread" });
    let readable = Agent::new(&stage, json!({ "identifier": "user-1" })).await;
    let readable = readable.done("mail_fetch_mails", mails.clone()).await;
    assert!(readable["messages"][0]["subject"].is_string(), "{readable}");

    let session = json!({ "identifier": "user-1", "view": "full", "max_bytes": 1_000_000 });
    let full = Agent::new(&stage, session).await;
    let full = full.done("mail_fetch_mails", mails.clone()).await;
    assert!(
        full["messages"][0]["message"]["payload"].is_object(),
        "{full}"
    );

    let session = json!({ "identifier": "user-1", "max_bytes": 800 });
    let small = Agent::new(&stage, session).await;
    let result = small.call("mail_fetch_mails", mails.clone()).await;
    let content = result["structuredContent"].to_string();
    assert!(content.len() <= 800, "{content}");
    assert!(readable.to_string().len() > 800);

    // A model's calls in its vendor's format have the same options.
    let calls = json!({
        "identifier": "user-1", "connection_name": "mail", "view": "readable", "max_bytes": 2_000,
        "calls": [{ "type": "tool_use", "id": "toolu_01mails0000000000000", "name": "mail_fetch_mails", "input": mails }],
    });
    let done = stage.post("/v1/tool-calls", &calls).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let text = done.json()["results"][0]["content"].to_string();
    assert!(text.contains("untrusted") && text.len() < 4_000, "{text}");
}

/// Most JSON parsers round such numbers silently.
#[tokio::test]
async fn a_long_number_is_exact_or_refused() {
    let stage = stage().await;
    connect(&stage, "warehouse").await;
    let input = json!({ "statement": "SELECT ? AS N", "bindings": { "1": { "type": "TEXT", "value": "DIGITS" } } });

    let body = json!({ "connection_name": "warehouse", "identifier": "user-1", "input": input });
    let body = body.to_string().replace("\"DIGITS\"", DIGITS);
    let url = format!("{}/v1/tools/warehouse_execute_query/execute", stage.url);
    let mut post = request(
        Method::POST,
        &url,
        &stage.bearer,
        Body::from(body.into_bytes()),
    );
    let json_type = "application/json".parse().unwrap();
    post.headers_mut().insert("content-type", json_type);
    let refused = stage.http.send(post).await;
    assert_eq!(refused.kind(), "invalid_request", "{}", refused.text());
    let place = &refused.json()["violations"][0]["path"];
    assert_eq!(place, "/input/bindings/1/value");

    let session = json!({ "identifier": "user-1", "connections": ["warehouse"] });
    let agent = Agent::new(&stage, session).await;
    let read = agent.call("warehouse_execute_query", input).await;
    assert!(read.to_string().contains(DIGITS), "{read}");
}
