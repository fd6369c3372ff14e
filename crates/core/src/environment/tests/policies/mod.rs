//! A product that classifies its requests, and one account of it, for tests of policies.

mod approvals;
mod guards;
mod replays;
mod rules;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::{Method, Request};
use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    super::{EnvironmentOptions, Verification},
    *,
};
use crate::{
    Error, ErrorKind,
    caller::Caller,
    catalogue::Catalogue,
    context::Context,
    ports::Body,
    product::{
        Classification, FactKind, Guard, GuardedRequest, Product, ProxyRoute, ProxyRules, Rotation,
        SentRequest, sent::list,
    },
    resource::{
        AppCredentialChange, ExecuteRequest, NewMcpSession, Policy, PolicyOutcome, ProxyRequest,
        SetPolicy,
    },
    state::{AccountState, ApprovalState},
    store::Store,
    testing::{ReadNote, Responses, World, demo, insert_account, ports, response},
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};

/// Send a note.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SendNote {
    /// Who gets it.
    to: Vec<String>,
}

impl Tool for SendNote {
    const NAME: &'static str = "demo_send_note";
    const EFFECT: Effect = Effect::Write;
    type Output = Value;

    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        // The request depends on the draft that it reads.
        let draft: Value = io.send(ApiRequest::get(["notes", "draft"])).await?.json()?;
        let mut note = json!({ "to": self.to, "id": call.derive_id("note") });
        if let Some(number) = draft.get("number") {
            note["number"] = number.clone();
        }
        let request = ApiRequest::post(["notes"]).json(&note);
        Ok(io.send(request).await?.into())
    }
}

/// Classifies notes by their recipients, and queries by their text.
fn classify(sent: &SentRequest<'_>) -> Option<Classification> {
    let body = || serde_json::from_slice::<Value>(sent.body?).ok();
    let none = Classification::default();
    match (sent.method, sent.path) {
        (&Method::POST, "/v1/query") => match sent.body {
            Some(b"select") => Some(none.effect(Effect::Read)),
            _ => Some(none.effect(Effect::Delete)),
        },
        (&Method::GET, path) if path.starts_with("/v1/notes") => Some(none),
        (&Method::POST, "/v1/notes") => {
            let to = body().and_then(|body| body["to"].as_array().cloned());
            let Some(to) = to else {
                return Some(none.unknown("recipient"));
            };
            let to = to.iter().filter_map(Value::as_str);
            Some(to.fold(none, |all, one| all.fact("recipient", one)))
        }
        _ => None,
    }
}

static DEMO: Product = Product {
    classify,
    fact_kinds: &[FactKind {
        name: "recipient",
        description: "Who gets a note: `ada@example.com`.",
    }],
    guards: &[
        Guard::new(
            "tell_everyone",
            "Sends a note to everyone.",
            &[GuardedRequest::new("POST", "/v1/notes").when_body(|sent| {
                let body = sent.members()?;
                let to = list(&body, "to")?;
                Ok(to.iter().any(|one| one == EVERYONE))
            })],
        ),
        Guard::new(
            "replace_notes",
            "Replaces all notes.",
            &[GuardedRequest::new("PUT", "/v1/notes")],
        )
        .spares_tools(),
    ],
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/v1", "api"),
            ProxyRoute::new("/batch", "api").batch(),
        ],
        takes_header: |name| name == "content-encoding",
        ..ProxyRules::BASE
    },
    tools: const { &[ToolEntry::of::<ReadNote>(), ToolEntry::of::<SendNote>()] },
    ..demo(Rotation::Stable)
};

const READ: &str = "demo_read_note";
const SEND: &str = "demo_send_note";
const IN: &str = "ada@example.com";
const OUT: &str = "eve@evil.test";
/// A recipient that the connection has to allow.
const EVERYONE: &str = "everyone@example.com";

