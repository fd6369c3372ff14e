//! A call with a key reaches the product once, no matter who repeats it and how it ends.

mod late;

use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use http::HeaderValue;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::{
    call::{
        execute,
        outcome::REPLAYED,
        promises_tests::{WriteNote, request},
        send_raw,
    },
    caller::Caller,
    domain::AccountRef,
    maintenance,
    ports::{Runtime as _, Transport, TransportError, TransportErrorKind},
    product::{Product, ProxyRoute, ProxyRules, Rotation},
    resource::{
        DisconnectAccount, Disconnection, ExecuteRequest, ProxyRequest, ResumeAccount,
        SuspendAccount,
    },
    state::AccountState,
    store::Store,
    testing::{Flaky, Machine, Responses, World, demo, insert_account, open_spooled, response},
    tool::{ApiRequest, Call, Effect, Io, Output, Retry, Tool, ToolEntry},
};

mod size;

/// Put a note under an ID by which the product recognizes it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PutNote {
    /// What to write.
    text: String,
}

impl Tool for PutNote {
    const NAME: &'static str = "demo_put_note";
    const EFFECT: Effect = Effect::Write;
    const RECOGNISED_AGAIN: bool = true;
    type Output = Value;

    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post(["notes"])
            .query("id", call.derive_id("note").to_string())
            .retry(Retry::AlwaysWith("again", "true"));
        Ok(io.send(request).await?.into())
    }
}

static NOTES: Product = Product {
    tools: const { &[ToolEntry::of::<WriteNote>(), ToolEntry::of::<PutNote>()] },
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v1", "api")],
        reading_posts: &["/v1/search"],
        ..ProxyRules::BASE
    },
    ..demo(Rotation::Stable)
};

