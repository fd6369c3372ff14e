//! Complete refreshes of one account: the requests, the tokens that are kept, and what callers get in the meantime.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

use crate::{
    ErrorKind, Result, call,
    context::{Context, TokenSet},
    domain::{Account, Credential, Lease},
    oauth,
    ports::{Body, Runtime as _, Transport},
    product::Product,
    resource::{ChangeConnection, ConnectionChange, ExecuteRequest},
    state::{AccountReason, AccountState},
    store::{Batch, Commit, MemoryStore},
    testing::{
        Flaky, Machine, ROTATING, Responses, STABLE, START, STRICT, World, insert_account,
        open_spooled, response,
    },
};

/// The product. It issues a new refresh token each time unless told otherwise, and accepts only its newest access
/// token.
#[derive(Default)]
struct Server {
    /// Refresh tokens that were presented.
    presented: Vec<String>,
    /// The next responses of the token endpoint.
    script: VecDeque<Told>,
    /// The API rejects access tokens with this prefix.
    refuses_access: Option<&'static str>,
}

pub(super) struct Stage {
    pub(super) world: World,
    pub(super) store: Arc<Flaky>,
    pub(super) machine: Arc<Machine>,
    server: Arc<Mutex<Server>>,
    /// If set, the store fails from the next response of the token endpoint on.
    pub(super) breaks: Arc<AtomicBool>,
    product: &'static Product,
    pub(super) context: Context,
}

