//! Every wait in a call ends at its caller's deadline, and the error says that nothing was sent.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    execute,
    promises_tests::{WriteNote, request},
    send_raw, stream_raw,
};
use crate::{
    Error, ErrorKind, Result, access,
    context::Context,
    error::ActBy,
    ports::{Body, Runtime as _, Transport},
    product::{Product, ProxyRoute, ProxyRules, Quota, Rotation},
    resource::ProxyRequest,
    state::AccountState,
    testing::{Asked, Flaky, Process, ReadNote, Responses, World, demo, insert_account, response},
    tool::ToolEntry,
};

static PRODUCT: Product = Product {
    tools: const { &[ToolEntry::of::<ReadNote>(), ToolEntry::of::<WriteNote>()] },
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v1", "api")],
        ..ProxyRules::BASE
    },
    quota: Quota {
        units_per_minute: 20,
        ..Quota::UNLIMITED
    },
    ..demo(Rotation::Stable)
};

const WAITED: Duration = Duration::from_millis(700);

struct Stage {
    world: World,
    clock: Arc<Process>,
    /// Whether the store, which several servers share, only responds to the check whether it's ready.
    hangs: Arc<AtomicBool>,
    context: Context,
    /// Number of requests that the product's API received.
    sent: Arc<AtomicU32>,
    /// Whether the product responds late.
    is_slow: Arc<AtomicBool>,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let clock = world.process(0);
        let (sent, is_slow) = (Arc::<AtomicU32>::default(), Arc::<AtomicBool>::default());
        let (counted, slow) = (Arc::clone(&sent), Arc::clone(&is_slow));
        let timer = world.process(0);
        let transport: Arc<dyn Transport> = Responses::by(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            let seconds = if slow.load(Ordering::SeqCst) { 20 } else { 0 };
            let late = timer.sleep(Duration::from_secs(seconds));
            async move {
                late.await;
                Ok(response(200, "{}"))
            }
        });
        let store = Flaky::new(world.process(0));
        store.share();
        let (hangs, timer) = (Arc::<AtomicBool>::default(), world.process(0));
        let hanging = Arc::clone(&hangs);
        store.script(move |asked| {
            let waits = !matches!(asked, Asked::Prune | Asked::Time);
            let (hangs, clock) = (Arc::clone(&hanging), Arc::clone(&timer));
            async move {
                while waits && hangs.load(Ordering::SeqCst) {
                    clock.sleep(Duration::from_millis(100)).await;
                }
                Ok(())
            }
        });
        let context = world.open(0, &PRODUCT, transport, &store);
        world.run(insert_account(&context, AccountState::Active));
        Self {
            world,
            clock,
            hangs,
            context,
            sent,
            is_slow,
        }
    }

    fn hangs(&self, hangs: bool) {
        self.hangs.store(hangs, Ordering::SeqCst);
    }

    fn sent(&self) -> u32 {
        self.sent.load(Ordering::SeqCst)
    }

    /// How a call with this time limit ends. It must not end later.
    fn fails<T>(&self, timeout: Duration, call: impl AsyncFnOnce(&Context) -> Result<T>) -> Error {
        let (began, sent) = (self.clock.monotonic(), self.sent());
        let hurried = self.context.clone().within(timeout);
        let error = self.world.run(call(&hurried)).err();
        let error = error.expect("it takes longer than its caller waits");
        assert_eq!(self.clock.monotonic() - began, timeout, "{error}");
        assert_eq!(self.sent(), sent, "{error}");
        error
    }

    fn is_over<T>(&self, timeout: Duration, call: impl AsyncFnOnce(&Context) -> Result<T>) {
        let error = self.fails(timeout, call);
        assert_eq!(
            (error.kind(), error.act_by(), error.retryable()),
            (ErrorKind::DeadlineExceeded, ActBy::AppDeveloper, true),
            "{error}"
        );
    }
}

fn note() -> Value {
    json!({ "note_id": "1" })
}

async fn read(context: &Context) -> Result<()> {
    execute(context, "demo_read_note", request(note()))
        .await
        .map(drop)
}

async fn write(context: &Context) -> Result<()> {
    let written = request(json!({ "text": "new" }));
    execute(context, "demo_write_note", written).await.map(drop)
}

fn raw(method: &str) -> ProxyRequest {
    ProxyRequest::new("demo", "ada", method, "/v1/notes")
}

