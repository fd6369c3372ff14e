//! Random histories of one account: two processes on one store, an authorization server that misbehaves, processes that
//! die or stand still, tasks that interleave at every look at the store. What must hold is checked after every step of
//! every task.

mod seen;
mod server;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt as _;
use jiff::SignedDuration;
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;
use uuid::Uuid;

use crate::{
    Error, ErrorKind, Result, accounts, call, connections,
    context::Context,
    domain::{Account, AccountRef, Authorization, AuthorizationState, Credential},
    identifier::{AccountId, AuthorizationId},
    oauth::{self, Callback},
    ports::{Body, Runtime as _, TransportError, TransportErrorKind},
    product::{Product, Rotation},
    resource::{ExecuteRequest, NewAuthorizationLink, NewConnection},
    state::AccountState,
    store::Versioned,
    testing::{Flaky, Process, ROTATING, Responses, STABLE, STRICT, Sent, World, open, response},
};
use seen::Seen;
use server::{Fault, Server};

const NAME: &str = "demo";
const USER: &str = "ada";

fn user() -> AccountRef {
    AccountRef::new(NAME, USER).unwrap()
}
/// Life of an access token.
const LIFE: SignedDuration = SignedDuration::from_mins(10);

/// What happens. The number is that of a process.
#[derive(Debug, Clone)]
enum Act {
    Call(u32),
    Refresh(u32),
    Suspend(u32),
    Resume(u32),
    /// With revocation at the product, or without.
    Disconnect(u32, bool),
    /// The user goes through a link; the application confirms at once, or not yet.
    Authorize(u32, bool),
    /// The application confirms what waits longest.
    Verify(u32),
    /// The next answers of the token endpoint go wrong.
    Fault(Fault, usize),
    RevokeAtProduct,
    Kill(u32),
    /// A process stands still until the end of the scene.
    Freeze(u32),
}

/// Some acts at the same time, and how long it takes until the next.
type Scene = (Vec<Act>, Duration);

fn scenes() -> impl Strategy<Value = Vec<Scene>> {
    let process = || 0..2_u32;
    let faults = [
        Fault::Unavailable,
        Fault::LosesRequests,
        Fault::LosesResponses,
        Fault::RespondsIntoOutage,
    ];
    let act = prop_oneof![
        24 => process().prop_map(Act::Call),
        8 => process().prop_map(Act::Refresh),
        1 => process().prop_map(Act::Suspend),
        3 => process().prop_map(Act::Resume),
        2 => (process(), any::<bool>()).prop_map(|(process, revoke)| Act::Disconnect(process, revoke)),
        6 => (process(), prop::bool::weighted(0.6)).prop_map(|(process, verify)| Act::Authorize(process, verify)),
        5 => process().prop_map(Act::Verify),
        4 => (prop::sample::select(faults.to_vec()), 1..4_usize).prop_map(|(fault, times)| Act::Fault(fault, times)),
        1 => Just(Act::RevokeAtProduct),
        2 => process().prop_map(Act::Kill),
        1 => process().prop_map(Act::Freeze),
    ];
    // Short ones cut what goes on; long ones bring the access token to its last minutes, and past its end.
    let waits = [
        50, 200, 400, 2_000, 30_000, 61_000, 350_000, 350_000, 545_000, 545_000, 560_000, 700_000,
    ];
    let wait = prop::sample::select(waits.map(Duration::from_millis).to_vec());
    prop::collection::vec((prop::collection::vec(act, 1..6), wait), 1..25)
}

struct Model {
    world: World,
    product: &'static Product,
    server: Server,
    store: Arc<Flaky>,
    environments: Vec<Context>,
    account: AccountId,
    seen: Arc<Mutex<Seen>>,
    failures: Arc<Mutex<Vec<Error>>>,
    /// Authorizations that the application has yet to confirm; the oldest is the last.
    waiting: Arc<Mutex<Vec<AuthorizationId>>>,
}

impl Model {
    /// Two processes and an active account.
    fn new(product: &'static Product, seed: u64) -> Self {
        let world = World::seeded(seed);
        let store = Flaky::slow(world.process(9));
        let server = Server::new(product.oauth.rotation, world.process(9), Arc::clone(&store));
        let mut model = Self {
            world,
            product,
            server,
            store,
            environments: Vec::new(),
            account: AccountId::from_uuid(Uuid::nil()),
            seen: Arc::default(),
            failures: Arc::default(),
            waiting: Arc::default(),
        };
        model.environments = vec![model.open(0), model.open(1)];
        let context = model.environments[0].clone();
        model.world.run(connect(&context));
        model
            .world
            .run(authorize(
                context.clone(),
                model.server.clone(),
                true,
                Arc::default(),
            ))
            .unwrap();
        model.account = model
            .world
            .run(accounts::read(&context, &user()))
            .unwrap()
            .id;
        let (store, seen, account, server) = (
            Arc::clone(&model.store),
            Arc::clone(&model.seen),
            model.account,
            model.server.clone(),
        );
        model
            .world
            .watch(move || lock(&seen).look(&store, account, &server));
        model
    }

