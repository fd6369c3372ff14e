//! Two processes share a store. A change by one of them takes effect in the other within a second, without extra
//! lookups.

use std::sync::Arc;

use futures_util::future::join_all;
use secrecy::ExposeSecret as _;

use super::*;
use crate::{
    ErrorKind, access,
    api::Run,
    domain::{AccountRef, NewEvent},
    environment::Environment,
    resource::{
        ChangeConnection, ConnectionChange, DeleteAccountToken, DeleteAppCredential,
        DeleteMcpSession, DisconnectAccount, Disconnection, NewAccountToken, NewAppCredential,
        NewMcpSession, ResumeAccount, SuspendAccount,
    },
    state::{AccountState, TokenAccess},
    store::{Batch, Commit},
    testing::{Mode, Readings, STABLE, START, World, always, idle, insert_account, ports},
};

const STEP: Duration = Duration::from_millis(50);

fn ada() -> AccountRef {
    AccountRef::new("demo", "ada").unwrap()
}

/// The active account `ada`, and two processes that can call it.
struct Scene {
    world: World,
    store: Arc<Readings>,
    here: Context,
    there: Context,
}

impl Scene {
    fn new() -> Self {
        let world = World::new();
        let store = Readings::new(&world);
        let [here, there] = [0, 1].map(|process| {
            let (runtime, store) = (world.process(process), Arc::clone(&store));
            world.run(idle(&STABLE, ports(runtime, always(200, ""), store)))
        });
        world.run(insert_account(&there, AccountState::Active));
        Self {
            world,
            store,
            here,
            there,
        }
    }

    /// Sends an operation to `there`.
    fn send<O: Run<Environment>>(&self, operation: O) -> O::Output {
        self.world.send(&self.there, operation)
    }

    /// Checks whether `here` can call the account.
    fn call(&self) -> Result<()> {
        let snapshot = self.world.run(self.here.snapshot(&ada()));
        snapshot.and_then(|snapshot| snapshot.usable().map(drop))
    }

    fn authenticate(&self, bearer: &str) -> Result<()> {
        let caller = access::authenticate(&self.here, bearer);
        self.world.run(caller).map(drop)
    }

    /// Calls continuously, with a change in between. Within a second, the calls fail with this error.
    fn acts(&self, kind: ErrorKind, call: impl Fn() -> Result<()>, change: impl FnOnce()) {
        for _ in 0..100 {
            call().unwrap();
            self.world.advance(STEP);
        }
        change();
        let since = self.here.host.monotonic();
        let refused = loop {
            match call() {
                Ok(()) => self.world.advance(STEP),
                Err(error) => break error,
            }
            assert!(self.here.host.monotonic() - since < Duration::from_secs(1));
        };
        assert_eq!(refused.kind(), kind);
    }

    /// A bearer token of an application, and the application's client ID.
    fn application(&self) -> (String, String) {
        let new = NewAppCredential::new("app").scopes(["events:read"]);
        let issued = self.world.send(&self.there, new);
        let (id, secret) = (issued.credential.client_id, issued.client_secret);
        let token = access::issue_access_token(&self.there, &id, secret.expose_secret(), None);
        let token = self.world.ok(token).access_token;
        (token.expose_secret().to_owned(), id)
    }

    fn add_event(&self, event: Event) {
        let commit = self.there.store.commit(Batch::new().insert(event));
        assert_eq!(self.world.ok(commit), Commit::Committed);
    }
}

fn event(context: &Context, position: Option<i64>) -> Event {
    let new = NewEvent::new("webhook.created", serde_json::json!({}));
    Event {
        id: EventId::from_uuid(context.host.new_id()),
        name: new.name.to_owned(),
        at: START,
        actor: None,
        account_id: None,
        data: new.data,
        short_lived: false,
        position,
        extra: Default::default(),
    }
}

#[test]
fn an_account_that_was_suspended_there_is_refused_here() {
    let scene = Scene::new();
    let change = || drop(scene.send(SuspendAccount::new("demo", "ada")));
    scene.acts(ErrorKind::AccountSuspended, || scene.call(), change);
    scene.send(ResumeAccount::new("demo", "ada"));
    scene.world.advance(Duration::from_secs(1));
    assert!(scene.call().is_ok());
}

