//! Agents over the whole stack: one loop in OpenAI's format over REST, and one in Anthropic's format over HTTP and
//! embedded. Each has a task over three products. A few lines of Rust play the models, and read the results as a model
//! does.

use serde_json::{Value, json};
use stead::{ExportFormat, Stead};

use crate::{
    browser::Browser,
    products::connect,
    stage::{ADA, Stage},
};

/// Most turns of a loop. A script that needs more doesn't read the results.
const TURNS: usize = 12;

async fn stage(products: &[&str]) -> Stage {
    let stage = Stage::connected().await;
    for product in products {
        connect(&stage, product).await;
    }
    stage
}

fn names(tools: &[Value], pointer: &str) -> Vec<String> {
    let names = tools
        .iter()
        .filter_map(|tool| tool.pointer(pointer)?.as_str());
    names.map(str::to_owned).collect()
}

/// Plays a model with the Chat Completions API. It lists threads and events in one turn, with a mistake in one of the
/// two calls. Then it puts the first thread into the calendar, and writes both into a spreadsheet.
struct ChatModel {
    tools: Vec<String>,
}

impl ChatModel {
    fn reply(&self, messages: &[Value]) -> Value {
        let results = || messages.iter().filter(|message| message["role"] == "tool");
        let content = |id: &str| {
            let found = results().find(|message| message["tool_call_id"] == id);
            found.map(|message| message["content"].as_str().unwrap_or_default().to_owned())
        };
        let parsed =
            |id: &str| content(id).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let calls = match results().count() {
            0 => vec![
                (
                    "call_Threads000000000000001",
                    "mail_list_threads",
                    json!({ "query": "is:unread", "max_results": "2" }),
                ),
                (
                    "call_Events0000000000000001",
                    "calendar_list_events",
                    json!({ "order": "startTime" }),
                ),
            ],
            2 => {
                // The error names the unknown parameter and the known ones.
                let error = content("call_Events0000000000000001").unwrap();
                assert!(
                    error.contains("/order: ") && error.contains("order_by"),
                    "{error}"
                );
                vec![(
                    "call_Events0000000000000002",
                    "calendar_list_events",
                    json!({ "order_by": "startTime", "max_results": 3 }),
                )]
            }
            3 => {
                let events = parsed("call_Events0000000000000002").unwrap();
                assert!(events["events"].is_array(), "{events}");
                let threads = parsed("call_Threads000000000000001").unwrap();
                let snippet = threads["threads"][0]["snippet"]
                    .as_str()
                    .unwrap()
                    .to_owned();
                vec![
                    (
                        "call_Create0000000000000001",
                        "calendar_create_event",
                        json!({ "summary": snippet, "start_datetime": "2026-05-04T16:00:00+01:00" }),
                    ),
                    (
                        "call_Sheet00000000000000001",
                        "sheets_create_spreadsheet",
                        json!({ "title": "Unread" }),
                    ),
                ]
            }
            5 => {
                let event = parsed("call_Create0000000000000001").unwrap();
                let sheet = parsed("call_Sheet00000000000000001").unwrap();
                let title = sheet["sheets"][0]["title"].as_str().unwrap().to_owned();
                vec![(
                    "call_Values0000000000000001",
                    "sheets_update_values",
                    json!({
                        "spreadsheet_id": sheet["spreadsheet_id"], "range": format!("{title}!A1"),
                        "values": [["Event"], [event["summary"]]],
                    }),
                )]
            }
            _ => {
                let written = parsed("call_Values0000000000000001").unwrap();
                return json!({ "role": "assistant", "content": format!("{} cells are written.", written["updatedCells"]) });
            }
        };
        let calls = calls.into_iter().map(|(id, name, input)| {
            assert!(self.tools.iter().any(|tool| tool == name), "{name} was not offered");
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": input.to_string() } })
        });
        json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() })
    }
}

#[tokio::test]
async fn a_loop_of_chat_completions_does_a_task_over_three_products() {
    let stage = stage(&["calendar", "sheets"]).await;
    let tools = stage
        .get("/v1/tools?product=mail,calendar,sheets&format=openai")
        .await
        .json();
    let tools = names(tools["items"].as_array().unwrap(), "/function/name");
    let model = ChatModel { tools };
    let mut messages = vec![json!({ "role": "user", "content": "Plan my unread mails." })];
    let said = loop {
        assert!(messages.len() < TURNS, "{messages:?}");
        let reply = model.reply(&messages);
        messages.push(reply.clone());
        let Some(calls) = reply.get("tool_calls") else {
            break reply["content"].clone();
        };
        let request = json!({
            "identifier": "user-1",
            "connections": { "mail": "mail", "calendar": "calendar", "sheets": "sheets" },
            "calls": calls,
        });
        let done = stage.post("/v1/tool-calls", &request).await;
        assert_eq!(done.status, 200, "{}", done.text());
        let done = done.json();
        assert_eq!(done["format"], "openai");
        messages.extend(done["results"].as_array().unwrap().iter().cloned());
    };
    assert_eq!(said, "2 cells are written.");
}

