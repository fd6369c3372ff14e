//! Two servers share a store, and their clocks are a minute apart. They do each piece of work once, by the store's
//! time. If one server dies, the other takes over its work.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::future::{join, join_all};
use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use url::Url;

use super::*;
use crate::{
    Error, ErrorKind,
    api::Paging,
    context::{TokenSet, change::Change},
    domain::NewEvent,
    product::{OAuth, Product, ProxyRoute, ProxyRules, Quota, Rotation},
    resource::{
        ApprovalDecision, ApproveCall, CountExecutions, DisconnectAccount, Disconnection,
        ListExecutions, NewAppCredential, NewAuthorizationLink, NewWebhook, Policy, ReadApproval,
        SetPolicy, TotalsSpan, TotalsStep,
    },
    state::{AccountState, ApprovalState},
    store::{Batch, Commit},
    testing::{
        Clock, Flaky, ROTATING, Responses, START, World, demo, insert_account, ports, response,
    },
};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Seeds. Each one gives the servers' turns a different order.
const ORDERS: u64 = 20;

static DEMO: Product = Product {
    oauth: OAuth {
        keep_alive: Some(Duration::from_secs(90 * 86_400)),
        ..ROTATING.oauth
    },
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v1", "api")],
        ..ProxyRules::BASE
    },
    quota: Quota {
        units_per_minute: QUOTA,
        ..Quota::UNLIMITED
    },
    ..demo(Rotation::Rotating)
};
const QUOTA: u32 = 100;

/// A request that was sent: the server, its address, its body.
type Sent = (u32, String, String);

struct Stage {
    world: World,
    store: Arc<Flaky>,
    sent: Arc<Mutex<Vec<Sent>>>,
    /// The first server is 30 s ahead of the store, the second 30 s behind.
    servers: [Environment; 2],
}

impl Stage {
    fn new(seed: u64) -> Self {
        let world = World::seeded(seed);
        let store = Flaky::over(world.store(), true);
        let sent = Arc::default();
        store.share();
        for (number, seconds) in [(1, 30), (2, -30)] {
            let ahead = SignedDuration::from_secs(seconds);
            world.set_clock(number, Clock { ahead, drift: 0 });
        }
        let servers = [1, 2].map(|number| server(&world, number, &store, &sent));
        world.run(insert_account(&servers[0].0, AccountState::Active));
        Self {
            world,
            store,
            sent,
            servers,
        }
    }

    /// Starts the same work on both servers.
    fn on_both<W>(&self, work: impl Fn(Environment) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        for server in &self.servers {
            server.runtime().spawn(Box::pin(work(server.clone())));
        }
    }

    /// The number of requests to addresses that contain this part.
    fn count(&self, part: &str) -> usize {
        self.sent_to(part).len()
    }

    fn sent_to(&self, part: &str) -> Vec<Sent> {
        let sent = self.sent.lock().unwrap();
        let sent = sent.iter().filter(|(_, address, _)| address.contains(part));
        sent.cloned().collect()
    }

    fn events(&self, name: &str) -> usize {
        let rows = self.store.rows();
        let events = self.world.ok(rows.events(None, None, 1000));
        events.iter().filter(|found| found.row.name == name).count()
    }

    /// The outcome of an operation on the first server.
    fn send<O: Run<Environment>>(&self, operation: O) -> O::Output {
        self.world.send(&self.servers[0].0, operation)
    }

    /// Emits an event with a number.
    fn emit(&self, by: usize, number: u64) {
        let event = NewEvent::new("account.refreshed", json!({ "number": number }));
        let exists = Error::new(ErrorKind::Internal, "it exists");
        let change = Change::none().event(event);
        let added = self.servers[by].0.add("test", change, exists);
        self.world.ok(added);
    }

    /// The numbers of the events that webhooks have delivered.
    fn delivered(&self) -> Vec<u64> {
        let sent = self.sent_to("hooks.test").into_iter();
        let bodies = sent.map(|(_, _, body)| serde_json::from_str::<Value>(&body).unwrap());
        let numbers = bodies.filter_map(|body| body["data"]["number"].as_u64());
        numbers.collect()
    }
}

