//! Running calls are limited. A product that stalls only blocks itself, and a finished call frees its place.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{execute, stream_raw};
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    catalogue::Catalogue,
    context::{CallLimits, Context, EnvironmentOptions, Ports, ProductOptions},
    error::ActBy,
    ports::{Body, Limits, Runtime as _, Transport, TransportError, TransportErrorKind},
    product::{Origin, Product, ProxyRoute, ProxyRules, Rotation},
    resource::ExecuteRequest,
    seal::KeyRing,
    state::AccountState,
    store::MemoryStore,
    testing::{RING, Responses, World, demo, insert_account_at, insert_account_of, response},
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};

/// A product that never responds. The other product doesn't respond to a large request either.
static STALLED: Product = Product {
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v1", "api")],
        ..ProxyRules::BASE
    },
    ..demo(Rotation::Stable)
};

/// Read one note of the other product.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadOther {
    /// Note to read.
    note_id: String,
}

impl Tool for ReadOther {
    const NAME: &'static str = "other_read_note";
    const EFFECT: Effect = Effect::Read;
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post(["notes"]).effect(Effect::Read);
        Ok(io.send(request.json(&self.note_id)).await?.into())
    }
}

static OTHER: Product = Product {
    name: "other",
    tools: const { &[ToolEntry::of::<ReadOther>()] },
    origins: &[Origin {
        name: "api",
        url: "https://api.other.test",
        base: "/v1",
    }],
    ..demo(Rotation::Stable)
};

/// Two connections of a product that stalls, and one of a different product.
fn scene(world: &World, limits: CallLimits) -> Context {
    let process = world.process(0);
    let timer = world.process(0);
    let transport: Arc<dyn Transport> = Responses::by(move |request: http::Request<Body>| {
        let limits: Limits = *request.extensions().get().unwrap();
        let is_large = matches!(request.body(), Body::Bytes(bytes) if bytes.len() > 1000);
        let stalls = is_large || request.uri().host() == Some("api.demo.test");
        let silence = timer.sleep(limits.first_byte);
        async move {
            if stalls {
                silence.await;
                return Err(TransportError::new(TransportErrorKind::TimedOut, "silence"));
            }
            Ok(response(200, "{}"))
        }
    });
    let ports = Ports::new(
        transport,
        process.clone(),
        process.numbers(),
        Arc::new(MemoryStore::new(process)),
        KeyRing::from_text(RING).unwrap(),
    );
    let mut options = EnvironmentOptions::new("https://stead.test").unwrap();
    options.calls = limits;
    let unlimited = ProductOptions {
        rate_limited: Some(false),
        ..ProductOptions::default()
    };
    options.products = BTreeMap::from([
        (String::from("demo"), unlimited.clone()),
        (String::from("other"), unlimited),
    ]);
    world.run(async {
        let catalogue = Catalogue::new([&STALLED, &OTHER]);
        let context = Context::open(options, catalogue, ports).await.unwrap();
        for (name, product) in [("one", "demo"), ("two", "demo"), ("other", "other")] {
            let ada = insert_account_of(&context, name, product, AccountState::Active).await;
            insert_account_at(&context, ada.connection_id, "bob", AccountState::Active).await;
        }
        context
    })
}

async fn call(context: &Context, connection: &str, note_id: &str) -> Result<()> {
    call_as(context, "ada", connection, note_id).await
}

async fn call_as(
    context: &Context,
    identifier: &str,
    connection: &str,
    note_id: &str,
) -> Result<()> {
    let request = ExecuteRequest::new(connection, identifier, json!({ "note_id": note_id }));
    let tool = match connection {
        "other" => "other_read_note",
        _ => "demo_read_note",
    };
    execute(context, tool, request).await.map(drop)
}

type Ended = Arc<Mutex<Vec<Result<()>>>>;

/// Starts this many callers at the same time, and returns how their calls end.
fn callers(world: &World, context: &Context, count: usize, connection: &'static str) -> Ended {
    callers_as(world, context, count, "ada", connection)
}

