//! Random histories of one account: two processes on one store, an authorization server that misbehaves, processes that
//! die, tasks that interleave at every look at the store. What must hold is checked after every step of every task.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::FutureExt as _;
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use url::Url;

use super::*;
use crate::{
    identifier::AuthorizationId,
    oauth::Callback,
    ports::{Body, Runtime as _, TransportError, TransportErrorKind},
    product::Product,
    resource::{ExecuteRequest, NewAuthorizationLink, NewConnection},
    store::{AuthorizationRow, AuthorizationState, Store as _},
    testing::{Answers, Process, ROTATING, STABLE, STRICT, Flaky, World, open, response},
};

const NAME: &str = "demo";
const USER: &str = "ada";
/// Life of an access token.
const LIFE: i64 = 600;

/// What somebody does.
#[derive(Debug, Clone)]
enum Act {
    Call(usize),
    Refresh(usize),
    Suspend(usize),
    Resume(usize),
    Disconnect(usize, bool),
    /// The user goes through a link; the application confirms at once, or not yet.
    Authorize(usize, bool),
    /// The application confirms what waits longest.
    Verify(usize),
    /// The next answers of the token endpoint go wrong.
    Fault(Fault, u32),
    RevokeAtProduct,
    Kill(usize),
    /// A process stands still until the end of the scene.
    Freeze(usize),
}

/// How the token endpoint goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Unavailable,
    LosesRequests,
    LosesAnswers,
    /// It answers, and then the store is down for a while.
    AnswersIntoOutage,
}

/// Some acts at the same time, and how long it takes until the next.
type Scene = (Vec<Act>, Duration);

fn scenes() -> impl Strategy<Value = Vec<Scene>> {
    let process = || 0..2_usize;
    let faults = [Fault::Unavailable, Fault::LosesRequests, Fault::LosesAnswers, Fault::AnswersIntoOutage].to_vec();
    let act = prop_oneof![
        24 => process().prop_map(Act::Call),
        8 => process().prop_map(Act::Refresh),
        1 => process().prop_map(Act::Suspend),
        3 => process().prop_map(Act::Resume),
        2 => (process(), any::<bool>()).prop_map(|(process, revoke)| Act::Disconnect(process, revoke)),
        6 => (process(), prop::bool::weighted(0.6)).prop_map(|(process, verify)| Act::Authorize(process, verify)),
        5 => process().prop_map(Act::Verify),
        4 => (prop::sample::select(faults), 1..4_u32).prop_map(|(fault, times)| Act::Fault(fault, times)),
        1 => Just(Act::RevokeAtProduct),
        2 => process().prop_map(Act::Kill),
        1 => process().prop_map(Act::Freeze),
    ];
    // Short ones cut what goes on, long ones bring the access token to its last minutes, and past its end.
    let waits = [50, 200, 400, 2_000, 30_000, 61_000, 350_000, 350_000, 545_000, 545_000, 560_000, 700_000];
    let wait = prop::sample::select(waits.map(Duration::from_millis).to_vec());
    prop::collection::vec((prop::collection::vec(act, 1..6), wait), 1..25)
}

/// The product: its authorization server and one note.
#[derive(Clone)]
struct Server {
    state: Arc<Mutex<ServerState>>,
    runtime: Arc<Process>,
    rotation: Rotation,
    store: Arc<Flaky>,
}

#[derive(Default)]
struct ServerState {
    grants: Vec<Grant>,
    /// Every refresh token ever issued, to its grant.
    refresh_tokens: BTreeMap<String, usize>,
    access_tokens: BTreeMap<String, (usize, Timestamp)>,
    /// Of the next answers of the token endpoint.
    faults: Vec<Fault>,
    in_flight: BTreeSet<String>,
    revocations: u32,
    refreshes: u32,
    refusals: u32,
    lost_answers: u32,
    /// Whether a process may have lost an answer.
    cut: bool,
    /// Whether a process stood still, perhaps for longer than its lease.
    froze: bool,
}

