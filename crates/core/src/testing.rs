//! Doubles for the tests of this crate: a world of one thread whose time moves only when nothing else can, numbers for
//! randomness, a transport made of a closure, a store whose commits can be made to fail, and a small product.

#![expect(clippy::unwrap_used, reason = "a double that cannot be made fails its test")]

use std::{
    collections::BTreeSet,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use futures_util::future::poll_fn;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Error, ErrorKind, Result,
    catalogue::Catalogue,
    environment::{Environment, EnvironmentOptions, Ports},
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, EventId, ExecutionId, Identifier,
    },
    ports::{Body, BoxFuture, Entropy, Runtime, Transport, TransportError},
    product::{OAuth, Origin, Permissions, Product, Rotation},
    seal::KeyRing,
    store::{
        AccessTokenRow, AccountRow, AppCredentialRow, AuthorizationRow, Batch, Commit,
        ConnectionRow, CredentialRow, DataKeyRow, EventRow, ExecutionRow, Fingerprint,
        Horizon, MemoryStore, OutboxRow, Store, Versioned,
    },
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};

/// Where time starts.
pub(crate) const START: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// A key ring of one key.
pub(crate) const RING: &str = "test:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

/// Time and tasks of some processes, on one thread. Clones share everything.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<State>>);

type Watch = Arc<dyn Fn() + Send + Sync>;

struct State {
    elapsed: Duration,
    sleepers: Vec<(Duration, Waker)>,
    tasks: Vec<Task>,
    /// Processes that stand still.
    frozen: BTreeSet<u32>,
    /// Chooses which of several tasks goes on.
    choice: u64,
    /// How many draw numbers in this world.
    draws: u64,
    watch: Option<Watch>,
}

struct Task {
    process: u32,
    future: BoxFuture<'static, ()>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Woken {
    fn now() -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(true)))
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::seeded(0)
    }

    /// Of several tasks that can go on, the seed chooses which one does.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            elapsed: Duration::ZERO,
            sleepers: Vec::new(),
            tasks: Vec::new(),
            frozen: BTreeSet::new(),
            choice: seed,
            draws: 0,
            watch: None,
        })))
    }

    /// Looks on after every step of every task.
    pub(crate) fn watch(&self, watch: impl Fn() + Send + Sync + 'static) {
        self.lock().watch = Some(Arc::new(watch));
    }

    pub(crate) fn process(&self, id: u32) -> Arc<Process> {
        Arc::new(Process {
            world: self.clone(),
            id,
        })
    }

    /// Numbers that nobody else in this world draws.
    pub(crate) fn numbers(&self) -> Arc<Numbers> {
        let mut state = self.lock();
        state.draws += 1;
        Numbers::seeded(state.draws)
    }

    /// Stops a process between two of its steps, or lets it go on.
    pub(crate) fn freeze(&self, process: u32, frozen: bool) {
        let mut state = self.lock();
        if frozen {
            state.frozen.insert(process);
        } else {
            state.frozen.remove(&process);
        }
    }

    /// Ends a process between two of its steps.
    pub(crate) fn kill(&self, process: u32) {
        let mut state = self.lock();
        let (dead, alive) = std::mem::take(&mut state.tasks)
            .into_iter()
            .partition(|task: &Task| task.process == process);
        state.tasks = alive;
        drop(state);
        // Dropping a task can wake others, which needs the lock.
        drop::<Vec<Task>>(dead);
    }

    /// Runs a future to its end with everything that it waits for.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let woken = Woken::now();
        let waker = Waker::from(Arc::clone(&woken));
        let end = self.lock().elapsed + Duration::from_secs(86_400);
        loop {
            if woken.0.swap(false, Ordering::SeqCst) {
                if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return value;
                }
            } else if !self.step() {
                let next = self.next_sleeper().expect("a future waits for nothing");
                assert!(next < end, "a future takes more than a day");
                self.wake_until(next);
            }
        }
    }

    /// Runs all tasks until each of them waits for time to pass.
    pub(crate) fn settle(&self) {
        while self.step() {}
    }

    /// Lets time pass, and everything happen that happens in it.
    pub(crate) fn advance(&self, duration: Duration) {
        let end = self.lock().elapsed + duration;
        self.settle();
        while let Some(next) = self.next_sleeper().filter(|next| *next <= end) {
            self.wake_until(next);
            self.settle();
        }
        self.wake_until(end);
        self.settle();
    }

    /// Polls one task that can go on; `false` where there is none.
    fn step(&self) -> bool {
        let mut state = self.lock();
        let ready: Vec<usize> = (0..state.tasks.len())
            .filter(|index| state.tasks[*index].woken.0.load(Ordering::SeqCst))
            .filter(|index| !state.frozen.contains(&state.tasks[*index].process))
            .collect();
        if ready.is_empty() {
            return false;
        }
        let chosen = ready[(mixed(&mut state.choice) % ready.len() as u64) as usize];
        let mut task = state.tasks.swap_remove(chosen);
        drop(state);
        task.woken.0.store(false, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(&task.woken));
        if task
            .future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
        {
            self.lock().tasks.push(task);
        }
        let watch = self.lock().watch.clone();
        if let Some(watch) = watch {
            watch();
        }
        true
    }

    fn next_sleeper(&self) -> Option<Duration> {
        self.lock().sleepers.iter().map(|(until, _)| *until).min()
    }

    fn wake_until(&self, time: Duration) {
        let mut state = self.lock();
        state.elapsed = state.elapsed.max(time);
        let (due, later) = std::mem::take(&mut state.sleepers)
            .into_iter()
            .partition(|(until, _): &(Duration, Waker)| *until <= time);
        state.sleepers = later;
        drop(state);
        due.into_iter().for_each(|(_, waker)| waker.wake());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One process of a world.
pub(crate) struct Process {
    world: World,
    id: u32,
}

impl Runtime for Process {
    fn now(&self) -> Timestamp {
        START + self.monotonic()
    }
    fn monotonic(&self) -> Duration {
        self.world.lock().elapsed
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let world = self.world.clone();
        let until = self.monotonic() + duration;
        Box::pin(poll_fn(move |context| {
            let mut state = world.lock();
            if state.elapsed >= until {
                return Poll::Ready(());
            }
            state.sleepers.push((until, context.waker().clone()));
            Poll::Pending
        }))
    }
    fn spawn(&self, future: BoxFuture<'static, ()>) {
        self.world.lock().tasks.push(Task {
            process: self.id,
            future,
            woken: Woken::now(),
        });
    }
}

/// Numbers that do not repeat and are the same in every run.
#[derive(Default)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    pub(crate) fn seeded(seed: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(seed)))
    }
}