fn callers_as(
    world: &World,
    context: &Context,
    count: usize,
    identifier: &'static str,
    connection: &'static str,
) -> Ended {
    let ended = Ended::default();
    for _ in 0..count {
        let (context, ended) = (context.clone(), Arc::clone(&ended));
        world.process(0).spawn(Box::pin(async move {
            let outcome = call_as(&context, identifier, connection, "1").await;
            ended.lock().unwrap().push(outcome);
        }));
    }
    world.run_until_idle();
    ended
}

fn kinds(ended: &Ended) -> Vec<ErrorKind> {
    let ended = ended.lock().unwrap();
    let kinds = ended.iter().map(|one| one.as_ref().unwrap_err().kind());
    kinds.collect()
}

#[test]
fn a_product_that_stalls_starves_only_itself() {
    let world = World::new();
    let context = scene(&world, CallLimits::default());
    let ended = callers(&world, &context, 2000, "one");
    assert_eq!(
        kinds(&ended),
        vec![ErrorKind::Overloaded; 2000 - 768],
        "at once, and not yet the product's fault"
    );
    assert_eq!(context.limits.bulkheads.in_flight().0, 768);
    // Calls through another connection and to another product still work.
    let second = callers(&world, &context, 2000, "two");
    assert_eq!(second.lock().unwrap().len(), 2000 - 768);
    assert_eq!(context.limits.bulkheads.in_flight().0, 2 * 768);
    for _ in 0..2000 {
        world.ok(call(&context, "other", "1"));
    }
    world.advance(Duration::from_secs(5));
    let error = world.err(call(&context, "one", "1"));
    assert_eq!(error.kind(), ErrorKind::ProductUnavailable, "{error}");
    assert_eq!(error.act_by(), ActBy::Product);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(5)));
    // Their own time limit ends the calls, and all places are free again.
    world.advance(Duration::from_secs(120));
    assert_eq!(ended.lock().unwrap().len(), 2000);
    assert_eq!(context.limits.bulkheads.in_flight(), (0, 0));
}

#[test]
fn all_calls_together_are_bounded_and_a_stalled_product_leaves_room() {
    let world = World::new();
    let context = scene(&world, limits(3, 2, 2));
    let ended = callers(&world, &context, 3, "one");
    assert_eq!(kinds(&ended), [ErrorKind::Overloaded]);
    world.ok(call(&context, "other", "1"));
    // All connections of a product share its places.
    let error = world.err(call(&context, "two", "1"));
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    let entered = context.limits.bulkheads.enter(&Caller::Operator).unwrap();
    let error = world.err(call(&context, "other", "1"));
    assert_eq!(
        (error.kind(), error.act_by(), error.kind().status()),
        (ErrorKind::Overloaded, ActBy::Operator, 503)
    );
    assert!(error.retry_after().is_some());
    drop(entered);
    world.ok(call(&context, "other", "1"));
}

/// Two applications.
fn applications(context: &Context) -> [Context; 2] {
    ["one", "other"].map(|id| context.acting_as(Caller::application(id)))
}

fn limits(calls: u32, calls_per_product: u32, calls_per_connection: u32) -> CallLimits {
    CallLimits {
        calls,
        calls_per_product,
        calls_per_connection,
        ..CallLimits::default()
    }
}

/// None of the callers was rejected.
#[track_caller]
fn admitted(ended: &Ended) {
    assert!(ended.lock().unwrap().is_empty());
}

/// The common error of the callers that were rejected.
fn refused(ended: &Ended, times: usize) -> Error {
    let ended = ended.lock().unwrap();
    assert_eq!(ended.len(), times);
    ended[0].as_ref().unwrap_err().clone()
}