#[test]
fn an_account_that_was_disconnected_there_is_refused_here() {
    for erase in [false, true] {
        let scene = Scene::new();
        let how = Disconnection::default().erase(erase);
        let change = || drop(scene.send(DisconnectAccount::new("demo", "ada").how(how)));
        scene.acts(ErrorKind::AuthorizationRequired, || scene.call(), change);
    }
}

#[test]
fn a_connection_that_was_disabled_there_is_refused_here() {
    let scene = Scene::new();
    let off = ConnectionChange::default().disabled(true);
    let known = || {
        let known = scene.world.ok(scene.here.known_connections());
        crate::domain::readiness::connection_ready(&known[0])
    };
    let change = || drop(scene.send(ChangeConnection::new("demo", off)));
    let call = || scene.call().and_then(|()| known());
    scene.acts(ErrorKind::ConnectionNotReady, call, change);
    assert!(known().is_err());
}

#[test]
fn a_credential_that_was_revoked_there_is_refused_here() {
    let scene = Scene::new();
    let (bearer, id) = scene.application();
    let change = || scene.send(DeleteAppCredential::new(&id));
    let call = || scene.authenticate(&bearer);
    scene.acts(ErrorKind::Unauthenticated, call, change);
}

#[test]
fn a_session_of_an_agent_that_was_ended_there_is_refused_here() {
    let scene = Scene::new();
    let mut new = NewMcpSession::new("ada");
    new.verify_url = Some(String::from("https://app.test/back"));
    let made = scene.send(new);
    let id = made.session.session_id.to_string();
    let change = || scene.send(DeleteMcpSession::new(&id));
    let call = || scene.authenticate(made.token.expose_secret());
    scene.acts(ErrorKind::Unauthenticated, call, change);
}

#[test]
fn an_account_token_that_was_deleted_or_erased_there_is_refused_here() {
    for by_itself in [true, false] {
        let scene = Scene::new();
        let new = NewAccountToken::new("demo", "ada", TokenAccess::Read);
        let made = scene.send(new);
        let id = made.token_id.to_string();
        let change = || match by_itself {
            true => scene.send(DeleteAccountToken::new(&id)),
            false => {
                let how = Disconnection::default().erase(true);
                drop(scene.send(DisconnectAccount::new("demo", "ada").how(how)));
            }
        };
        let call = || scene.authenticate(made.token.expose_secret());
        scene.acts(ErrorKind::Unauthenticated, call, change);
    }
}

#[test]
fn calls_on_warm_caches_look_nothing_up() {
    let scene = Scene::new();
    let (bearer, _) = scene.application();
    let mut agent = NewMcpSession::new("ada");
    agent.verify_url = Some(String::from("https://app.test/back"));
    let agent = scene.send(agent).token;
    let calls = |pause| {
        for _ in 0..100 {
            scene.authenticate(&bearer).unwrap();
            scene.call().unwrap();
            scene.world.ok(scene.here.policies());
            let caller = access::authenticate(&scene.here, agent.expose_secret());
            let of_agent = scene.here.acting_as(scene.world.ok(caller));
            let connections = access::mcp_sessions::usable_connections(&of_agent);
            assert_eq!(scene.world.ok(connections).len(), 1);
            scene.world.advance(pause);
        }
    };
    calls(Duration::ZERO);
    let before = (scene.store.count(), scene.store.lists());
    calls(Duration::ZERO);
    assert_eq!((scene.store.count(), scene.store.lists()), before);
    calls(Duration::from_millis(10));
    let looks = scene.store.lists() - before.1;
    assert_eq!((scene.store.count() - before.0, looks), (0, 4));
}

#[test]
fn the_feed_is_not_read_without_calls() {
    let scene = Scene::new();
    let lists = scene.store.lists();
    scene.world.advance(UNUSED);
    assert_eq!(scene.store.lists(), lists);
    scene.call().unwrap();
    scene.world.advance(UNUSED);
    let lists = scene.store.lists();
    scene.world.advance(UNUSED * 10);
    assert_eq!(scene.store.lists(), lists);
    // The next call immediately reads the events since then.
    scene.send(SuspendAccount::new("demo", "ada"));
    let kind = scene.call().unwrap_err().kind();
    assert_eq!(kind, ErrorKind::AccountSuspended);
}