/// A response of the token endpoint: status, body, `Retry-After`.
type Told = (u16, &'static str, Option<u64>);

pub(super) const REFUSED: Told = (400, r#"{"error":"invalid_grant"}"#, None);

impl Stage {
    /// An account whose access token expires in `left` seconds.
    pub(super) fn new(product: &'static Product, left: i64) -> Self {
        let world = World::new();
        let store = Flaky::new(world.process(9));
        Self::on(world, store, product, left)
    }

    fn on(world: World, store: Arc<Flaky>, product: &'static Product, left: i64) -> Self {
        let (machine, server): (Arc<Machine>, _) = (Arc::default(), Arc::default());
        let breaks = Arc::default();
        let transport = transport(&world, &server, &store, &breaks);
        let (runtime, spool) = (world.process(0), machine.spool(0, || {}));
        let opened = open_spooled(runtime, product, transport, Arc::clone(&store) as _, spool);
        let context = world.run(opened);
        let stage = Self {
            world,
            store,
            machine,
            server,
            breaks,
            product,
            context,
        };
        let added = insert_account(&stage.context, AccountState::Active);
        stage.world.run(added);
        stage.change(|account| {
            account.token_expires_at = Some(START + SignedDuration::from_secs(left));
        });
        stage.credential(1, "refresh-1", None);
        stage
    }

    /// Starts another process on the same store and spool.
    pub(super) fn another(&self, process: u32) -> Context {
        let transport = transport(&self.world, &self.server, &self.store, &self.breaks);
        let (runtime, spool) = (
            self.world.process(process),
            self.machine.spool(process, || {}),
        );
        self.world.run(open_spooled(
            runtime,
            self.product,
            transport,
            Arc::clone(&self.store) as _,
            spool,
        ))
    }

    pub(super) fn account(&self) -> Account {
        let rows = self.store.rows();
        let mut found = self.world.ok(rows.accounts(None, None, 1));
        found.remove(0).row
    }

    pub(super) fn change(&self, change: impl Fn(&mut Account)) {
        let rows = self.store.rows();
        let found = self.world.ok(rows.account(self.account().id)).unwrap();
        let mut row = found.row;
        change(&mut row);
        let batch = Batch::new().update(row, found.version);
        let committed = self.world.ok(rows.commit(batch));
        assert_eq!(committed, Commit::Committed);
    }

    /// Replaces the tokens of a generation.
    fn credential(&self, generation: u64, refresh: &str, sent_at: Option<Timestamp>) {
        let (account, rows) = (self.account(), self.store.rows());
        let end = account.token_expires_at;
        let tokens = TokenSet::new("token-1".into(), Some(refresh.into()), end);
        let vault = &self.context.store.vault;
        let sealed = Some(tokens.seal(vault, &account, generation).unwrap());
        let found = self.world.ok(rows.credential(account.id, generation));
        let created_at = START - SignedDuration::from_hours(1);
        let batch = match found {
            Some(found) => {
                let mut row = found.row;
                (row.sealed, row.created_at) = (sealed, created_at);
                Batch::new().update(row, found.version)
            }
            None => Batch::new().insert(Credential {
                account_id: account.id,
                generation,
                sealed,
                pending_for: None,
                client_epoch: 0,
                sent_at,
                created_at,
                extra: Default::default(),
            }),
        };
        assert_eq!(self.world.ok(rows.commit(batch)), Commit::Committed);
    }

    pub(super) fn leased(&self, seconds: i64, process: Option<Uuid>) {
        self.change(|account| {
            account.lease = Some(Lease {
                owner: Uuid::from_u128(7),
                process,
                until: START + SignedDuration::from_secs(seconds),
                generation: 1,
            });
        });
        let snapshots = &self.context.memory.snapshots;
        snapshots.forget(&self.account().identifier);
    }

    pub(super) fn read(&self) -> Result<()> {
        self.world.run(read(&self.context))
    }
    pub(super) fn fails(&self) -> ErrorKind {
        self.read().unwrap_err().kind()
    }
    pub(super) fn spooled(&self) -> usize {
        let spool = self.machine.spool(9, || {});
        self.world.ok(spool.list()).len()
    }
    pub(super) fn presented(&self) -> Vec<String> {
        self.server.lock().unwrap().presented.clone()
    }
    pub(super) fn script(&self, responses: impl IntoIterator<Item = Told>) {
        self.server.lock().unwrap().script.extend(responses);
    }
    pub(super) fn refuse_access(&self, refuses: bool) {
        self.server.lock().unwrap().refuses_access = refuses.then_some("");
    }
    pub(super) fn refuse_token(&self, token: &'static str) {
        self.server.lock().unwrap().refuses_access = Some(token);
    }
    pub(super) fn seconds(&self, seconds: u64) {
        self.world.advance(Duration::from_secs(seconds));
    }
}

fn transport(
    world: &World,
    server: &Arc<Mutex<Server>>,
    store: &Arc<Flaky>,
    breaks: &Arc<AtomicBool>,
) -> Arc<dyn Transport> {
    let (server, store, breaks) = (Arc::clone(server), Arc::clone(store), Arc::clone(breaks));
    let runtime = world.process(9);
    Responses::by(move |request: http::Request<Body>| {
        let (server, store) = (Arc::clone(&server), Arc::clone(&store));
        let (runtime, breaks) = (Arc::clone(&runtime), Arc::clone(&breaks));
        async move {
            let (head, body) = request.into_parts();
            if head.uri.path() != "/token" {
                let sent = head.headers["authorization"].to_str().unwrap();
                let refused = server.lock().unwrap().refuses_access;
                let sent = sent.trim_start_matches("Bearer ");
                let refuses = refused.is_some_and(|refused| sent.starts_with(refused));
                return Ok(response(if refuses { 401 } else { 200 }, "{}"));
            }
            let body = body.collect(10_000).await?;
            let mut form = url::form_urlencoded::parse(&body).into_owned();
            let (_, token) = form.find(|(name, _)| name == "refresh_token").unwrap();
            runtime.sleep(Duration::from_millis(300)).await;
            if breaks.load(Ordering::SeqCst) {
                store.set_down(true);
            }
            let mut server = server.lock().unwrap();
            server.presented.push(token);
            if let Some((status, body, retry_after)) = server.script.pop_front() {
                let mut response = response(status, body);
                if let Some(seconds) = retry_after {
                    let headers = response.headers_mut();
                    headers.insert(http::header::RETRY_AFTER, seconds.into());
                }
                return Ok(response);
            }
            let number = server.presented.len() + 1;
            let body = json!({
                "access_token": format!("token-{number}"),
                "refresh_token": format!("refresh-{number}"),
                "expires_in": 3600,
            });
            Ok(response(200, body.to_string()))
        }
    })
}

pub(super) async fn read(context: &Context) -> Result<()> {
    let request = ExecuteRequest::new("demo", "ada", json!({ "note_id": "n1" }));
    let called = call::execute(context, "demo_read_note", request).await;
    called.map(drop)
}

#[test]
fn concurrent_callers_make_one_token_request() {
    let stage = Stage::new(&STRICT, -1);
    let callers = (0..768).map(|_| read(&stage.context));
    let results = stage.world.run(join_all(callers));
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(stage.presented(), ["refresh-1"]);
}

#[test]
fn tokens_received_while_the_store_is_down_are_stored_later() {
    let stage = Stage::new(&STRICT, -1);
    stage.breaks.store(true, Ordering::SeqCst);
    let began = stage.context.host.monotonic();
    assert_eq!(stage.fails(), ErrorKind::StorageUnavailable);
    assert!(stage.context.host.monotonic() - began <= Duration::from_secs(2));
    assert_eq!(stage.spooled(), 1);
    stage.seconds(180);
    assert_eq!(stage.account().generation, 1);
    stage.breaks.store(false, Ordering::SeqCst);
    stage.store.set_down(false);
    stage.seconds(3);
    assert_eq!((stage.account().generation, stage.spooled()), (2, 0));
    stage.read().unwrap();
    assert_eq!(stage.presented(), ["refresh-1"]);
}

#[test]
fn tokens_left_in_the_spool_are_stored_by_the_next_process() {
    let stage = Stage::new(&STRICT, -1);
    stage.breaks.store(true, Ordering::SeqCst);
    assert_eq!(stage.fails(), ErrorKind::StorageUnavailable);
    stage.world.kill(0);
    stage.machine.end(0);
    stage.breaks.store(false, Ordering::SeqCst);
    stage.store.set_down(false);
    let next = stage.another(1);
    assert_eq!((stage.account().generation, stage.spooled()), (2, 0));
    stage.world.ok(read(&next));
    assert_eq!(stage.presented(), ["refresh-1"]);
}

#[test]
fn a_valid_token_is_sent_while_another_process_holds_the_lease() {
    for seconds in [60, 0, -100] {
        let stage = Stage::new(&STRICT, 30);
        stage.leased(seconds, None);
        let began = stage.context.host.monotonic();
        stage.read().unwrap();
        assert!(stage.context.host.monotonic() - began < Duration::from_secs(1));
        assert!(stage.presented().is_empty());
    }
}

#[test]
fn a_valid_token_is_sent_while_the_store_is_down() {
    let stage = Stage::new(&STRICT, 30);
    stage.store.set_down(true);
    stage.read().unwrap();
    // Stead requests no tokens, because it couldn't store them.
    assert!(stage.presented().is_empty());
}

#[test]
fn a_lease_of_a_dead_process_blocks_no_refresh() {
    let process = Uuid::from_u128(8);
    let stage = Stage::new(&STRICT, -1);
    stage.leased(80, Some(process));
    let began = stage.context.host.monotonic();
    stage.read().unwrap();
    assert!(stage.context.host.monotonic() - began < Duration::from_secs(1));
    assert_eq!(stage.presented(), ["refresh-1"]);
}

#[test]
fn a_process_that_stalled_after_its_claim_claims_again() {
    let world = World::new();
    let store = Flaky::over(Arc::new(MemoryStore::new(world.process(9))), true);
    let stage = Stage::on(world.clone(), Arc::clone(&store), &STRICT, -1);
    let claims = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&claims);
    store.watch(move |batch| {
        if batch.name == "refresh.claim" {
            let mut seen = seen.lock().unwrap();
            world.freeze(0, seen.is_empty());
            seen.push(world.process(9).monotonic().as_secs());
        }
    });
    let context = stage.context.clone();
    let call = async move { drop(read(&context).await) };
    stage.world.process(0).spawn(Box::pin(call));
    stage.seconds(70);
    assert!(stage.presented().is_empty());
    stage.world.freeze(0, false);
    stage.seconds(1);
    assert_eq!(stage.presented(), ["refresh-1"]);
    assert_eq!(*claims.lock().unwrap(), [0, 70]);
}

#[test]
fn a_caller_does_not_get_a_refused_token_back_from_an_older_refresh() {
    let stage = Stage::new(&STABLE, 100);
    stage.refuse_access(true);
    stage.script([(503, "", None)]);
    assert_eq!(stage.fails(), ErrorKind::RefreshUnavailable);
    assert_eq!(stage.presented().len(), 1);
}

#[test]
fn a_refused_refresh_presents_every_live_token() {
    for product in [&STABLE, &ROTATING, &STRICT] {
        let stage = Stage::new(product, -1);
        stage.change(|account| account.last_generation = 2);
        stage.credential(2, "refresh-aside", None);
        stage.script([REFUSED]);
        stage.read().unwrap();
        assert_eq!(stage.presented(), ["refresh-1", "refresh-aside"]);
        let account = stage.account();
        assert_eq!(account.generation, 3);
        assert_eq!(account.state, AccountState::Active);
    }
}

#[test]
fn tokens_requested_later_replace_the_current_ones() {
    let stage = Stage::new(&ROTATING, -1);
    stage.change(|account| account.last_generation = 2);
    stage.credential(2, "refresh-later", Some(START));
    stage.read().unwrap();
    assert_eq!(stage.presented(), ["refresh-later"]);
}

#[test]
fn a_stable_account_ends_with_the_second_refusal() {
    let stage = Stage::new(&STABLE, -1);
    stage.script([REFUSED, REFUSED]);
    let error = stage.read().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RefreshUnavailable);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(10)));
    assert_eq!(stage.fails(), ErrorKind::RefreshUnavailable);
    assert_eq!(stage.presented().len(), 1);
    stage.seconds(10);
    assert_eq!(stage.fails(), ErrorKind::AuthorizationRequired);
    assert_eq!(stage.account().reason, Some(AccountReason::RefreshRejected));
}