impl ServerState {
    /// Whether an account may need its user again.
    fn is_excuse(&self, rotation: Rotation) -> bool {
        self.revocations > 0 || (rotation != Rotation::Stable && (self.cut || self.froze || self.lost_answers > 0))
    }
}

#[derive(Default)]
struct Grant {
    dead: bool,
    refresh_token: String,
}

/// One refresh on its way; a process that dies ends it.
struct InFlight(Server, String);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.state().in_flight.remove(&self.1);
    }
}

type Sent = Result<http::Response<Body>, TransportError>;

impl Server {
    fn state(&self) -> std::sync::MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user consents: a code for a new grant.
    fn consent(&self) -> String {
        let mut state = self.state();
        state.grants.push(Grant::default());
        format!("code-{}", state.grants.len() - 1)
    }

    async fn answer(self, request: http::Request<Body>) -> Sent {
        let (head, body) = request.into_parts();
        let body = body.collect(10_000).await?;
        let form: BTreeMap<String, String> = url::form_urlencoded::parse(&body).into_owned().collect();
        match head.uri.path() {
            "/token" => self.token(&form).await,
            "/revoke" => {
                self.revoke(&form["token"]);
                Ok(response(200, ""))
            }
            _ => {
                self.runtime.sleep(Duration::from_millis(20)).await;
                let bearer = head.headers["authorization"].to_str().unwrap().trim_start_matches("Bearer ").to_owned();
                let state = self.state();
                let good = state.access_tokens.get(&bearer).is_some_and(|(grant, end)| !state.grants[*grant].dead && *end > self.runtime.now());
                Ok(if good { response(200, "{}") } else { response(401, "{}") })
            }
        }
    }

    async fn token(self, form: &BTreeMap<String, String>) -> Sent {
        let token = form.get("refresh_token").cloned();
        let flight = token.clone().map(|token| {
            let mut state = self.state();
            assert!(state.in_flight.insert(token.clone()) || state.froze, "two refreshes with one token at the same time");
            drop(state);
            InFlight(self.clone(), token)
        });
        self.runtime.sleep(Duration::from_millis(150)).await;
        let fault = self.state().faults.pop();
        let cut = || Err(TransportError::new(TransportErrorKind::Cut, "cut"));
        let answer = match (fault, token) {
            (Some(Fault::Unavailable), _) => response(503, "try later"),
            (Some(Fault::LosesRequests), _) => return cut(),
            (_, Some(token)) => self.refresh(&token),
            (_, None) => {
                let grant = form["code"].trim_start_matches("code-").parse().unwrap();
                self.issue(grant)
            }
        };
        self.runtime.sleep(Duration::from_millis(150)).await;
        drop(flight);
        if fault == Some(Fault::LosesAnswers) {
            self.state().lost_answers += 1;
            return cut();
        }
        if fault == Some(Fault::AnswersIntoOutage) {
            self.store.set_down(true);
            let (store, over) = (Arc::clone(&self.store), self.runtime.sleep(Duration::from_secs(10)));
            self.runtime.spawn(Box::pin(async move {
                over.await;
                store.set_down(false);
            }));
        }
        Ok(answer)
    }