/// A server whose requests all take a second.
fn server(
    world: &World,
    number: u32,
    store: &Arc<Flaky>,
    sent: &Arc<Mutex<Vec<Sent>>>,
) -> Environment {
    let (timer, sent) = (world.process(number), Arc::clone(sent));
    let transport = Responses::by(move |request| {
        let (timer, sent) = (Arc::clone(&timer), Arc::clone(&sent));
        async move {
            use crate::ports::Runtime as _;
            let (head, body) = request.into_parts();
            let body = body.collect(u64::MAX).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            let tokens = json!({ "access_token": "new", "refresh_token": "new", "expires_in": 3600, "token_type": "bearer" });
            let said = match head.uri.path() {
                "/token" => tokens.to_string(),
                _ => String::from("{}"),
            };
            let request = (number, head.uri.to_string(), body);
            sent.lock().unwrap().push(request);
            timer.sleep(SECOND).await;
            Ok(response(200, said))
        }
    });
    let ports = ports(world.process(number), transport, Arc::clone(store) as _);
    let mut options = EnvironmentOptions::new("https://stead.test").unwrap();
    options.verification = Verification::LinkPossession;
    let opened = Environment::open(options, Catalogue::new([&DEMO]), ports);
    world.ok(opened)
}

#[test]
fn a_revocation_is_sent_once() {
    for seed in 0..ORDERS {
        let stage = Stage::new(seed);
        let revoked = Disconnection::new().revoke_at_product(true);
        stage.send(DisconnectAccount::new("demo", "ada").how(revoked));
        stage.on_both(|server| async move { oauth::work_off_outbox(&server.0) });
        stage.world.advance(5 * MINUTE);
        assert_eq!(stage.count("/revoke"), 1);
        assert_eq!(stage.events("account.revoked_at_product"), 1);
    }
}

#[test]
fn a_revocation_is_sent_by_another_server_if_one_dies() {
    let stage = Stage::new(0);
    let revoked = Disconnection::new().revoke_at_product(true);
    stage.send(DisconnectAccount::new("demo", "ada").how(revoked));
    stage.world.run_until_idle();
    let sent = stage.sent_to("/revoke");
    assert_eq!(sent.len(), 1);
    stage.world.kill(sent[0].0);
    stage.world.advance(119 * SECOND);
    assert_eq!(stage.count("/revoke"), 1);
    stage.world.advance(35 * SECOND);
    let sent = stage.sent_to("/revoke");
    assert_eq!(sent.len(), 2);
    assert_ne!(sent[0].0, sent[1].0);
    assert_eq!(stage.events("account.revoked_at_product"), 1);
}

#[test]
fn an_event_is_delivered_once_even_if_a_server_dies() {
    for seed in 0..ORDERS {
        let stage = Stage::new(seed);
        stage.send(NewWebhook::new("https://hooks.test/").events(["account.refreshed"]));
        for number in 0..10 {
            stage.emit(number % 2, number as u64);
        }
        stage.world.advance(30 * SECOND);
        let mut delivered = stage.delivered();
        delivered.sort_unstable();
        assert_eq!(delivered, (0..10).collect::<Vec<_>>());

        let holder = stage.sent_to("hooks.test")[0].0;
        stage.world.kill(holder);
        stage.emit(if holder == 1 { 1 } else { 0 }, 10);
        stage.world.advance(115 * SECOND);
        assert_eq!(stage.delivered().len(), 10, "the lease is not over");
        stage.world.advance(40 * SECOND);
        assert_eq!(stage.delivered()[10..], [10]);
    }
}

#[test]
fn an_idle_credential_is_refreshed_once() {
    for seed in 0..ORDERS {
        let stage = Stage::new(seed);
        let store = &stage.servers[0].0.store;
        let account = stage.world.ok(store.accounts(None, None, 1));
        let (row, version) = (account[0].row.clone(), account[0].version);
        let found = stage.world.ok(store.credential(row.id, 1)).unwrap();
        let old = START - SignedDuration::from_hours(24 * 91);
        let tokens = TokenSet::new("token-1".into(), Some("refresh-1".into()), Some(old));
        let (mut idle, mut expired) = (found.row, row.clone());
        idle.sealed = Some(tokens.seal(&store.vault, &row, 1).unwrap());
        (idle.created_at, expired.token_expires_at) = (old, Some(old));
        let batch = Batch::new().update(idle, found.version);
        let batch = batch.update(expired, version);
        assert_eq!(stage.world.ok(store.commit(batch)), Commit::Committed);
        stage.on_both(|server| async move { drop(server.maintain().await) });
        stage.world.advance(3 * MINUTE);
        assert_eq!(stage.count("/token"), 1);
        let account = stage.world.ok(store.account(row.id)).unwrap();
        assert_eq!(account.row.generation, 2);
    }
}

