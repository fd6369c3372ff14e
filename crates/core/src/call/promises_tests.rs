//! Promises of a call: a write continues without its caller, an interrupted call says so, a key names one call, and a
//! token only goes to its own account.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::future::{Either, select};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{execute, stream_raw};
use crate::{
    ErrorKind, Result,
    caller::Caller,
    context::Context,
    ports::{Body, Runtime as _},
    product::{Product, ProxyRoute, ProxyRules, Quota, Rotation},
    resource::{DeleteConnection, DisconnectAccount, ExecuteRequest, SuspendAccount},
    scope::Scopes,
    state::AccountState,
    testing::{Responses, World, context, demo, executions, insert_account, response},
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};

/// Write a note.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteNote {
    /// What to write.
    text: String,
}

impl Tool for WriteNote {
    const NAME: &'static str = "demo_write_note";
    const EFFECT: Effect = Effect::Write;
    type Output = Value;

    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let note = json!({ "id": call.derive_id("note"), "text": self.text });
        let request = ApiRequest::post(["notes"]).json(&note);
        Ok(io.send(request).await?.into())
    }
}

/// Read two notes, one after the other.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadTwo {}

impl Tool for ReadTwo {
    const NAME: &'static str = "demo_read_two";
    const EFFECT: Effect = Effect::Read;
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        io.send(ApiRequest::get(["notes", "1"])).await?;
        Ok(io.send(ApiRequest::get(["notes", "2"])).await?.into())
    }
}

static NOTES: Product = Product {
    tools: const { &[ToolEntry::of::<WriteNote>(), ToolEntry::of::<ReadTwo>()] },
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v1", "api")],
        ..ProxyRules::BASE
    },
    quota: Quota {
        units_per_minute: 2,
        ..Quota::UNLIMITED
    },
    ..demo(Rotation::Stable)
};

pub(super) fn request(input: Value) -> ExecuteRequest {
    ExecuteRequest::new("demo", "ada", input)
}

/// A product that responds after a second, and the number of its responses.
fn slow(world: &World) -> (Context, Arc<AtomicU32>) {
    let done = Arc::new(AtomicU32::new(0));
    let (count, timer) = (Arc::clone(&done), world.process(0));
    let transport = Responses::by(move |_| {
        let (count, pause) = (Arc::clone(&count), timer.sleep(Duration::from_secs(1)));
        async move {
            pause.await;
            count.fetch_add(1, Ordering::SeqCst);
            Ok(response(200, "{}"))
        }
    });
    let context = context(world, &NOTES, transport);
    world.run(insert_account(&context, AccountState::Active));
    (context, done)
}

async fn stream(context: &Context, method: http::Method) -> Result<()> {
    let mut request = http::Request::new(Body::Empty);
    *request.method_mut() = method;
    *request.uri_mut() = "/v1/notes/1".parse().unwrap();
    stream_raw(context, "demo", "ada", request).await.map(drop)
}

async fn run(context: &Context, tool: &str, input: Value) -> Result<()> {
    execute(context, tool, request(input)).await.map(drop)
}

/// A caller who disconnects after half a second.
fn hang_up(world: &World, call: impl Future) {
    let timer = world.process(0);
    world.run(async {
        let call = std::pin::pin!(call);
        match select(call, timer.sleep(Duration::from_millis(500))).await {
            Either::Left(_) => panic!("the product takes longer"),
            Either::Right(_) => {}
        }
    });
    world.advance(Duration::from_secs(10));
}

#[test]
fn a_tool_needs_the_scope_for_its_product() {
    let world = World::new();
    let (context, done) = slow(&world);
    let execute = |scope: &str| {
        let scopes = Scopes::parse([scope]).unwrap();
        let limited = context.acting_as(Caller::limited_application("app", scopes, None));
        let request = request(json!({ "text": "x" }));
        world.run(execute(&limited, "demo_write_note", request))
    };
    for scope in ["tools:execute:other", "proxy:write"] {
        let error = execute(scope).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InsufficientScope);
        assert_eq!(error.required_scopes(), ["tools:execute:demo"]);
    }
    assert_eq!(done.load(Ordering::SeqCst), 0);
    for scope in ["tools:execute:demo", "tools:execute"] {
        execute(scope).unwrap();
    }
    world.advance(Duration::from_secs(1));
    // Refused calls are in the history too.
    let calls = world.run(executions(&context));
    assert_eq!(calls.len(), 4);
}

#[test]
fn a_write_outlives_its_caller_and_a_read_ends_with_it() {
    for (is_raw, is_write, done, outcome) in [
        (false, true, 1, "ok"),
        (false, false, 0, "cancelled"),
        (true, true, 1, "ok"),
        (true, false, 0, "cancelled"),
    ] {
        let world = World::new();
        let (context, responses) = slow(&world);
        hang_up(&world, async {
            match (is_raw, is_write) {
                (true, true) => stream(&context, http::Method::POST).await,
                (true, false) => stream(&context, http::Method::GET).await,
                (false, true) => run(&context, "demo_write_note", json!({ "text": "a" })).await,
                (false, false) => run(&context, "demo_read_two", json!({})).await,
            }
        });
        let records = world.run(executions(&context));
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].outcome, outcome);
        assert_eq!(responses.load(Ordering::SeqCst), done);
    }
}