    fn refresh(&self, token: &str) -> http::Response<Body> {
        let mut state = self.state();
        state.refreshes += 1;
        let grant = state.refresh_tokens[token];
        let current = state.grants[grant].refresh_token == token;
        if !current && self.rotation == Rotation::Strict {
            state.grants[grant].dead = true;
        }
        let good = current && !state.grants[grant].dead;
        drop(state);
        if good {
            return self.issue(grant);
        }
        self.state().refusals += 1;
        response(400, r#"{"error":"invalid_grant"}"#)
    }

    fn issue(&self, grant: usize) -> http::Response<Body> {
        let mut state = self.state();
        let number = state.access_tokens.len();
        let first = state.grants[grant].refresh_token.is_empty();
        if first || self.rotation != Rotation::Stable {
            let token = format!("refresh-{number}");
            state.grants[grant].refresh_token.clone_from(&token);
            state.refresh_tokens.insert(token, grant);
        }
        let access = format!("access-{number}");
        state.access_tokens.insert(access.clone(), (grant, self.runtime.now() + SignedDuration::from_secs(LIFE)));
        let mut answer = serde_json::json!({ "access_token": access, "expires_in": LIFE });
        if first || self.rotation != Rotation::Stable {
            answer["refresh_token"] = state.grants[grant].refresh_token.as_str().into();
        }
        response(200, answer.to_string())
    }

    fn revoke(&self, token: &str) {
        let mut state = self.state();
        state.revocations += 1;
        let by_access = state.access_tokens.get(token).map(|(grant, _)| *grant);
        if let Some(grant) = state.refresh_tokens.get(token).copied().or(by_access) {
            state.grants[grant].dead = true;
        }
    }

    fn lives(&self, refresh_token: &str) -> bool {
        let state = self.state();
        state.refresh_tokens.get(refresh_token).is_some_and(|grant| !state.grants[*grant].dead && state.grants[*grant].refresh_token == refresh_token)
    }
}

/// What is known of the account from watching it.
#[derive(Default)]
struct Seen {
    account: Option<AccountRow>,
    /// The generation that was current before.
    previous: u64,
    /// Generations that were current and are no more.
    left: BTreeSet<u64>,
    /// Authorizations that were completed before the last disconnect.
    ended: BTreeSet<AuthorizationId>,
    /// Authorizations that waited to be confirmed at a disconnect.
    cut_off: BTreeSet<AuthorizationId>,
    changes: u32,
}

struct Model {
    world: World,
    product: &'static Product,
    server: Server,
    store: Arc<Flaky>,
    environments: Vec<Environment>,
    account: AccountId,
    seen: Arc<Mutex<Seen>>,
    failures: Arc<Mutex<Vec<Error>>>,
    waiting: Arc<Mutex<Vec<AuthorizationId>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ready<T>(future: BoxFuture<'_, Result<T>>) -> T {
    future.now_or_never().expect("the rows are at hand").unwrap()
}

impl Model {
    fn new(product: &'static Product, seed: u64) -> Self {
        let world = World::seeded(seed);
        let store = Flaky::slow(world.process(9));
        let rotation = product.oauth.rotation;
        let server = Server { state: Arc::default(), runtime: world.process(9), rotation, store: Arc::clone(&store) };
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
        model.connect();
        model.watch();
        model
    }

    fn open(&self, process: u32) -> Environment {
        let server = self.server.clone();
        let transport = Answers::by(move |request| server.clone().answer(request));
        self.world.run(open(self.world.process(process), self.product, transport, Arc::clone(&self.store) as _))
    }

    /// A connection with an active account.
    fn connect(&mut self) {
        let environment = &self.environments[0];
        let connection = NewConnection {
            connection_name: NAME.to_owned(),
            product: NAME.to_owned(),
            client_id: Some(String::from("client")),
            client_secret: Some(SecretString::from("secret")),
            ..NewConnection::default()
        };
        self.world.run(environment.create_connection(connection)).unwrap();
        self.world.run(authorize(environment.clone(), self.server.clone(), true, Arc::clone(&self.waiting))).unwrap();
        self.account = self.world.run(environment.account(NAME, USER)).unwrap().id;
    }