#[test]
fn a_code_is_exchanged_once_on_any_server() {
    for seed in 0..ORDERS {
        let stage = Stage::new(seed);
        let link = stage.send(NewAuthorizationLink::new("demo", "bea")).link;
        let secret = link.rsplit('/').next().unwrap().to_owned();
        let started = stage.servers[1].start_authorization(&secret, None);
        let started = stage.world.ok(started);
        let location = Url::parse(&started.location).unwrap();
        let value = |url: &Url, name: &str| {
            let mut pairs = url.query_pairs();
            let pair = pairs.find(|(key, _)| key == name);
            pair.map(|(_, value)| value.into_owned()).unwrap()
        };
        let redirect = Url::parse(&value(&location, "redirect_uri")).unwrap();
        let connection = redirect.path().split('/').nth(4).unwrap().to_owned();
        let query = format!("state={}&code=c", value(&location, "state"));
        let cookie = started.browser.expose_secret().to_owned();
        let come_back = |server: &Environment| {
            let (server, connection, cookie) = (server.clone(), connection.clone(), cookie.clone());
            let callback = Callback::from_query(&query);
            async move {
                let browser = |_| Some(cookie);
                let finished = server.finish_authorization(&connection, callback, browser);
                finished.await.map(drop).map_err(|error| error.kind())
            }
        };
        let [one, other] = &stage.servers;
        let (one, other) = stage.world.run(join(come_back(one), come_back(other)));
        assert_eq!(stage.count("/token"), 1);
        let second = Err(ErrorKind::AuthorizationConsumed);
        assert!((one, other) == (Ok(()), second) || (one, other) == (second, Ok(())));
    }
}

#[test]
fn a_link_and_an_access_token_expire_by_the_stores_time() {
    for (maker, reader) in [(0, 1), (1, 0)] {
        let stage = Stage::new(0);
        let (maker, reader) = (&stage.servers[maker], &stage.servers[reader]);
        let mut link = NewAuthorizationLink::new("demo", "bea");
        link.expires_in = Some(60);
        let link = stage.world.ok(maker.send(link)).link;
        let secret = link.rsplit('/').next().unwrap();
        let app = stage.world.ok(maker.send(NewAppCredential::new("app")));
        let (id, secret_of_app) = (&app.credential.client_id, &app.client_secret);
        let token = maker.issue_access_token(id, secret_of_app.expose_secret(), None);
        let token = stage.world.ok(token);
        let bearer = token.access_token.expose_secret();
        let lives = token.expires_in - 60;

        stage.world.advance(59 * SECOND);
        assert!(stage.world.run(reader.connect_page(secret)).is_ok());
        stage.world.advance(2 * SECOND);
        let late = stage.world.err(reader.connect_page(secret));
        assert_eq!(late.kind(), ErrorKind::AuthorizationExpired);
        // One of the two servers expires it.
        stage.world.advance(2 * MINUTE);
        assert_eq!(stage.events("authorization.expired"), 1);

        let lives = Duration::from_secs(lives);
        stage.world.advance(lives - 2 * SECOND - 2 * MINUTE);
        assert!(stage.world.run(reader.authenticate(bearer)).is_ok());
        stage.world.advance(2 * SECOND);
        let late = stage.world.err(reader.authenticate(bearer));
        assert_eq!(late.kind(), ErrorKind::Unauthenticated);
    }
}

/// A raw request that changes something, with an idempotency key if one is given.
fn note(key: Option<&str>) -> ProxyRequest {
    let mut request = ProxyRequest::new("demo", "ada", "POST", "/v1/notes");
    request.body = Some(json!({ "text": "a" }));
    request.idempotency_key = key.map(str::to_owned);
    request
}

