//! Doubles for the tests of this crate: a single-threaded world whose time advances only when nothing else can run,
//! numbers for randomness, a transport made of a closure, a store that can be slow or unavailable, and a small product.

#![expect(
    clippy::unwrap_used,
    reason = "a double that cannot be made fails its test"
)]
#![cfg_attr(
    not(test),
    expect(
        dead_code,
        unused_imports,
        reason = "the simulation by itself needs a part of them"
    )
)]

mod readings;
mod spool;
mod store;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Result,
    catalogue::Catalogue,
    connections,
    context::TokenSet,
    context::{Context, EnvironmentOptions, Ports},
    domain::account::new_account,
    domain::{Account, Credential, Execution},
    identifier::{AccountId, ConnectionId, ExecutionId, Identifier},
    maintenance, oauth,
    ports::{AllowAll, Body, BoxFuture, Policy, Spool, Transport, TransportError},
    product::{OAuth, Origin, Permissions, Product, Rotation},
    resource::NewConnection,
    seal::KeyRing,
    state::AccountState,
    store::{Batch, Commit, MemoryStore, Search, Store},
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};
pub(crate) use readings::{Mode, Readings};
pub(crate) use spool::Machine;
pub(crate) use store::{Asked, Flaky, Outage};
pub(crate) use world::{Clock, Numbers, Process, World};

/// The start of simulated time.
pub(crate) const START: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// A key ring of one key.
pub(crate) const RING: &str = "test:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

/// The result of a request.
pub(crate) type Sent = Result<http::Response<Body>, TransportError>;

/// A transport made of a closure.
pub(crate) struct Responses(
    Box<dyn Fn(http::Request<Body>) -> BoxFuture<'static, Sent> + Send + Sync>,
);

impl Responses {
    pub(crate) fn by<A>(
        respond: impl Fn(http::Request<Body>) -> A + Send + Sync + 'static,
    ) -> Arc<dyn Transport>
    where
        A: Future<Output = Sent> + Send + 'static,
    {
        Arc::new(Self(Box::new(move |request| Box::pin(respond(request)))))
    }
}

impl Transport for Responses {
    fn send(&self, request: http::Request<Body>) -> BoxFuture<'_, Sent> {
        (self.0)(request)
    }
}

/// A transport that gives the same response to every request.
pub(crate) fn always(status: u16, body: &'static str) -> Arc<dyn Transport> {
    Responses::by(move |_| std::future::ready(Ok(response(status, body))))
}

pub(crate) fn response(status: u16, body: impl Into<Vec<u8>>) -> http::Response<Body> {
    let mut response = http::Response::new(Body::from(body.into()));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap();
    response
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
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        Ok(io
            .send(ApiRequest::get(["notes", &self.note_id]))
            .await?
            .into())
    }
}

/// A product whose refresh tokens stay the same.
pub(crate) static STABLE: Product = demo(Rotation::Stable);
/// A product whose refresh tokens work once.
pub(crate) static ROTATING: Product = demo(Rotation::Rotating);
/// A product that revokes a grant if a refresh token is used twice.
pub(crate) static STRICT: Product = demo(Rotation::Strict);

pub(crate) const fn demo(rotation: Rotation) -> Product {
    Product {
        name: "demo",
        title: "Demo",
        origins: &[Origin {
            name: "api",
            url: "https://api.demo.test",
            base: "/v1",
        }],
        token_prefixes: &["demo-token."],
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

/// A context of one process with its own store.
pub(crate) fn context(
    world: &World,
    product: &'static Product,
    transport: Arc<dyn Transport>,
) -> Context {
    context_with(world, product, transport, Arc::new(AllowAll))
}

/// The same with a policy.
pub(crate) fn context_with(
    world: &World,
    product: &'static Product,
    transport: Arc<dyn Transport>,
    policy: Arc<dyn Policy>,
) -> Context {
    let store = Arc::new(MemoryStore::new(world.process(0)));
    world.run(open_with(
        world.process(0),
        product,
        transport,
        store,
        policy,
    ))
}

impl World {
    /// A context of this process on this store.
    pub(crate) fn open<S: Store + 'static>(
        &self,
        process: u32,
        product: &'static Product,
        transport: Arc<dyn Transport>,
        store: &Arc<S>,
    ) -> Context {
        let (process, store) = (self.process(process), Arc::clone(store));
        let policy = Arc::new(AllowAll);
        self.run(open_with(process, product, transport, store, policy))
    }

    /// A context of process 0 with its own options, and without background work.
    pub(crate) fn configured<S: Store + 'static>(
        &self,
        store: &Arc<S>,
        product: &'static Product,
        transport: Arc<dyn Transport>,
        set: impl FnOnce(&mut EnvironmentOptions),
    ) -> Result<Context> {
        let mut options = EnvironmentOptions::new("https://stead.test").unwrap();
        set(&mut options);
        let ports = ports(self.process(0), transport, Arc::clone(store) as _);
        self.run(Context::open(options, Catalogue::new([product]), ports))
    }

    /// A store in memory.
    pub(crate) fn store(&self) -> Arc<MemoryStore> {
        Arc::new(MemoryStore::new(self.process(0)))
    }
}