    /// Looks at the rows after every step of every task.
    fn watch(&self) {
        let (store, seen, account, rotation) = (Arc::clone(&self.store), Arc::clone(&self.seen), self.account, self.server.rotation);
        let server = self.server.clone();
        self.world.watch(move || {
            let row = ready(store.rows().account(account)).expect("the account stays").row;
            let mut seen = lock(&seen);
            if seen.account.as_ref() == Some(&row) {
                return;
            }
            let authorizations: Vec<AuthorizationRow> =
                ready(store.rows().authorizations(account, u32::MAX)).into_iter().map(|one| one.row).collect();
            if let Some(before) = seen.account.take() {
                seen.changed(&before, &row, &authorizations);
            }
            let kept = ready(store.rows().credentials(account)).into_iter().map(|one| one.row).collect::<Vec<_>>();
            seen.check_credentials(&kept, &row, &authorizations, server.state().froze);
            let dead = [Some(row.state), row.suspended_from].contains(&Some(AccountState::NeedsReauthorization));
            assert!(!dead || server.state().is_excuse(rotation), "an account is lost without a reason: {row:?}");
            seen.account = Some(row);
            seen.changes += 1;
        });
    }

    fn play(&mut self, (acts, wait): &Scene) {
        acts.iter().for_each(|act| self.act(act));
        self.world.advance(*wait);
        self.world.freeze(0, false);
        self.world.freeze(1, false);
        self.check_failures();
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Call(process) => {
                let environment = self.environments[process].clone();
                self.spawn(process, async move { call(&environment).await });
            }
            Act::Refresh(process) => {
                let environment = self.environments[process].clone();
                self.spawn(process, async move { environment.refresh_account(NAME, USER).await.map(drop) });
            }
            Act::Suspend(process) => {
                let environment = self.environments[process].clone();
                self.spawn(process, async move { environment.suspend_account(NAME, USER).await.map(drop) });
            }
            Act::Resume(process) => {
                let environment = self.environments[process].clone();
                self.spawn(process, async move { environment.resume_account(NAME, USER).await.map(drop) });
            }
            Act::Disconnect(process, revoke) => {
                let environment = self.environments[process].clone();
                self.spawn(process, async move { environment.disconnect_account(NAME, USER, revoke).await });
            }
            Act::Authorize(process, verify) => {
                let environment = self.environments[process].clone();
                let work = authorize(environment, self.server.clone(), verify, Arc::clone(&self.waiting));
                self.spawn(process, work);
            }
            Act::Verify(process) => {
                let environment = self.environments[process].clone();
                let waiting = Arc::clone(&self.waiting);
                self.spawn(process, async move {
                    let oldest = lock(&waiting).pop();
                    let Some(oldest) = oldest else { return Ok(()) };
                    environment.verify_authorization(&oldest.to_string(), USER).await.map(drop)
                });
            }
            Act::Fault(fault, times) => self.server.state().faults = vec![fault; times as usize],
            Act::RevokeAtProduct => {
                let mut state = self.server.state();
                state.revocations += 1;
                state.grants.iter_mut().for_each(|grant| grant.dead = true);
            }
            Act::Freeze(process) => {
                self.world.freeze(u32::try_from(process).unwrap(), true);
                self.server.state().froze = true;
            }
            Act::Kill(process) => {
                self.server.state().cut |= self.row().lease.is_some();
                let number = u32::try_from(process).unwrap();
                self.world.kill(number);
                self.environments[process] = self.open(number);
            }
        }
    }

    fn spawn(&self, process: usize, work: impl Future<Output = Result<()>> + Send + 'static) {
        let failures = Arc::clone(&self.failures);
        let process = self.world.process(u32::try_from(process).unwrap());
        process.spawn(Box::pin(async move {
            if let Err(error) = work.await {
                lock(&failures).push(error);
            }
        }));
    }

    fn row(&self) -> AccountRow {
        ready(self.store.rows().account(self.account)).unwrap().row
    }

    /// Whatever goes wrong has a reason outside.
    fn check_failures(&self) {
        use ErrorKind::{ConnectionNotReady, IntegrityViolated, Internal, KeyUnavailable, ProductProtocolError};
        for error in lock(&self.failures).drain(..) {
            let ours = [Internal, IntegrityViolated, KeyUnavailable, ProductProtocolError, ConnectionNotReady];
            assert!(!ours.contains(&error.kind()), "{error:?}");
        }
    }