#[test]
fn an_approval_is_used_once_and_expires_by_the_stores_time() {
    for seed in 0..ORDERS {
        let stage = Stage::new(seed);
        let policy = json!({
            "name": "all", "environment": true, "approval_expires_in": 60,
            "requires_approval": { "effects": ["write"] },
        });
        let policy: Policy = serde_json::from_value(policy).unwrap();
        stage.send(SetPolicy::from(policy));
        let apps = [0, 1].map(|number| stage.servers[number].acting_as(Caller::application("app")));
        let asked = |app: &Environment| {
            let error = stage.world.err(app.proxy(note(None)));
            assert_eq!(error.kind(), ErrorKind::ApprovalRequired, "{error}");
            error.context()["approval_id"].as_str().unwrap().to_owned()
        };
        let approve = |id: &str| {
            let approved = stage.servers[1].send(ApproveCall::new(id, ApprovalDecision::default()));
            stage.world.ok(approved);
        };
        let used = asked(&apps[0]);
        assert_eq!(used, asked(&apps[1]));
        approve(&used);
        let both = join(apps[0].proxy(note(None)), apps[1].proxy(note(None)));
        let (one, other) = stage.world.run(both);
        assert!(one.is_ok() != other.is_ok());
        assert_eq!(stage.count("/v1/notes"), 1);

        // The call that came second has requested another approval.
        let waits = asked(&apps[0]);
        assert_ne!(used, waits);
        approve(&waits);
        stage.world.advance(2 * MINUTE);
        let state = stage.send(ReadApproval::new(&waits)).state;
        assert_eq!(state, ApprovalState::Expired);
        assert_eq!(stage.events("approval.expired"), 1);
        assert_eq!(stage.count("/v1/notes"), 1);
    }
}

#[test]
fn a_call_with_a_key_is_made_once() {
    for seed in 0..ORDERS {
        let stage = Stage::new(seed);
        let [one, other] = &stage.servers;
        let both = join(one.proxy(note(Some("key"))), other.proxy(note(Some("key"))));
        let (one, other) = stage.world.run(both);
        assert!(one.is_ok() && other.is_ok());
        assert_eq!(stage.count("/v1/notes"), 1);
    }
}

#[test]
fn a_call_of_a_dead_server_counts_as_running_for_15_minutes() {
    for died in [0, 1] {
        let stage = Stage::new(0);
        let server = stage.servers[died].clone();
        let call = async move { drop(server.proxy(note(Some("key"))).await) };
        let runtime = stage.servers[died].runtime();
        runtime.spawn(Box::pin(call));
        stage.world.run_until_idle();
        assert_eq!(stage.count("/v1/notes"), 1);
        stage.world.kill(u32::try_from(died).unwrap() + 1);
        let other = &stage.servers[1 - died];
        let again = || stage.world.err(other.proxy(note(Some("key"))));
        stage.world.advance(14 * MINUTE + 45 * SECOND);
        assert_eq!(again().kind(), ErrorKind::IdempotencyConflict);
        stage.world.advance(10 * SECOND);
        assert_eq!(again().kind(), ErrorKind::OutcomeUnknown);
        assert_eq!(stage.count("/v1/notes"), 1);
    }
}

#[test]
fn calls_of_both_servers_are_in_the_history_once_for_their_retention() {
    let stage = Stage::new(0);
    let read = || ProxyRequest::new("demo", "ada", "GET", "/v1/notes");
    for number in 0..30 {
        let called = stage.servers[number % 2].proxy(read());
        stage.world.ok(called);
        stage.world.advance(2 * SECOND);
    }
    // Both servers merge the same rows.
    stage.on_both(|server| async move { drop(server.maintain().await) });
    stage.world.advance(MINUTE);
    let calls = || {
        let list = ListExecutions::new().page(Paging::new(None, 100));
        stage.send(list).items.len()
    };
    assert_eq!(calls(), 30);
    let end = START + SignedDuration::from_hours(1);
    let span = TotalsSpan::new(TotalsStep::Hour, START, end);
    let totals = stage.servers[1].send(CountExecutions::new().span(span));
    let totals = stage.world.ok(totals).items;
    assert_eq!(totals.iter().map(|total| total.calls).sum::<u64>(), 30);

    // Reads are kept for a week.
    let ahead = SignedDuration::from_hours(7 * 24) - SignedDuration::from_mins(4);
    for (number, skew) in [(0, 0), (1, 30), (2, -30)] {
        let ahead = ahead + SignedDuration::from_secs(skew);
        stage.world.set_clock(number, Clock { ahead, drift: 0 });
    }
    stage.world.advance(MINUTE);
    assert_eq!(calls(), 30);
    stage.world.advance(5 * MINUTE);
    assert_eq!(calls(), 0);
}

#[test]
fn calls_of_both_servers_stay_within_one_quota() {
    let stage = Stage::new(0);
    stage.on_both(|server| async move {
        let read = || ProxyRequest::new("demo", "ada", "GET", "/v1/notes");
        join_all((0..QUOTA).map(|_| server.proxy(read()))).await;
    });
    stage.world.advance(59 * SECOND);
    let sent = stage.count("/v1/notes");
    assert!((80..=100).contains(&sent), "{sent}");
}