#[test]
fn a_flooding_application_leaves_room_for_others() {
    // The limits for all calls, for a product, and for a connection.
    for (limits, connections, whose) in [
        (limits(8, 100, 100), ["one", "two"], "in all"),
        (limits(100, 8, 100), ["one", "two"], "to this product"),
        (limits(100, 100, 8), ["one", "one"], "at this connection"),
    ] {
        let world = World::new();
        let context = scene(&world, limits);
        let [floods, other] = applications(&context);
        admitted(&callers_as(&world, &floods, 5, "ada", connections[0]));
        let ended = callers_as(&world, &floods, 5, "bob", connections[1]);
        let error = refused(&ended, 4);
        assert_eq!(
            (error.kind(), error.retry_after()),
            (ErrorKind::Overloaded, Some(Duration::from_secs(1)))
        );
        let calls = format!("6 running calls {whose}");
        assert!(error.message().contains(&calls), "{error}");
        // The other application gets the remaining places, also for its sessions and tokens.
        admitted(&callers_as(&world, &other, 2, "bob", connections[1]));
        // When calls end, the application with fewer running calls comes first.
        world.advance(Duration::from_secs(300));
        assert_eq!(context.limits.bulkheads.in_flight(), (0, 0));
        admitted(&callers_as(&world, &floods, 5, "ada", connections[0]));
    }
}

#[test]
fn the_operator_can_use_all_places() {
    let world = World::new();
    let context = scene(&world, limits(8, 100, 100));
    for (identifier, connection) in [("ada", "one"), ("bob", "two")] {
        admitted(&callers_as(&world, &context, 4, identifier, connection));
    }
}

#[test]
fn a_flooding_account_leaves_room_for_others_of_its_connection() {
    let world = World::new();
    let context = scene(&world, limits(100, 100, 8));
    let error = refused(&callers(&world, &context, 10, "one"), 4);
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    let calls = "this account has 6 running calls";
    assert!(error.message().starts_with(calls), "{error}");
    admitted(&callers_as(&world, &context, 2, "bob", "one"));
    // The same identifier at another connection is another account.
    admitted(&callers(&world, &context, 6, "two"));
    world.advance(Duration::from_secs(10));
    let error = world.err(call(&context, "one", "1"));
    assert_eq!(error.kind(), ErrorKind::ProductUnavailable, "{error}");
}

#[test]
fn inputs_are_refused_beyond_the_memory_limit_of_running_calls() {
    let world = World::new();
    let limits = CallLimits {
        bytes: 1024 * 1024,
        ..CallLimits::default()
    };
    let context = scene(&world, limits);
    let large = "x".repeat(800 * 1024);
    let spawned = {
        let (context, large) = (context.clone(), large.clone());
        async move { drop(call(&context, "other", &large).await) }
    };
    world.process(0).spawn(Box::pin(spawned));
    world.run_until_idle();
    assert!(context.limits.bulkheads.in_flight().1 >= 700 * 1024);
    let error = world.err(call(&context, "other", &large));
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    world.ok(call(&context, "other", "small"));
    world.advance(Duration::from_secs(120));
    assert_eq!(context.limits.bulkheads.in_flight(), (0, 0));
    let error = world.err(call(&context, "other", &large));
    assert_eq!(error.kind(), ErrorKind::ProductTimeout, "it was sent");
}

#[test]
fn a_streamed_response_keeps_its_place_until_it_has_passed() {
    let world = World::new();
    let transport = Responses::by(|_| {
        let body = Body::stream(http_body_util::Full::new(Bytes::from("text")));
        std::future::ready(Ok(http::Response::new(body)))
    });
    let context = crate::testing::context(&world, &STALLED, transport);
    let request = || {
        let mut request = http::Request::new(Body::Empty);
        *request.uri_mut() = "/v1/notes".parse().unwrap();
        request
    };
    let response = world.run(async {
        insert_account_of(&context, "demo", "demo", AccountState::Active).await;
        stream_raw(&context, "demo", "ada", request())
            .await
            .unwrap()
    });
    assert_eq!(context.limits.bulkheads.in_flight().0, 1);
    let text = world.ok(response.into_body().collect(9));
    assert_eq!(
        (text.as_ref(), context.limits.bulkheads.in_flight().0),
        (&b"text"[..], 0)
    );
    drop(world.run(stream_raw(&context, "demo", "ada", request())));
    assert_eq!(context.limits.bulkheads.in_flight().0, 0);
}