impl Entropy for Numbers {
    fn fill(&self, buffer: &mut [u8]) {
        let mut state = self.0.fetch_add(1 << 32, Ordering::SeqCst);
        for chunk in buffer.chunks_mut(8) {
            chunk.copy_from_slice(&mixed(&mut state).to_be_bytes()[..chunk.len()]);
        }
    }
}

/// The generator splitmix64.
pub(crate) fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

type Sent = Result<http::Response<Body>, TransportError>;

/// A transport made of a closure.
pub(crate) struct Answers(Box<dyn Fn(http::Request<Body>) -> BoxFuture<'static, Sent> + Send + Sync>);

impl Answers {
    pub(crate) fn by<A>(answer: impl Fn(http::Request<Body>) -> A + Send + Sync + 'static) -> Arc<dyn Transport>
    where
        A: Future<Output = Sent> + Send + 'static,
    {
        Arc::new(Self(Box::new(move |request| Box::pin(answer(request)))))
    }
}

impl Transport for Answers {
    fn send(&self, request: http::Request<Body>) -> BoxFuture<'_, Sent> {
        (self.0)(request)
    }
}

/// A transport that gives the same answer to every request.
pub(crate) fn always(status: u16, body: &'static str) -> Arc<dyn Transport> {
    Answers::by(move |_| std::future::ready(Ok(response(status, body))))
}

pub(crate) fn response(status: u16, body: impl Into<Vec<u8>>) -> http::Response<Body> {
    let mut response = http::Response::new(Body::from(body.into()));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap();
    response
}

/// A store that can be down, and that lets others go on before it answers where it is slow.
pub(crate) struct Flaky {
    rows: MemoryStore,
    slow: bool,
    down: AtomicBool,
}

impl Flaky {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self { rows: MemoryStore::new(runtime), slow: false, down: AtomicBool::new(false) })
    }

    pub(crate) fn slow(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self { rows: MemoryStore::new(runtime), slow: true, down: AtomicBool::new(false) })
    }

    /// Writes fail while the store is down.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// The rows, without waiting.
    pub(crate) fn rows(&self) -> &MemoryStore {
        &self.rows
    }

    async fn pause(&self) {
        let mut waited = !self.slow;
        poll_fn(|context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    fn up(&self) -> Result<()> {
        let down = self.down.load(Ordering::SeqCst);
        if down { Err(Error::new(ErrorKind::StorageUnavailable, "the store is down")) } else { Ok(()) }
    }
}

macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => { $(
        fn $name<'a>(&'a self $(, $argument: $type)*) -> BoxFuture<'a, Result<$answer>> {
            Box::pin(async move {
                self.pause().await;
                self.rows.$name($($argument),*).await
            })
        }
    )+ };
}