    fn open(&self, process: u32) -> Context {
        let server = self.server.clone();
        let transport = Responses::by(move |request| server.clone().respond(request));
        self.world.run(open(
            self.world.process(process),
            self.product,
            transport,
            Arc::clone(&self.store) as _,
        ))
    }

    fn play(&mut self, (acts, wait): &Scene) {
        acts.iter().for_each(|act| self.act(act));
        self.world.advance(*wait);
        (0..2).for_each(|process| self.world.freeze(process, false));
        self.check_failures();
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Call(process) => self.run(process, |it| async move { read_note(&it).await }),
            Act::Refresh(process) => self.run(process, |it| async move {
                accounts::refresh(&it, &user()).await.map(drop)
            }),
            Act::Suspend(process) => self.run(process, |it| async move {
                accounts::suspend(&it, &user()).await.map(drop)
            }),
            Act::Resume(process) => self.run(process, |it| async move {
                accounts::resume(&it, &user()).await.map(drop)
            }),
            Act::Disconnect(process, revoke) => {
                self.run(process, move |it| async move {
                    accounts::disconnect(&it, &user(), revoke).await.map(drop)
                });
            }
            Act::Authorize(process, verify) => {
                let (server, waiting) = (self.server.clone(), Arc::clone(&self.waiting));
                self.run(process, move |it| authorize(it, server, verify, waiting));
            }
            Act::Verify(process) => {
                let waiting = Arc::clone(&self.waiting);
                self.run(process, |it| async move {
                    let oldest = lock(&waiting).pop();
                    let Some(oldest) = oldest else { return Ok(()) };
                    oauth::verify(&it, &oldest.to_string(), USER)
                        .await
                        .map(drop)
                });
            }
            Act::Fault(fault, times) => self.server.state().faults = vec![fault; times],
            Act::RevokeAtProduct => self.server.revoke_all(),
            Act::Kill(process) => {
                let cut = self.row().lease.is_some();
                self.server.state().cut |= cut;
                self.server.state().killed = true;
                self.world.kill(process);
                self.environments[process as usize] = self.open(process);
            }
            Act::Freeze(process) => {
                self.world.freeze(process, true);
                self.server.state().froze = true;
            }
        }
    }

    /// Work of a process, which ends with it.
    fn run<W>(&self, process: u32, work: impl FnOnce(Context) -> W)
    where
        W: Future<Output = Result<()>> + Send + 'static,
    {
        let failures = Arc::clone(&self.failures);
        let work = work(self.environments[process as usize].clone());
        self.world.process(process).spawn(Box::pin(async move {
            if let Err(error) = work.await {
                lock(&failures).push(error);
            }
        }));
    }

    fn row(&self) -> Account {
        ready(self.store.rows().account(self.account)).unwrap().row
    }

    /// Whatever goes wrong has a reason outside.
    fn check_failures(&self) {
        use ErrorKind::{
            ConnectionNotReady, IntegrityViolated, Internal, KeyUnavailable, ProductProtocolError,
        };
        for error in lock(&self.failures).drain(..) {
            let ours = [
                Internal,
                IntegrityViolated,
                KeyUnavailable,
                ProductProtocolError,
                ConnectionNotReady,
            ];
            assert!(!ours.contains(&error.kind()), "{error:?}");
        }
    }

    /// Once the product is well again and leases and pauses are over, whoever can work does.
    fn end(&self) {
        self.server.state().faults.clear();
        self.world.advance(Duration::from_secs(1000));
        self.check_failures();
        for context in &self.environments {
            let was_active = self.row().state == AccountState::Active;
            let result = self.world.run(read_note(context));
            self.world.advance(Duration::from_secs(1));
            let row = self.row();
            if row.state != AccountState::Active {
                assert!(result.is_err() || was_active, "{row:?}");
                continue;
            }
            let tokens = self
                .world
                .run(context.tokens(&row, row.generation))
                .unwrap()
                .expect("an active account has tokens");
            let lives = self
                .server
                .lives(tokens.refresh_token().unwrap().expose_secret());
            assert!(
                lives || self.server.is_excuse(),
                "the newest refresh token is lost: {row:?}"
            );
            assert!(result.is_ok() || !lives, "{:?} {row:?}", result.err());
        }
    }
}

async fn connect(context: &Context) {
    let connection = NewConnection {
        connection_name: NAME.to_owned(),
        product: NAME.to_owned(),
        client_id: Some(String::from("client")),
        client_secret: Some(SecretString::from("secret")),
        ..NewConnection::default()
    };
    connections::create(context, connection).await.unwrap();
}