/// A product that counts the requests it receives, and responds with the number after a second.
fn counting(world: &World) -> (Arc<dyn Transport>, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let (seen, timer) = (Arc::clone(&count), world.process(0));
    let transport = Responses::by(move |_| {
        let number = seen.fetch_add(1, Ordering::SeqCst) + 1;
        let pause = timer.sleep(Duration::from_secs(1));
        async move {
            pause.await;
            let mut response = response(200, format!(r#"{{"number":{number}}}"#));
            let kind = HeaderValue::from_static("application/json");
            response.headers_mut().insert("content-type", kind);
            Ok(response)
        }
    });
    (transport, count)
}

fn keyed(key: &str, text: &str) -> ExecuteRequest {
    request(json!({ "text": text })).idempotency_key(key)
}

async fn write(context: &Context, key: &str, text: &str) -> Result<Execution> {
    execute(context, "demo_write_note", keyed(key, text)).await
}

/// Sends a raw request with a key. Returns what the caller reads, and whether it's replayed.
async fn raw(context: &Context, key: &str, text: &str) -> Result<(u16, String, String, bool)> {
    raw_at(context, "/v1/notes", key, text).await
}

async fn raw_at(
    context: &Context,
    path: &str,
    key: &str,
    text: &str,
) -> Result<(u16, String, String, bool)> {
    let mut request = ProxyRequest::new("demo", "ada", "POST", path);
    request.body = Some(json!({ "text": text }));
    request.idempotency_key = Some(key.to_owned());
    let (head, body) = send_raw(context, request).await?.into_parts();
    let body = body.collect(u64::MAX).await.unwrap();
    let id = &head.headers["stead-execution-id"];
    let id = id.to_str().unwrap().to_owned();
    let replayed = head.headers.contains_key(REPLAYED);
    let body = String::from_utf8(body.to_vec()).unwrap();
    Ok((head.status.as_u16(), body, id, replayed))
}

fn kind<T>(result: Result<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Processes that share a store in which `ada` is connected.
fn processes(
    world: &World,
    transport: &Arc<dyn Transport>,
    machine: &Arc<Machine>,
) -> Vec<Context> {
    let store: Arc<dyn Store> = world.store();
    let open = |process: u32| {
        let spool = machine.spool(process, || {});
        let (transport, store) = (Arc::clone(transport), Arc::clone(&store));
        let runtime = world.process(process);
        world.run(open_spooled(runtime, &NOTES, transport, store, spool))
    };
    let contexts: Vec<Context> = [1, 2].map(open).into();
    world.run(insert_account(&contexts[0], AccountState::Active));
    contexts
}

#[test]
fn concurrent_equal_calls_reach_the_product_once_and_return_the_same() {
    let world = World::new();
    let (transport, count) = counting(&world);
    let contexts = processes(&world, &transport, &Arc::default());
    let seen = Arc::new(Mutex::new((Vec::new(), Vec::new())));
    for number in 0..100 {
        // Half of them go to the second process.
        let (context, seen) = (contexts[number % 2].clone(), Arc::clone(&seen));
        world.process(1).spawn(Box::pin(async move {
            let execution = write(&context, "key", "a").await.unwrap();
            let read = (execution.execution_id, execution.data.get().to_owned());
            seen.lock().unwrap().0.push((read, execution.replayed));
            // At another route, the same key is for another request.
            let (status, body, id, replayed) = raw(&context, "key", "a").await.unwrap();
            seen.lock().unwrap().1.push(((status, body, id), replayed));
        }));
    }
    world.advance(Duration::from_secs(30));
    assert_eq!(count.load(Ordering::SeqCst), 2);
    let (tools, raws) = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!((tools.len(), raws.len()), (100, 100));
    let first = &tools[0].0;
    assert!(tools.iter().all(|(read, _)| read == first), "{tools:?}");
    assert!(raws.iter().all(|(read, _)| *read == raws[0].0), "{raws:?}");
    assert_eq!(tools[0].0.1, r#"{"number":1}"#);
    assert_eq!(tools.iter().filter(|(_, replayed)| !replayed).count(), 1);
    assert_eq!(raws.iter().filter(|(_, replayed)| !replayed).count(), 1);
    for context in &contexts {
        assert!(context.limits.keyed_calls.is_empty());
    }
}

#[test]
fn a_key_is_of_one_caller_and_one_request_for_a_day() {
    let world = World::new();
    let (transport, count) = counting(&world);
    let context = &processes(&world, &transport, &Arc::default())[0];
    let number = |context: &Context, key: &str, text: &str| {
        let execution = world.ok(write(context, key, text));
        let rest = execution.data.get().strip_prefix("{\"number\":");
        rest.and_then(|rest| rest.strip_suffix('}'))
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    assert_eq!(number(context, "key", "a"), 1);
    let mismatch = Some(ErrorKind::IdempotencyMismatch);
    assert_eq!(kind(world.run(write(context, "key", "b"))), mismatch);
    let other = context.acting_as(Caller::application("app_1"));
    assert_eq!(number(&other, "key", "b"), 2);
    for bad in [String::new(), "x".repeat(256), String::from("ü")] {
        let refused = kind(world.run(write(context, &bad, "a")));
        assert_eq!(refused, Some(ErrorKind::InvalidRequest));
    }
    // A dry run or a read isn't stored.
    let dry = keyed("dry", "a").dry_run(true);
    let planned = world.ok(execute(context, "demo_write_note", dry));
    let planned: Value = planned.json().unwrap();
    // The request as it would be sent, without the user's token.
    let headers = &planned["requests"][0]["headers"];
    assert_eq!(headers["accept"], "application/json", "{planned}");
    assert!(headers.get("authorization").is_none(), "{planned}");
    assert_eq!(number(context, "dry", "a"), 3);

    world.advance(Duration::from_secs(23 * 3_600));
    assert_eq!(number(context, "key", "a"), 1);
    world.advance(Duration::from_secs(3_600));
    assert_eq!(number(context, "key", "b"), 4);
    assert_eq!(count.load(Ordering::SeqCst), 4);
    world.advance(Duration::from_secs(25 * 3_600));
    world.ok(maintenance::run(context));
    let keyed = Keyed::new(context, "tools/execute", "key", &()).unwrap();
    assert!(world.ok(context.store.keyed_call(&keyed.key)).is_none());
}

#[test]
fn an_interrupted_call_has_an_unknown_outcome_and_is_not_repeated() {
    for known_to_have_ended in [true, false] {
        let world = World::new();
        let (transport, count) = counting(&world);
        let machine = Arc::new(Machine::default());
        let contexts = processes(&world, &transport, &machine);
        let (first, second) = (contexts[0].clone(), &contexts[1]);
        world.process(1).spawn(Box::pin(async move {
            let _ = write(&first, "key", "a").await;
        }));
        world.advance(Duration::from_millis(500));
        assert_eq!(count.load(Ordering::SeqCst), 1);
        world.kill(1);
        if known_to_have_ended {
            machine.end(1);
        } else {
            let error = world.err(write(second, "key", "a"));
            assert_eq!(error.kind(), ErrorKind::IdempotencyConflict);
            assert_eq!((error.retryable(), error.retry_after()), (true, Some(SOON)));
            world.advance(Duration::from_secs(16 * 60));
        }
        for _ in 0..2 {
            let error = world.err(write(second, "key", "a"));
            assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
            assert!(error.is_replayed() && error.execution_id().is_some());
        }
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}

async fn put(context: &Context, text: &str) -> Result<Execution> {
    execute(context, "demo_put_note", keyed("key", text)).await
}

/// An interrupted call that the product would recognize: the surviving process, the queries that the product reads, and
/// its later responses.
struct CutOff {
    world: World,
    context: Context,
    queries: Arc<Mutex<Vec<String>>>,
    status: Arc<AtomicU32>,
}

impl CutOff {
    fn new() -> Self {
        let world = World::new();
        let queries = Arc::new(Mutex::new(Vec::new()));
        let status = Arc::new(AtomicU32::new(200));
        let (seen, said, timer) = (Arc::clone(&queries), Arc::clone(&status), world.process(0));
        let transport = Responses::by(move |request: http::Request<Body>| {
            let query = request.uri().query().unwrap_or_default().to_owned();
            seen.lock().unwrap().push(query);
            let pause = timer.sleep(Duration::from_secs(1));
            let status = u16::try_from(said.load(Ordering::SeqCst)).unwrap();
            async move {
                pause.await;
                Ok(response(status, "{}"))
            }
        });
        let (transport, machine) = (transport as Arc<dyn Transport>, Arc::default());
        let mut contexts = processes(&world, &transport, &machine);
        let (second, first) = (contexts.remove(1), contexts.remove(0));
        world.process(1).spawn(Box::pin(async move {
            let _ = put(&first, "a").await;
        }));
        world.advance(Duration::from_millis(500));
        world.kill(1);
        machine.end(1);
        Self {
            world,
            context: second,
            queries,
            status,
        }
    }

    fn put(&self, text: &str) -> Result<Execution> {
        self.world.run(put(&self.context, text))
    }

    fn sent(&self) -> usize {
        self.queries.lock().unwrap().len()
    }
}

#[test]
fn an_interrupted_call_is_repeated_if_the_product_recognises_it() {
    let cut_off = CutOff::new();
    let other = kind(cut_off.put("b"));
    assert_eq!(other, Some(ErrorKind::IdempotencyMismatch));
    assert!(!cut_off.put("a").unwrap().replayed);
    assert!(cut_off.put("a").unwrap().replayed);
    let queries = cut_off.queries.lock().unwrap().clone();
    let [first, second] = queries.as_slice() else {
        panic!("{queries:?}")
    };
    assert!(first.starts_with("id="), "{first}");
    assert_eq!(*second, format!("{first}&again=true"));
}

#[test]
fn an_unknown_outcome_stays_unknown_until_a_repeat_succeeds() {
    let cut_off = CutOff::new();
    for (status, retryable) in [(404, false), (429, true), (503, true)] {
        cut_off.status.store(status, Ordering::SeqCst);
        let error = cut_off.put("a").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{status}");
        assert_eq!(error.retryable(), retryable, "{status}");
    }
    // Nothing is sent, so nothing is known about the first request.
    let sent = cut_off.sent();
    let (world, context) = (&cut_off.world, &cut_off.context);
    world.send(context, SuspendAccount::new("demo", "ada"));
    let error = cut_off.put("a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(cut_off.sent(), sent);
    world.send(context, ResumeAccount::new("demo", "ada"));
    cut_off.status.store(200, Ordering::SeqCst);
    assert!(!cut_off.put("a").unwrap().replayed);
    assert!(cut_off.put("a").unwrap().replayed);
}

#[test]
fn a_call_that_the_product_does_not_recognise_is_not_repeated() {
    let cut_off = CutOff::new();
    let (world, context) = (&cut_off.world, &cut_off.context);
    let asked = ("demo_put_note", keyed("key", "a"));
    let keyed = Keyed::new(context, "tools/execute", "key", &asked).unwrap();
    let connection = ConnectionName::new("demo").unwrap();
    let mut turn = world.ok(Turn::wait(context, keyed.clone(), &connection));
    assert!(world.ok(turn.earlier()).is_none());
    let row = world.ok(context.store.keyed_call(&keyed.key));
    let row = row.unwrap().row;
    let id = ExecutionId::from_uuid(Uuid::from_u128(7));
    // The same is true for another user of the product, or another version of the tool.
    for other in [None, Some(Uuid::from_u128(8))] {
        let error = world.err(turn.start(id, row.account_id, other));
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
        assert!(error.is_replayed() && !turn.is_lost());
    }
    world.ok(turn.start(id, row.account_id, row.repeat));
    assert!(turn.repeats_interrupted());
}

#[test]
fn a_final_outcome_is_stored_and_a_temporary_one_frees_the_key() {
    let cases: [(Result<u16, TransportErrorKind>, u32); 7] = [
        (Ok(200), 1),
        (Ok(404), 1),
        (Ok(409), 1),
        (Ok(500), 1),
        (Ok(429), 2),
        (Err(TransportErrorKind::TimedOut), 1),
        (Err(TransportErrorKind::Unreachable), 2),
    ];
    for (first, calls) in cases {
        let world = World::new();
        let count = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&count);
        let transport = Responses::by(move |_| {
            // An immediate retry counts as the same call.
            seen.fetch_add(1, Ordering::SeqCst);
            std::future::ready(match first {
                Ok(status) => Ok(response(status, "{}")),
                Err(kind) => Err(TransportError::new(kind, "lost")),
            })
        });
        let context = &processes(&world, &transport, &Arc::default())[0];
        let one = kind(world.run(write(context, "key", "a")));
        let each = count.load(Ordering::SeqCst);
        let other = kind(world.run(write(context, "key", "a")));
        assert_eq!(one, other, "{first:?}");
        assert_eq!(count.load(Ordering::SeqCst), each * calls, "{first:?}");
    }
}

#[test]
fn a_call_that_was_refused_before_it_was_sent_leaves_no_row() {
    let world = World::new();
    let (transport, count) = counting(&world);
    let context = &processes(&world, &transport, &Arc::default())[0];
    world.send(context, SuspendAccount::new("demo", "ada"));
    let refused = kind(world.run(write(context, "key", "a")));
    assert_eq!(refused, Some(ErrorKind::AccountSuspended));
    world.send(context, ResumeAccount::new("demo", "ada"));
    world.ok(write(context, "key", "a"));
    // A repeat is admitted like any call, and then gets the first outcome.
    world.send(context, SuspendAccount::new("demo", "ada"));
    let refused = kind(world.run(write(context, "key", "a")));
    assert_eq!(refused, Some(ErrorKind::AccountSuspended));
    world.send(context, ResumeAccount::new("demo", "ada"));
    assert!(world.ok(write(context, "key", "a")).replayed);
    assert_eq!(count.load(Ordering::SeqCst), 1);
    // Erasing the account deletes the outcome too.
    let erasing = Disconnection::new().erase(true);
    world.send(context, DisconnectAccount::new("demo", "ada").how(erasing));
    let refused = kind(world.run(write(context, "key", "a")));
    assert_eq!(refused, Some(ErrorKind::AuthorizationRequired));
}