#[test]
fn an_expired_call_fails_immediately_and_uses_no_quota() {
    let stage = Stage::new();
    for _ in 0..50 {
        stage.is_over(Duration::ZERO, read);
        stage.is_over(Duration::ZERO, write);
        stage.is_over(Duration::ZERO, async |context: &Context| {
            send_raw(context, raw("GET")).await
        });
        stage.is_over(Duration::ZERO, async |context: &Context| {
            send_raw(context, raw("POST")).await
        });
        let mut keyed = raw("POST");
        keyed.idempotency_key = Some(String::from("key"));
        stage.is_over(Duration::ZERO, async |context: &Context| {
            send_raw(context, keyed).await
        });
    }
    stage.world.ok(read(&stage.context));
    // A request that was never sent doesn't use up the key.
    let mut keyed = raw("POST");
    keyed.idempotency_key = Some(String::from("key"));
    stage.world.ok(send_raw(&stage.context, keyed));
    assert_eq!(stage.sent(), 2);
}

#[test]
fn waiting_for_a_hanging_store_ends_with_the_callers_deadline() {
    let stage = Stage::new();
    stage.hangs(true);
    stage.is_over(WAITED, async |context: &Context| {
        access::authenticate(context, "unknown").await
    });
    stage.is_over(WAITED, read);
    stage.is_over(WAITED, write);
    stage.is_over(WAITED, async |context: &Context| {
        send_raw(context, raw("GET")).await
    });
    stage.is_over(WAITED, async |context: &Context| context.policies().await);
    let mut keyed = raw("POST");
    keyed.idempotency_key = Some(String::from("key"));
    stage.is_over(WAITED, async |context: &Context| {
        send_raw(context, keyed).await
    });
    stage.hangs(false);
    stage.world.ok(read(&stage.context));
}

#[test]
fn a_short_deadline_never_returns_outdated_data() {
    let stage = Stage::new();
    stage.world.ok(read(&stage.context));
    // No one has followed the feed for a while, so cached rows may be outdated.
    stage.world.advance(Duration::from_secs(30));
    stage.hangs(true);
    stage.is_over(Duration::from_millis(1), read);
    stage.is_over(Duration::from_millis(999), read);
}

#[test]
fn waiting_for_a_quota_slice_ends_with_the_callers_deadline() {
    let stage = Stage::new();
    stage.world.ok(read(&stage.context));
    // The part of the quota that needs no slice is soon used up.
    stage.hangs(true);
    let mut own = 1;
    let error = loop {
        let hurried = stage.context.clone().within(WAITED);
        match stage.world.run(read(&hurried)) {
            Ok(()) => own += 1,
            Err(error) => break error,
        }
    };
    assert!(own < PRODUCT.quota.units_per_minute, "{own}");
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
}

#[test]
fn waiting_for_an_endless_body_ends_with_the_callers_deadline() {
    let stage = Stage::new();
    stage.is_over(WAITED, async |context: &Context| {
        let never = futures_util::stream::pending::<Result<http_body::Frame<Bytes>, Error>>();
        let never = http_body_util::StreamBody::new(never);
        let body = http_body_util::Limited::new(never, 10);
        let mut request = http::Request::new(Body::stream(body));
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = "/v1/notes".parse().unwrap();
        stream_raw(context, "demo", "ada", request).await
    });
}

#[test]
fn a_slow_streamed_request_ends_with_the_callers_deadline() {
    let stage = Stage::new();
    stage.is_slow.store(true, Ordering::SeqCst);
    for (method, expected) in [
        (http::Method::GET, ErrorKind::ProductTimeout),
        (http::Method::POST, ErrorKind::OutcomeUnknown),
    ] {
        let mut request = http::Request::new(Body::Empty);
        *request.method_mut() = method;
        *request.uri_mut() = "/v1/notes".parse().unwrap();
        let hurried = stage.context.clone().within(WAITED);
        let began = stage.clock.monotonic();
        let sent = stream_raw(&hurried, "demo", "ada", request);
        let error = stage.world.run(sent).map(drop).unwrap_err();
        assert_eq!(error.kind(), expected, "{error}");
        assert_eq!(stage.clock.monotonic() - began, WAITED);
    }
    assert_eq!(stage.sent(), 2);
}

#[test]
fn waiting_for_an_idempotency_key_ends_with_the_callers_deadline() {
    let stage = Stage::new();
    stage.is_slow.store(true, Ordering::SeqCst);
    let keyed = || {
        let mut request = raw("POST");
        request.idempotency_key = Some(String::from("key"));
        request
    };
    let first = stage.context.clone();
    stage.clock.spawn(Box::pin(async move {
        drop(send_raw(&first, keyed()).await);
    }));
    stage.world.run_until_idle();
    stage.is_slow.store(false, Ordering::SeqCst);
    let error = stage.fails(WAITED, async |context: &Context| {
        send_raw(context, keyed()).await
    });
    assert_eq!(
        (error.kind(), error.retryable()),
        (ErrorKind::IdempotencyConflict, true)
    );
}