#[test]
fn the_first_call_after_a_pause_relies_on_nothing_from_before() {
    for pause in [2, 4, 6, 60, 3_000, 4_000] {
        let scene = Scene::new();
        scene.call().unwrap();
        scene.world.freeze(0, true);
        scene.send(SuspendAccount::new("demo", "ada"));
        scene.world.advance(Duration::from_secs(pause));
        scene.world.freeze(0, false);
        let kind = scene.call().unwrap_err().kind();
        assert_eq!(kind, ErrorKind::AccountSuspended, "{pause} s");
    }
}

#[test]
fn callers_who_wait_for_the_feed_share_one_query() {
    let scene = Scene::new();
    scene.call().unwrap();
    scene.world.advance(UNUSED + Duration::from_secs(2));
    let lists = scene.store.lists();
    scene.store.set(Mode::Slow);
    let asked = (0..1000).map(|_| scene.here.reliable_since());
    scene.world.run(join_all(asked));
    assert_eq!(scene.store.lists() - lists, 1);
}

#[test]
fn data_read_before_following_the_feed_is_read_again() {
    let scene = Scene::new();
    scene.world.ok(scene.here.reload(&ada()));
    scene.send(SuspendAccount::new("demo", "ada"));
    scene.world.advance(Duration::from_secs(2));
    let kind = scene.call().unwrap_err().kind();
    assert_eq!(kind, ErrorKind::AccountSuspended);
}

#[test]
fn too_many_events_clear_the_cache() {
    for count in [1, 199, 200, 450, 1_100] {
        let scene = Scene::new();
        let snapshot = || scene.world.ok(scene.here.snapshot(&ada()));
        let first = snapshot();
        scene.world.advance(Duration::from_secs(2));
        scene.world.freeze(0, true);
        for _ in 0..count {
            scene.add_event(event(&scene.there, None));
        }
        scene.world.advance(Duration::from_secs(2));
        scene.world.freeze(0, false);
        let is_kept = Arc::ptr_eq(&first, &snapshot());
        assert_eq!(is_kept, count < 1_000, "{count} events");
        scene.send(SuspendAccount::new("demo", "ada"));
        scene.world.advance(Duration::from_secs(1));
        assert!(scene.call().is_err());
    }
}

#[test]
fn the_cache_is_cleared_if_the_feed_lost_its_last_event() {
    for replaced in [false, true] {
        let scene = Scene::new();
        let store = &scene.there.store;
        let (ada, there) = (ada(), &scene.there);
        let connection = scene.world.ok(there.snapshot(&ada)).connection.id;
        let before = store.account_of(connection, &ada.identifier);
        let before = scene.world.ok(before).unwrap().row;
        scene.send(SuspendAccount::new("demo", "ada"));
        assert!(scene.call().is_err());
        // A failover silently loses the last commit.
        let lost = scene.world.ok(store.last_event()).unwrap();
        let now = scene.world.ok(store.account(before.id)).unwrap();
        let lose = Batch::new().delete(lost.row.id, lost.version);
        let lose = lose.update(before, now.version);
        assert_eq!(scene.world.ok(store.commit(lose)), Commit::Committed);
        if replaced {
            scene.add_event(event(&scene.there, lost.row.position));
        }
        scene.world.advance(CURRENT + STEP);
        assert!(scene.call().is_ok());
    }
}

#[test]
fn a_store_that_is_away_is_not_asked_for_the_feed() {
    let scene = Scene::new();
    scene.call().unwrap();
    scene.store.set(Mode::Failing);
    scene.world.advance(Duration::from_secs(2));
    let lists = scene.store.lists();
    for _ in 0..10 {
        // Calls use the last snapshot that was read, and don't wait.
        let before = scene.here.host.monotonic();
        assert!(scene.call().is_ok());
        assert_eq!(scene.here.host.monotonic(), before);
        scene.world.advance(Duration::from_secs(1));
    }
    assert_eq!(scene.store.lists(), lists);
    scene.store.set(Mode::Present);
    scene.world.advance(Duration::from_secs(1));
    scene.send(SuspendAccount::new("demo", "ada"));
    scene.world.advance(Duration::from_secs(1));
    let kind = scene.call().unwrap_err().kind();
    assert_eq!(kind, ErrorKind::AccountSuspended);
}