/// The same with a spool.
pub(crate) async fn open_spooled(
    process: Arc<Process>,
    product: &'static Product,
    transport: Arc<dyn Transport>,
    store: Arc<dyn Store>,
    spool: Arc<dyn Spool>,
) -> Context {
    let mut ports = ports(process, transport, store);
    ports.spool = Some(spool);
    let context = idle(product, ports).await;
    oauth::replay_spool(&context).await;
    maintenance::start(&context);
    context
}

async fn open_with(
    process: Arc<Process>,
    product: &'static Product,
    transport: Arc<dyn Transport>,
    store: Arc<dyn Store>,
    policy: Arc<dyn Policy>,
) -> Context {
    let mut ports = ports(process, transport, store);
    ports.policy = policy;
    let context = idle(product, ports).await;
    oauth::replay_spool(&context).await;
    maintenance::start(&context);
    context
}

pub(crate) fn ports(
    process: Arc<Process>,
    transport: Arc<dyn Transport>,
    store: Arc<dyn Store>,
) -> Ports {
    let keys = KeyRing::from_text(RING).unwrap();
    let entropy = process.numbers();
    Ports::new(transport, process, entropy, store, keys)
}

/// A context without background work.
pub(crate) async fn idle(product: &'static Product, ports: Ports) -> Context {
    let options = EnvironmentOptions::new("https://stead.test").unwrap();
    Context::open(options, Catalogue::new([product]), ports)
        .await
        .unwrap()
}

/// An account with this number as its ID, which was never authorized.
pub(crate) fn account(number: u128, identifier: &str) -> Account {
    new_account(
        AccountId::from_uuid(Uuid::from_u128(number)),
        ConnectionId::from_uuid(Uuid::from_u128(1)),
        Identifier::new(identifier).unwrap(),
        START,
    )
}

/// A record of a call with this number as its ID.
pub(crate) fn execution(number: u128, identifier: &str, started_at: Timestamp) -> Execution {
    Execution {
        id: ExecutionId::from_uuid(Uuid::from_u128(number)),
        tool: "demo_read_note".into(),
        tool_version: "".into(),
        changes: false,
        account_id: None,
        connection_name: String::from("demo"),
        identifier: identifier.to_owned(),
        actor: None,
        started_at,
        duration_micros: 0,
        outcome: "ok".into(),
        requests: 0,
        path: None,
        product_status: None,
        trace_id: None,
    }
}

/// All stored executions, newest first.
pub(crate) async fn executions(context: &Context) -> Vec<Execution> {
    let search = Search::default();
    let all = context
        .store
        .executions(&search, None, usize::MAX, || false)
        .await;
    all.unwrap().0
}

/// Inserts the account `ada` of a new connection `demo`, in this state. An active one has the access token `token-1`.
pub(crate) async fn insert_account(context: &Context, state: AccountState) -> Account {
    insert_account_of(context, "demo", "demo", state).await
}

/// The same for a connection with this name and product.
pub(crate) async fn insert_account_of(
    context: &Context,
    name: &str,
    product: &str,
    state: AccountState,
) -> Account {
    let connection = NewConnection::new(name, product).client("client", "secret");
    let connection = connections::create(context, connection).await.unwrap().id;
    insert_account_at(context, connection, "ada", state).await
}

/// The same for a user of an existing connection.
pub(crate) async fn insert_account_at(
    context: &Context,
    connection: ConnectionId,
    identifier: &str,
    state: AccountState,
) -> Account {
    let (id, identifier) = (
        AccountId::from_uuid(context.host.new_id()),
        Identifier::new(identifier).unwrap(),
    );
    let account = Account {
        state,
        generation: 1,
        last_generation: 1,
        ..new_account(id, connection, identifier, START)
    };
    let tokens = TokenSet::new("token-1".into(), None, None);
    let sealed = (state == AccountState::Active)
        .then(|| tokens.seal(&context.store.vault, &account, 1).unwrap());
    let credential = Credential {
        account_id: id,
        generation: 1,
        sealed,
        pending_for: None,
        client_epoch: 0,
        sent_at: None,
        created_at: START,
        extra: Default::default(),
    };
    let batch = Batch::new().insert(account.clone()).insert(credential);
    assert_eq!(
        context.store.commit(batch).await.unwrap(),
        Commit::Committed
    );
    account
}
