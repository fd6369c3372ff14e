//! How a model's calls run.

use std::sync::{Arc, Mutex};

use http::Request;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::{
    ports::{Body, Runtime as _},
    product::{Product, Rotation},
    state::AccountState,
    testing::{ReadNote, Responses, World, demo, insert_account, response},
    tool::{ApiRequest, Call as Run, Io, Output, Tool, ToolEntry},
};

/// Write one note.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddNote {
    /// What to write.
    text: String,
}

impl Tool for AddNote {
    const NAME: &'static str = "demo_add_note";
    const EFFECT: Effect = Effect::Write;
    type Output = Value;

    async fn run(&self, _: &Run, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post(["notes"]).json(&json!({ "text": self.text }));
        Ok(io.send(request).await?.into())
    }
}

static NOTES: Product = Product {
    tools: const { &[ToolEntry::of::<AddNote>(), ToolEntry::of::<ReadNote>()] },
    ..demo(Rotation::Stable)
};

/// An environment with an account of `ada`, and the requests that its product has received, with their start and end.
struct Stage {
    world: World,
    context: Context,
    log: Arc<Mutex<Vec<String>>>,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (seen, process) = (Arc::clone(&log), world.process(0));
        let transport = Responses::by(move |request: Request<Body>| {
            let (seen, process) = (Arc::clone(&seen), Arc::clone(&process));
            async move {
                let name = format!("{} {}", request.method(), request.uri().path());
                seen.lock().unwrap().push(format!("{name} began"));
                process.sleep(std::time::Duration::from_secs(1)).await;
                seen.lock().unwrap().push(format!("{name} ended"));
                Ok(response(200, r#"{"id":  "1"}"#))
            }
        });
        let store = world.store();
        let context = world.open(0, &NOTES, transport, &store);
        world.run(insert_account(&context, AccountState::Active));
        Self {
            world,
            context,
            log,
        }
    }

    fn run(&self, request: ToolCalls) -> Result<ToolCallResults> {
        self.world.run(run(&self.context, request))
    }

    fn began(&self) -> usize {
        let log = self.log.lock().unwrap();
        log.iter().filter(|line| line.ends_with("began")).count()
    }
}

fn calls(calls: &[(&str, &str, Value)]) -> ToolCalls {
    let each = calls.iter();
    let each = each.map(
        |(id, name, input)| json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
    );
    let mut request = ToolCalls::new("ada", each);
    request.connection_name = Some(String::from("demo"));
    request
}

const ID: &str = "toolu_01A09q90qw90lq91";

#[test]
fn consecutive_reads_run_in_parallel_and_results_keep_the_order() {
    let stage = Stage::new();
    let read = |id: &'static str| (id, "demo_read_note", json!({ "note_id": id }));
    let request = calls(&[
        read("a"),
        read("b"),
        ("c", "demo_add_note", json!({ "text": "x" })),
        ("d", "demo_add_note", json!({ "text": "y" })),
        read("e"),
    ]);
    let done = stage.run(request).unwrap();
    let ids: Vec<_> = done
        .results
        .iter()
        .map(|result| result["tool_use_id"].clone())
        .collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    assert_eq!(done.results[0]["content"], r#"{"id":  "1"}"#);
    assert!(
        done.calls
            .iter()
            .all(|call| call.execution_id.is_some() && call.error.is_none())
    );
    let order: Vec<_> = stage
        .log
        .lock()
        .unwrap()
        .iter()
        .map(|line| line.replace("/v1/notes", ""))
        .collect();
    assert_eq!(
        order,
        [
            "GET /a began",
            "GET /b began",
            "GET /a ended",
            "GET /b ended",
            "POST  began",
            "POST  ended",
            "POST  began",
            "POST  ended",
            "GET /e began",
            "GET /e ended",
        ]
    );
}

#[test]
fn the_same_call_with_the_same_id_is_made_once() {
    let stage = Stage::new();
    let add =
        |id: &'static str, text: &str| calls(&[(id, "demo_add_note", json!({ "text": text }))]);
    assert!(!stage.run(add(ID, "x")).unwrap().calls[0].replayed);
    let again = stage.run(add(ID, "x")).unwrap();
    assert!(again.calls[0].replayed);
    assert_eq!(again.results[0]["content"], r#"{"id":  "1"}"#);
    assert_eq!(stage.began(), 1);
    stage.run(add(ID, "y")).unwrap();
    assert_eq!(stage.began(), 2, "another input is another call");
    for _ in 0..2 {
        stage.run(add("call_0", "x")).unwrap();
    }
    assert_eq!(stage.began(), 4, "a number stands for no call");
    for key in ["turn-1", "turn-1", "turn-2"] {
        let mut request = add("call_0", "x");
        request.idempotency_key = Some(String::from(key));
        stage.run(request).unwrap();
    }
    assert_eq!(stage.began(), 6, "unless the request has a key");
}

#[test]
fn an_error_is_a_result_of_its_call() {
    let stage = Stage::new();
    let request = calls(&[
        ("a", "demo_add_note", json!({ "txt": "x" })),
        ("b", "demo_ad_note", json!({})),
        ("c", "demo_read_note", json!({ "note_id": "c" })),
    ]);
    let done = stage.run(request).unwrap();
    let text = |index: usize| done.results[index]["content"].as_str().unwrap();
    assert_eq!(done.results[0]["is_error"], true);
    assert!(
        text(0).starts_with("The input isn't valid, so nothing was executed.\n/"),
        "{}",
        text(0)
    );
    assert_eq!(text(0).lines().count(), 3);
    assert!(text(1).contains("demo_add_note"), "{}", text(1));
    assert_eq!(done.results[2].get("is_error"), None);
    let kinds = done
        .calls
        .iter()
        .map(|call| call.error.as_ref().map(|error| error.kind));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            Some(ErrorKind::SchemaViolation),
            Some(ErrorKind::UnknownTool),
            None
        ]
    );
}

#[test]
fn a_user_who_must_authorize_gets_one_link_if_requested() {
    let stage = Stage::new();
    let mut request = calls(&[
        ("a", "demo_read_note", json!({ "note_id": "a" })),
        ("b", "demo_read_note", json!({ "note_id": "b" })),
    ]);
    request.identifier = String::from("grace");
    let without = stage.run(request.clone()).unwrap();
    assert_eq!(
        without.results[0]["content"],
        "Connect Demo to continue.\nOnly the user can do that. Then try again."
    );
    let error = without.calls[0].error.as_ref().unwrap();
    assert_eq!(error.kind, ErrorKind::AuthorizationRequired);
    request.authorization_links = true;
    request.verify_url = Some(String::from("https://app.test/connected"));
    let with = stage.run(request).unwrap();
    let text = with.results[0]["content"].as_str().unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(
        (lines[0], lines[2]),
        ("Connect Demo to continue.", "Then try again.")
    );
    assert!(lines[1].starts_with("https://stead.test/"), "{text}");
    assert_eq!(with.results[1]["content"], with.results[0]["content"]);
}

#[test]
fn the_three_tools_search_describe_and_execute() {
    let stage = Stage::new();
    let mut request = calls(&[
        ("a", "stead_search_tools", json!({ "query": "read notes" })),
        (
            "b",
            "stead_describe_tool",
            json!({ "name": "demo_add_note" }),
        ),
        (
            "c",
            "stead_execute_tool",
            json!({ "name": "demo_add_note", "input": "{\"text\": \"x\"}" }),
        ),
        ("d", "stead_search_tools", json!({ "limit": 99 })),
    ]);
    request.connection_name = None;
    request
        .connections
        .insert(String::from("demo"), String::from("demo"));
    let done = stage.run(request).unwrap();
    let data = |index: usize| -> Value {
        serde_json::from_str(done.results[index]["content"].as_str().unwrap()).unwrap()
    };
    assert_eq!(data(0)["tools"][0]["name"], "demo_read_note");
    assert_eq!(data(1)["input_schema"]["required"], json!(["text"]));
    assert_eq!(data(2), json!({ "id": "1" }));
    assert_eq!(done.calls[2].tool, "demo_add_note");
    assert_eq!(
        done.calls[3].error.as_ref().unwrap().kind,
        ErrorKind::SchemaViolation
    );
    assert_eq!(stage.began(), 1);
}

#[test]
fn tool_calls_with_missing_or_unknown_connections_are_refused() {
    let stage = Stage::new();
    let read = ("a", "demo_read_note", json!({ "note_id": "a" }));
    let mut nowhere = calls(std::slice::from_ref(&read));
    nowhere.connection_name = None;
    let mut unknown = nowhere.clone();
    unknown
        .connections
        .insert(String::from("weather"), String::from("demo"));
    for (request, place) in [
        (nowhere, "/connection_name"),
        (unknown, "/connections/weather"),
    ] {
        let error = stage.run(request).unwrap_err();
        assert_eq!(error.violation_list()[0].path, place, "{error}");
    }
}