#[test]
fn a_write_that_fails_inside_stead_has_an_unknown_outcome() {
    let world = World::new();
    let transport = Responses::by(|_| async { panic!("a fault in an adapter") });
    let context = context(&world, &NOTES, transport);
    world.run(insert_account(&context, AccountState::Active));
    let ended = Arc::new(Mutex::new(Vec::new()));
    for raw in [false, true] {
        let (context, ended) = (context.clone(), Arc::clone(&ended));
        world.process(0).spawn(Box::pin(async move {
            let sent = match raw {
                true => stream(&context, http::Method::DELETE).await,
                false => run(&context, "demo_write_note", json!({ "text": "a" })).await,
            };
            let error = sent.unwrap_err();
            let said = (error.kind(), error.retryable());
            ended.lock().unwrap().push(said);
        }));
    }
    // With a runtime, a panicking task doesn't affect others. Here it ends the step.
    while catch_unwind(AssertUnwindSafe(|| world.run_until_idle())).is_err() {}
    let unknown = (ErrorKind::OutcomeUnknown, false);
    assert_eq!(*ended.lock().unwrap(), [unknown, unknown]);
}

#[test]
fn a_sent_write_interrupted_by_a_shutdown_is_recorded_as_unknown() {
    let world = World::new();
    let (context, done) = slow(&world);
    // The quota allows two requests. The third one waits.
    for _ in 0..3 {
        let context = context.clone();
        world.process(0).spawn(Box::pin(async move {
            let ended = run(&context, "demo_write_note", json!({ "text": "a" })).await;
            assert_eq!(ended.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
        }));
    }
    world.advance(Duration::from_millis(500));
    context.host.tasks.close();
    context.host.tasks.cut();
    world.advance(Duration::from_secs(10));
    let records = world.run(executions(&context));
    let outcomes = records.iter();
    let mut outcomes: Vec<_> = outcomes
        .map(|call| (call.requests, &*call.outcome))
        .collect();
    outcomes.sort_unstable();
    let unknown = (1, "outcome_unknown");
    assert_eq!(outcomes, [(0, "cancelled"), unknown, unknown]);
    assert_eq!(done.load(Ordering::SeqCst), 0);
}

/// The ID of the note that a call writes.
fn written_id(caller: &Caller, key: Option<&str>, text: &str, user: u128) -> String {
    let world = World::new();
    let seen = Arc::new(Mutex::new(Value::Null));
    let keep = Arc::clone(&seen);
    let transport = Responses::by(move |request: http::Request<Body>| {
        let Body::Bytes(body) = request.into_body() else {
            panic!("a note is written");
        };
        *keep.lock().unwrap() = serde_json::from_slice(&body).unwrap();
        std::future::ready(Ok(response(200, "{}")))
    });
    let context = context(&world, &NOTES, transport);
    world.run(async {
        for _ in 0..user {
            context.host.new_id();
        }
        insert_account(&context, AccountState::Active).await;
        let request = ExecuteRequest {
            idempotency_key: key.map(str::to_owned),
            ..request(json!({ "text": text }))
        };
        let context = context.acting_as(caller.clone());
        execute(&context, "demo_write_note", request).await.unwrap();
    });
    let id = seen.lock().unwrap()["id"].clone();
    id.as_str().unwrap().to_owned()
}

#[test]
fn an_idempotency_key_belongs_to_one_caller_account_and_input() {
    let (own, shop) = (Caller::Operator, Caller::application("app_1"));
    let first = written_id(&own, Some("key-1"), "a", 0);
    assert_eq!(written_id(&own, Some("key-1"), "a", 0), first);
    for other in [
        written_id(&own, Some("key-2"), "a", 0),
        written_id(&own, Some("key-1"), "b", 0),
        written_id(&own, Some("key-1"), "a", 1),
        written_id(&own, None, "a", 0),
        written_id(&shop, Some("key-1"), "a", 0),
    ] {
        assert_ne!(other, first);
    }
}

#[test]
fn a_call_sends_only_tokens_of_the_account_it_began_with() {
    let world = World::new();
    let (context, done) = slow(&world);
    let ended = Arc::new(Mutex::new(None));
    // The quota allows two requests. The third one waits for a minute.
    for _ in 0..2 {
        let (context, ended) = (context.clone(), Arc::clone(&ended));
        world.process(0).spawn(Box::pin(async move {
            let read = run(&context, "demo_read_two", json!({})).await;
            *ended.lock().unwrap() = Some(read.map_err(|error| error.kind()));
        }));
    }
    world.advance(Duration::from_secs(10));
    let before = done.load(Ordering::SeqCst);
    world.send(&context, DisconnectAccount::new("demo", "ada"));
    world.send(&context, DeleteConnection::new("demo"));
    world.run(insert_account(&context, AccountState::Active));
    world.advance(Duration::from_secs(110));
    let last = ended.lock().unwrap().take();
    assert_eq!(last, Some(Err(ErrorKind::ConnectionNotReady)));
    assert_eq!((before, done.load(Ordering::SeqCst)), (2, 2));
}

#[test]
fn calls_and_changes_have_their_actor() {
    let world = World::new();
    let (context, _) = slow(&world);
    let application = context.acting_as(Caller::application("app_1"));
    let input = json!({ "text": "a" });
    hang_up(&world, run(&application, "demo_write_note", input));
    world.send(&application, SuspendAccount::new("demo", "ada"));
    let calls = world.run(executions(&context));
    assert_eq!(calls[0].actor.as_deref(), Some("app_1"));
    let events = world.ok(context.store.events(None, None, 10));
    let actors = events.into_iter().map(|event| event.row.actor);
    let actors = actors.map(|actor| actor.map(|actor| (actor.kind, actor.id)));
    let operator = (String::from("operator"), None);
    let application = (String::from("application"), Some(String::from("app_1")));
    assert!(actors.eq([Some(operator), Some(application)]));
}