    /// Once the product is well again and leases and pauses are over, whoever can work does.
    fn end(&self) {
        self.server.state().faults.clear();
        self.world.advance(Duration::from_secs(1000));
        self.check_failures();
        let excused = self.server.state().is_excuse(self.server.rotation);
        for environment in &self.environments {
            let was_active = self.row().state == AccountState::Active;
            let result = self.world.run(call(environment));
            self.world.advance(Duration::from_secs(1));
            let row = self.row();
            if row.state != AccountState::Active {
                assert!(result.is_err() || was_active, "{row:?}");
                continue;
            }
            let tokens = self.world.run(environment.tokens(&row, row.generation)).unwrap().expect("an active account has tokens");
            let lives = self.server.lives(tokens.refresh_token().unwrap().expose_secret());
            assert!(lives || excused, "the newest refresh token is lost: {row:?}");
            assert!(result.is_ok() || !lives, "{:?} {row:?}", result.err());
        }
    }
}

impl Seen {
    /// Which tokens are kept.
    fn check_credentials(&self, kept: &[CredentialRow], account: &AccountRow, authorizations: &[AuthorizationRow], froze: bool) {
        let current = kept.iter().find(|credential| credential.generation == account.generation);
        assert!(account.generation == 0 || current.is_some_and(|credential| credential.held_by.is_none()), "no current credential: {account:?}");
        let waits = |credential: &CredentialRow, one: &AuthorizationRow| {
            credential.held_by == Some(one.id) && one.state == AuthorizationState::Verifying
        };
        for credential in kept {
            let one_of_two = [account.generation, self.previous].contains(&credential.generation);
            let waits = authorizations.iter().any(|one| waits(credential, one));
            // Tokens that came after the lease was over are kept for the next refresh.
            assert!(one_of_two || waits || froze, "{credential:?} is kept beside {} and {}: {account:?}", account.generation, self.previous);
        }
        for one in authorizations.iter().filter(|one| one.state == AuthorizationState::Verifying && !self.cut_off.contains(&one.id)) {
            assert!(kept.iter().any(|credential| waits(credential, one)), "nothing is left to confirm: {one:?}");
        }
    }