#[test]
fn a_stable_account_survives_a_temporary_refusal() {
    let stage = Stage::new(&STABLE, -1);
    stage.script([REFUSED]);
    assert_eq!(stage.fails(), ErrorKind::RefreshUnavailable);
    stage.seconds(10);
    stage.read().unwrap();
    assert_eq!(stage.account().refresh.refresh_refused_at, None);
}

#[test]
fn a_loss_is_not_blamed_on_the_user_after_another_failure() {
    let stage = Stage::new(&STRICT, -1);
    stage.script([(200, "no JSON", None), (503, "", None), REFUSED]);
    for _ in 0..2 {
        assert_eq!(stage.fails(), ErrorKind::RefreshUnavailable);
        stage.seconds(10);
    }
    assert_eq!(stage.fails(), ErrorKind::AuthorizationRequired);
    let reason = stage.account().reason;
    assert_eq!(reason, Some(AccountReason::RefreshOutcomeLost));
}

#[test]
fn a_refresh_waits_for_the_retry_after_even_if_calls_are_refused() {
    let stage = Stage::new(&STABLE, 3000);
    stage.refuse_access(true);
    stage.script([(429, "", Some(600))]);
    let error = stage.read().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RefreshUnavailable);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(600)));
    stage.seconds(599);
    assert_eq!(stage.fails(), ErrorKind::RefreshUnavailable);
    assert_eq!(stage.presented().len(), 1);
    stage.refuse_access(false);
    stage.seconds(2);
    stage.read().unwrap();
}

#[test]
fn a_corrected_client_secret_ends_the_pause() {
    let stage = Stage::new(&STABLE, -1);
    stage.script([(401, r#"{"error":"invalid_client"}"#, Some(600))]);
    assert_eq!(stage.fails(), ErrorKind::ConnectionCredentialsRejected);
    assert_eq!(stage.fails(), ErrorKind::RefreshUnavailable);
    let change = ConnectionChange::default().client_secret("corrected");
    let change = ChangeConnection::new("demo", change);
    stage.world.send(&stage.context, change);
    stage.read().unwrap();
}

#[test]
fn a_token_endpoint_that_keeps_failing_gets_no_more_requests() {
    let stage = Stage::new(&STABLE, -1);
    stage.script(std::iter::repeat_n((503, "", None), 100));
    let ada = crate::domain::AccountRef::new("demo", "ada").unwrap();
    for _ in 0..40 {
        let snapshot = stage.world.ok(stage.context.reload(&ada));
        let asked = oauth::refresh_now(&stage.context, &snapshot, super::RefreshReason::Asked);
        assert!(stage.world.run(asked).is_err());
    }
    assert_eq!(stage.presented().len(), 20);
}