/// An environment with the account `ada` of the connection `demo`. Counts the requests to the product, and those that
/// can change something.
struct Stage {
    world: World,
    environment: Environment,
    store: Arc<dyn Store>,
    writes: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
    /// The number of the draft that [`SendNote`] reads. With 0, the draft has no number.
    draft: Arc<AtomicUsize>,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let store: Arc<dyn Store> = world.store();
        let (writes, sent, draft) = (Arc::default(), Arc::default(), Arc::default());
        let environment = process(&world, 0, &store, [&writes, &sent, &draft]);
        world.run(insert_account(&environment.0, AccountState::Active));
        Self {
            world,
            environment,
            store,
            writes,
            sent,
            draft,
        }
    }

    /// Another process over the same store.
    fn other(&self) -> Environment {
        process(
            &self.world,
            1,
            &self.store,
            [&self.writes, &self.sent, &self.draft],
        )
    }

    fn send<O: Run<Environment>>(&self, operation: O) -> O::Output {
        self.world.ok(self.environment.send(operation))
    }

    /// Sets a policy for every call.
    fn set(&self, rules: Value) {
        self.set_named("all", true, rules);
    }

    fn set_named(&self, name: &str, environment: bool, mut rules: Value) {
        rules["name"] = json!(name);
        rules["environment"] = json!(environment);
        let policy: Policy = serde_json::from_value(rules).unwrap();
        self.send(SetPolicy::from(policy));
    }

    fn send_note(&self, by: &Environment, to: &[&str]) -> Result<String, Error> {
        self.tool(by, SEND, json!({ "to": to }))
    }

    fn tool(&self, by: &Environment, name: &str, input: Value) -> Result<String, Error> {
        let request = ExecuteRequest::new("demo", "ada", input);
        let called = self.world.run(by.execute(name, request));
        called.map(|_| String::from("ok"))
    }

    /// A raw request as JSON.
    fn raw(
        &self,
        by: &Environment,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<(), Error> {
        let mut request = ProxyRequest::new("demo", "ada", method, path);
        request.body = body;
        self.world.run(by.proxy(request)).map(drop)
    }

    /// A raw request over HTTP.
    fn streamed(&self, by: &Environment, request: Request<Body>) -> Result<(), Error> {
        let sent = self.world.run(by.proxy_streaming("demo", "ada", request));
        sent.map(drop)
    }

    /// The number of writes since the last time.
    fn writes(&self) -> usize {
        self.writes.swap(0, Ordering::SeqCst)
    }

    fn app(&self, client_id: &str) -> Environment {
        self.environment.acting_as(Caller::application(client_id))
    }
}

fn process(
    world: &World,
    number: u32,
    store: &Arc<dyn Store>,
    counters: [&Arc<AtomicUsize>; 3],
) -> Environment {
    let [writes, sent, draft] = counters.map(Arc::clone);
    let transport = Responses::by(move |request| {
        sent.fetch_add(1, Ordering::SeqCst);
        if request.method() != Method::GET {
            writes.fetch_add(1, Ordering::SeqCst);
        }
        let body = match draft.load(Ordering::SeqCst) {
            0 => String::from("{}"),
            number => json!({ "number": number }).to_string(),
        };
        std::future::ready(Ok(response(200, body)))
    });
    let ports = ports(world.process(number), transport, Arc::clone(store));
    let mut options = EnvironmentOptions::new("https://stead.test").unwrap();
    options.verification = Verification::LinkPossession;
    let context = world.run(Context::open(options, Catalogue::new([&DEMO]), ports));
    Environment(context.unwrap())
}

fn over_http(method: Method, path: &str, kind: &str, body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::new(body.into());
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().unwrap();
    if !kind.is_empty() {
        request
            .headers_mut()
            .insert("content-type", kind.parse().unwrap());
    }
    request
}

/// A note in a streamed body of any size.
fn stream(to: &str, padding: usize) -> Body {
    let note = json!({ "to": [to], "text": "x".repeat(padding) }).to_string();
    Body::stream(http_body_util::Full::new(bytes::Bytes::from(note)))
}

fn batch(to: &str) -> Request<Body> {
    let note = json!({ "to": [to] }).to_string();
    let text = format!(
        "--b\r\nContent-Type: application/http\r\n\r\nGET /v1/notes/1 HTTP/1.1\r\n\r\n\r\n--b\r\nContent-Type: application/http\r\n\r\nPOST /v1/notes HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{note}\r\n--b--\r\n",
        note.len()
    );
    let kind = "multipart/mixed; boundary=b";
    over_http(Method::POST, "/batch", kind, text.into_bytes())
}

/// The kind of the error, and the rule that refused the call.
fn rule(error: &Error) -> (ErrorKind, &str) {
    let rule = error.context().get("rule").and_then(Value::as_str);
    (error.kind(), rule.unwrap_or_default())
}

const REFUSED: ErrorKind = ErrorKind::Forbidden;