    /// What may become of an account.
    fn changed(
        &mut self,
        before: &AccountRow,
        now: &AccountRow,
        authorizations: &[AuthorizationRow],
    ) {
        use AccountState::{Active, Disconnected, PendingAuthorization, PendingVerification};
        let mut completed = authorizations.iter().filter(|one| one.state == AuthorizationState::Completed).map(|one| one.id);
        assert!(now.last_generation >= before.last_generation && now.generation <= now.last_generation, "{before:?} {now:?}");
        if now.generation != before.generation {
            assert!(self.left.insert(before.generation) || before.generation == 0);
            assert!(now.generation == 0 || !self.left.contains(&now.generation), "an old generation is current again: {now:?}");
            self.previous = before.generation;
        }
        if now.state == Disconnected {
            assert_eq!(now.generation, 0);
            self.previous = 0;
            self.ended = completed.clone().collect();
            let waiting = authorizations.iter().filter(|one| one.state == AuthorizationState::Verifying);
            self.cut_off.extend(waiting.map(|one| one.id));
        }
        let allowed: &[AccountState] = match before.state {
            Disconnected => &[PendingAuthorization],
            PendingAuthorization | PendingVerification => &[PendingAuthorization, PendingVerification, Active, AccountState::Suspended, Disconnected],
            _ => &[Active, AccountState::NeedsReauthorization, AccountState::Suspended, Disconnected, PendingAuthorization, PendingVerification],
        };
        assert!(allowed.contains(&now.state) || now.state == before.state, "{before:?} {now:?}");
        if before.generation == 0 && now.generation != 0 {
            assert!(completed.any(|id| !self.ended.contains(&id)), "an ended account lives again without a new authorization: {now:?}");
        }
    }
}

async fn call(environment: &Environment) -> Result<()> {
    let request = ExecuteRequest {
        connection_name: NAME.to_owned(),
        identifier: USER.to_owned(),
        input: serde_json::json!({ "note_id": "1" }),
        ..ExecuteRequest::default()
    };
    environment.execute("demo_read_note", request).await.map(drop)
}

async fn authorize(environment: Environment, server: Server, verify: bool, waiting: Arc<Mutex<Vec<AuthorizationId>>>) -> Result<()> {
    let link = NewAuthorizationLink {
        connection_name: NAME.to_owned(),
        identifier: USER.to_owned(),
        verify_url: Some(String::from("https://app.test/back")),
        ..NewAuthorizationLink::default()
    };
    let link = environment.create_authorization_link(link).await?;
    let started = environment.start_authorization(link.link.rsplit('/').next().unwrap(), None).await?;
    let location = Url::parse(&started.location).unwrap();
    let state = location.query_pairs().find(|(name, _)| name == "state").map(|(_, state)| state.into_owned());
    let callback = Callback { state, code: Some(server.consent()), ..Callback::default() };
    let connection = environment.connection(NAME).await?.id.to_string();
    let cookie = started.browser.expose_secret().to_owned();
    environment.finish_authorization(&connection, callback, |_| Some(cookie)).await?;
    if !verify {
        lock(&waiting).insert(0, link.authorization_id);
        return Ok(());
    }
    environment.verify_authorization(&link.authorization_id.to_string(), USER).await.map(drop)
}

fn histories(product: &'static Product) {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
    let reached = std::cell::RefCell::new([0; 5]);
    let result = runner.run(&(scenes(), any::<u64>()), |(scenes, seed)| {
        let mut model = Model::new(product, seed);
        scenes.iter().for_each(|scene| model.play(scene));
        model.end();
        let (server, seen) = (model.server.state(), lock(&model.seen));
        let counts = [server.refreshes, server.refusals, server.lost_answers, seen.changes, seen.ended.len() as u32];
        reached.borrow_mut().iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let reached = reached.into_inner();
    assert!(reached.iter().all(|sum| *sum > 100), "the histories reach too little: {reached:?}");
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
    let late = Duration::from_millis(200);
    let histories: [&[Scene]; 5] = [
        // Two links are opened, and both are confirmed.
        &[(vec![Act::Authorize(0, false), Act::Authorize(1, false)], second), (vec![Act::Verify(0), Act::Verify(1)], second)],
        // The credential in use is refreshed twice while another waits.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Refresh(0)], second),
            (vec![Act::Refresh(1)], second),
            (vec![Act::Verify(0)], second),
            (vec![Act::Refresh(0)], second),
            (vec![Act::Refresh(1)], second),
        ],
        // The answer to a refresh comes after another grant has taken the place.
        &[
            (vec![Act::Authorize(0, false)], second),
            (vec![Act::Refresh(0)], late),
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
        // The answer to a refresh comes after a disconnect and a new link.
        &[
            (vec![Act::Refresh(0)], late),
            (vec![Act::Disconnect(1, true)], Duration::from_millis(20)),
            (vec![Act::Authorize(1, false)], second),
            (vec![Act::Verify(0)], second),
        ],
    ];
    for (product, history) in [&STABLE, &ROTATING, &STRICT].into_iter().flat_map(|product| histories.map(|history| (product, history))) {
        for seed in 0..8 {
            let mut model = Model::new(product, seed);
            history.iter().for_each(|scene| model.play(scene));
            model.end();
            assert_eq!(model.row().state, AccountState::Active, "{history:?}");
        }
    }
}