async fn read_note(context: &Context) -> Result<()> {
    let request = ExecuteRequest {
        connection_name: NAME.to_owned(),
        identifier: USER.to_owned(),
        input: serde_json::json!({ "note_id": "1" }),
        ..ExecuteRequest::default()
    };
    call::execute(context, "demo_read_note", request)
        .await
        .map(drop)
}

async fn authorize(
    context: Context,
    server: Server,
    verify: bool,
    waiting: Arc<Mutex<Vec<AuthorizationId>>>,
) -> Result<()> {
    let link = NewAuthorizationLink {
        connection_name: NAME.to_owned(),
        identifier: USER.to_owned(),
        verify_url: Some(String::from("https://app.test/back")),
        ..NewAuthorizationLink::default()
    };
    let link = oauth::create_link(&context, link).await?;
    let started = oauth::start(&context, link.link.rsplit('/').next().unwrap(), None).await?;
    let location = Url::parse(&started.location).unwrap();
    let mut query = location.query_pairs();
    let (_, state) = query.find(|(name, _)| name == "state").unwrap();
    let callback = Callback::from_query(&format!("state={state}&code={}", server.consent()));
    let connection = connections::read(&context, NAME).await?.id.to_string();
    let cookie = started.browser.expose_secret().to_owned();
    oauth::finish(&context, &connection, callback, |_| Some(cookie)).await?;
    if !verify {
        lock(&waiting).insert(0, link.authorization_id);
        return Ok(());
    }
    oauth::verify(&context, &link.authorization_id.to_string(), USER)
        .await
        .map(drop)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A failed assertion must not hide behind a second panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ready<T>(future: impl Future<Output = Result<T>>) -> T {
    future
        .now_or_never()
        .expect("the rows are at hand")
        .unwrap()
}

/// The same histories in every run; `PROPTEST_CASES` asks for more.
fn histories(product: &'static Product) {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let cases = config.cases;
    let mut runner = TestRunner::new_with_rng(config, rng);
    let reached = std::cell::RefCell::new([0; 5]);
    let result = runner.run(&(scenes(), any::<u64>()), |(scenes, seed)| {
        let mut model = Model::new(product, seed);
        scenes.iter().for_each(|scene| model.play(scene));
        model.end();
        let (server, seen) = (model.server.state(), lock(&model.seen));
        let disconnects = u32::from(!seen.ended.is_empty());
        let counts = [
            server.refreshes,
            server.refusals,
            server.lost_responses,
            seen.changes,
            disconnects,
        ];
        reached
            .borrow_mut()
            .iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let reached = reached.into_inner();
    assert!(
        reached.iter().all(|sum| *sum > cases / 4),
        "the histories reach too little: {reached:?}"
    );
}

#[test]
fn no_history_of_a_stable_grant_loses_an_account() {
    histories(&STABLE);
}

#[test]
fn no_history_of_a_rotating_grant_loses_an_account_without_a_reason() {
    histories(&ROTATING);
}

#[test]
fn no_history_of_a_strict_grant_uses_a_refresh_token_twice_without_a_reason() {
    histories(&STRICT);
}

/// Short histories that random ones seldom reach.
#[test]
fn an_account_has_one_grant_at_a_time() {
    let second = Duration::from_secs(1);
    let under_way = Duration::from_millis(200);
    let histories: [&[Scene]; 5] = [
        // Two links are opened, and both are confirmed.
        &[
            (
                vec![Act::Authorize(0, false), Act::Authorize(1, false)],
                second,
            ),
            (vec![Act::Verify(0), Act::Verify(1)], second),
        ],
        // The credential in use is refreshed twice while another waits.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Refresh(0)], second),
            (vec![Act::Refresh(1)], second),
            (vec![Act::Verify(0)], second),
            (vec![Act::Refresh(0)], second),
            (vec![Act::Refresh(1)], second),
        ],
        // The response to a refresh comes after another grant has taken the place.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Refresh(0)], under_way),
            (vec![Act::Verify(1)], second),
            (vec![Act::Refresh(0)], second),
        ],
        // What waited at a disconnect is confirmed after the account was revived.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Disconnect(1, false)], second),
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Verify(0)], second),
            (vec![Act::Verify(0)], second),
        ],
        // The response to a refresh comes after a disconnect and a new link.
        &[
            (vec![Act::Refresh(0)], under_way),
            (vec![Act::Disconnect(1, true)], Duration::from_millis(20)),
            (vec![Act::Authorize(1, false)], second),
            (vec![Act::Verify(0)], second),
        ],
    ];
    for product in [&STABLE, &ROTATING, &STRICT] {
        for (history, seed) in histories
            .into_iter()
            .flat_map(|history| (0..8).map(move |seed| (history, seed)))
        {
            let mut model = Model::new(product, seed);
            history.iter().for_each(|scene| model.play(scene));
            model.end();
            assert_eq!(model.row().state, AccountState::Active, "{history:?}");
        }
    }
}