type One<T> = Option<Versioned<T>>;
type Many<T> = Vec<Versioned<T>>;

impl Store for Flaky {
    delegate! {
        now() -> Timestamp;
        connection(id: ConnectionId) -> One<ConnectionRow>;
        connection_named(name: &'a ConnectionName) -> One<ConnectionRow>;
        connections(after: Option<&'a str>, limit: u32) -> Many<ConnectionRow>;
        account(id: AccountId) -> One<AccountRow>;
        account_of(connection: ConnectionId, identifier: &'a Identifier) -> One<AccountRow>;
        accounts(connection: Option<ConnectionId>, after: Option<AccountId>, limit: u32) -> Many<AccountRow>;
        credential(account: AccountId, generation: u64) -> One<CredentialRow>;
        credentials(account: AccountId) -> Many<CredentialRow>;
        authorization(id: AuthorizationId) -> One<AuthorizationRow>;
        authorization_by_link(link: &'a Fingerprint) -> One<AuthorizationRow>;
        authorization_by_state(state: &'a Fingerprint) -> One<AuthorizationRow>;
        authorizations(account: AccountId, limit: u32) -> Many<AuthorizationRow>;
        overdue_authorizations(now: Timestamp, limit: u32) -> Many<AuthorizationRow>;
        app_credential(client_id: &'a str) -> One<AppCredentialRow>;
        app_credentials() -> Many<AppCredentialRow>;
        access_token(token: &'a Fingerprint) -> One<AccessTokenRow>;
        data_keys() -> Many<DataKeyRow>;
        executions(after: Option<ExecutionId>, limit: u32) -> Many<ExecutionRow>;
        events(after: Option<EventId>, limit: u32) -> Many<EventRow>;
        due(now: Timestamp, limit: u32) -> Many<OutboxRow>;
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            self.pause().await;
            self.up()?;
            self.rows.commit(batch).await
        })
    }

    fn prune(&self, horizon: &Horizon, limit: u32) -> BoxFuture<'_, Result<u64>> {
        let horizon = *horizon;
        Box::pin(async move {
            self.pause().await;
            self.up()?;
            self.rows.prune(&horizon, limit).await
        })
    }
}

/// Read one note.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadNote {
    /// Note to read.
    pub(crate) note_id: String,
}

impl Tool for ReadNote {
    const NAME: &'static str = "demo_read_note";
    const EFFECT: Effect = Effect::Read;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        Ok(io.send(ApiRequest::get(["notes", &self.note_id])).await?.into())
    }
}

/// A product whose refresh tokens stay.
pub(crate) static STABLE: Product = demo(Rotation::Stable);
/// A product whose refresh tokens serve once.
pub(crate) static ROTATING: Product = demo(Rotation::Rotating);
/// A product that ends a grant when a refresh token is used twice.
pub(crate) static STRICT: Product = demo(Rotation::Strict);

const fn demo(rotation: Rotation) -> Product {
    Product {
        name: "demo",
        title: "Demo",
        origins: &[Origin {
            name: "api",
            url: "https://api.demo.test",
            base: "/v1",
        }],
        oauth: OAuth {
            authorize: "https://login.demo.test/authorize",
            token: "https://login.demo.test/token",
            revoke: Some("https://login.demo.test/revoke"),
            permissions: Permissions::Scopes {
                always: &[],
                default: &["notes"],
            },
            rotation,
            ..OAuth::BASE
        },
        tools: const { &[ToolEntry::of::<ReadNote>()] },
        ..Product::BASE
    }
}

/// An environment of one process over a store of its own.
pub(crate) fn environment(
    world: &World,
    product: &'static Product,
    transport: Arc<dyn Transport>,
) -> Environment {
    let store = Arc::new(MemoryStore::new(world.process(0)));
    world.run(open(world.process(0), product, transport, store))
}

/// An environment of this process over this store.
pub(crate) async fn open(
    process: Arc<Process>,
    product: &'static Product,
    transport: Arc<dyn Transport>,
    store: Arc<dyn Store>,
) -> Environment {
    let keys = KeyRing::from_text(RING).unwrap();
    let entropy = process.world.numbers();
    let ports = Ports::new(transport, process, entropy, store, keys);
    let options = EnvironmentOptions::new("https://stead.test").unwrap();
    Environment::open(options, Catalogue::new([product]), ports)
        .await
        .unwrap()
}