#[tokio::test]
async fn a_loop_of_messages_searches_asks_for_consent_and_finishes() {
    for over_http in [false, true] {
        let stage = stage(&["calendar"]).await;
        let stead: Stead = if over_http {
            stage.client().into()
        } else {
            stage.platform.clone().into()
        };
        messages_loop(&stage, &stead).await;
    }
}

/// Plays a model with Anthropic's Messages API and the three search tools. It searches for each step, describes a tool
/// before its first use, and shows the user a link if a result has one.
async fn messages_loop(stage: &Stage, stead: &Stead) {
    let tools = stead
        .tools()
        .export_search(ExportFormat::Anthropic)
        .await
        .unwrap();
    assert_eq!(
        names(&tools, "/name"),
        [
            "stead_search_tools",
            "stead_describe_tool",
            "stead_execute_tool"
        ]
    );
    let agent = stead
        .agent("user-1")
        .connection_of("mail", "mail")
        .connection_of("calendar", "calendar")
        .connection_of("drive", "drive")
        .authorization_links();
    // The user hasn't connected Drive yet.
    let drive = stead::NewConnection::drive("drive")
        .client(stead_sandbox::CLIENT_ID, stead_sandbox::CLIENT_SECRET);
    stead.connections().ensure(drive).await.unwrap();

    let ask = async |id: &str, name: &str, input: Value| {
        let content = json!([
            { "type": "text", "text": "Let me see." },
            { "type": "tool_use", "id": id, "name": name, "input": input },
        ]);
        let done = agent.run(&content).await.unwrap();
        let result = done.results[0].clone();
        assert_eq!(
            (&result["type"], &result["tool_use_id"]),
            (&json!("tool_result"), &json!(id))
        );
        let text = result["content"].as_str().unwrap().to_owned();
        (result["is_error"] == true, text)
    };
    let found = async |query: &str| -> String {
        let (_, text) = ask(
            "toolu_01search000000000000",
            "stead_search_tools",
            json!({ "query": query }),
        )
        .await;
        let found: Value = serde_json::from_str(&text).unwrap();
        found["tools"][0]["name"].as_str().unwrap().to_owned()
    };
    let execute = async |id: &str, name: &str, input: Value| {
        ask(
            id,
            "stead_execute_tool",
            json!({ "name": name, "input": input }),
        )
        .await
    };

    let threads = found("list unread mail threads").await;
    assert_eq!(threads, "mail_list_threads");
    let (failed, text) = execute(
        "toolu_01threads00000000000",
        &threads,
        json!({ "max_results": 1 }),
    )
    .await;
    assert!(!failed, "{text}");

    let create = found("create a meeting").await;
    assert_eq!(create, "calendar_create_event");
    let (_, described) = ask(
        "toolu_01describe0000000000",
        "stead_describe_tool",
        json!({ "name": create }),
    )
    .await;
    let described: Value = serde_json::from_str(&described).unwrap();
    assert_eq!(
        described["input_schema"]["required"],
        json!(["summary", "start_datetime"])
    );
    let event = json!({ "summary": "Read mail", "start_datetime": "2026-05-05T09:00:00+01:00" });
    let (failed, first) = execute("toolu_01create000000000000", &create, event.clone()).await;
    assert!(!failed, "{first}");
    // An interrupted loop sends the same call again, and there's still only one event.
    let (_, again) = execute("toolu_01create000000000000", &create, event).await;
    let id = |text: &str| serde_json::from_str::<Value>(text).unwrap()["id"].clone();
    assert_eq!(id(&first), id(&again));

    let search = found("find files by content").await;
    assert_eq!(search, "drive_search_content");
    let words = json!({ "search_term": "Bernoulli" });
    let (failed, text) = execute("toolu_01drive0000000000000", &search, words.clone()).await;
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        failed && lines.len() == 3 && lines[2] == "Then try again.",
        "{text}"
    );
    let done = Browser::new().connect(stage, lines[1], ADA).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let (failed, text) = execute("toolu_01drive0000000000001", &search, words).await;
    assert!(!failed, "{text}");
    let files: Value = serde_json::from_str(&text).unwrap();
    assert!(files["files"].is_array(), "{files}");
}
