//! A connection gets another host or client under load, and its process is killed at each of its writes.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use url::form_urlencoded;

use super::*;
use crate::{
    ErrorKind, call, connections,
    domain::AuthorizationState,
    oauth::{
        verify,
        visitor::{allowed, come_back, connect},
    },
    ports::{Body, Runtime as _, Transport},
    product::{DerivedSettings, OAuth, Origin, Product, Rotation},
    resource::{
        ChangeConnection, ConnectionChange, ExecuteRequest, NewConnection, ReadAccount,
        VerifyAuthorization,
    },
    state::{AccountReason, AccountState},
    store::MemoryStore,
    testing::{Asked, Flaky, Process, Responses, World, demo, response},
};

/// A product whose host is set by the connection.
static HOSTED: Product = {
    let product = demo(Rotation::Rotating);
    Product {
        origins: &[Origin {
            name: "api",
            url: "https://{host}",
            base: "/v1",
        }],
        settings: |settings| {
            let host = settings.get("host").and_then(Value::as_str);
            Ok(DerivedSettings {
                host: host.map(str::to_owned),
                ..DerivedSettings::default()
            })
        },
        oauth: OAuth {
            authorize: "https://{host}/authorize",
            token: "https://{host}/token",
            revoke: Some("https://{host}/revoke"),
            ..product.oauth
        },
        ..product
    }
};

/// The product on both hosts. Each token names the host and the client that it was issued to.
#[derive(Default)]
struct Hosts {
    issued: AtomicU32,
    /// Requests that carried what was issued to another client or host.
    misled: Mutex<Vec<String>>,
    calls: Mutex<BTreeMap<String, u32>>,
    /// Number of calls that are asked to come again later.
    busy: AtomicU32,
}

impl Hosts {
    fn transport(self: &Arc<Self>) -> Arc<dyn Transport> {
        let hosts = Arc::clone(self);
        Responses::by(move |request: http::Request<Body>| {
            let hosts = Arc::clone(&hosts);
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect(4096).await?;
                let host = head.uri.host().unwrap().to_owned();
                if head.uri.path() == "/v1/notes/n1" {
                    let bearer = head.headers["authorization"].to_str().unwrap();
                    hosts.presented(&host, bearer.trim_start_matches("Bearer "));
                    *hosts.calls.lock().unwrap().entry(host).or_default() += 1;
                    let less = |count: u32| count.checked_sub(1);
                    let busy = &hosts.busy;
                    if (busy.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)).is_ok() {
                        return Ok(response(503, ""));
                    }
                    return Ok(response(200, "{}"));
                }
                let form: BTreeMap<String, String> =
                    form_urlencoded::parse(&body).into_owned().collect();
                let client = format!("{host}/{}", form["client_id"]);
                for member in ["code", "refresh_token", "token"] {
                    if let Some(secret) = form.get(member) {
                        hosts.presented(&client, secret);
                    }
                }
                let number = hosts.issued.fetch_add(1, Ordering::SeqCst);
                let tokens = json!({
                    "access_token": format!("{client}/access-{number}"),
                    "refresh_token": format!("{client}/refresh-{number}"),
                    "expires_in": 3600,
                });
                Ok(response(200, tokens.to_string()))
            }
        })
    }

    fn presented(&self, to: &str, secret: &str) {
        if !secret.starts_with(to) {
            self.misled
                .lock()
                .unwrap()
                .push(format!("{secret} at {to}"));
        }
    }
}

async fn read_note(context: &Context, user: &str) -> Result<()> {
    let request = ExecuteRequest::new("demo", user, json!({ "note_id": "n1" }));
    call::execute(context, "demo_read_note", request)
        .await
        .map(drop)
}

fn host(host: &str) -> ConnectionChange {
    let mut settings = serde_json::Map::new();
    settings.insert(String::from("host"), json!(host));
    ConnectionChange::default().settings(settings)
}

fn spawn(process: &Arc<Process>, work: impl Future<Output = ()> + Send + 'static) {
    process.spawn(Box::pin(work));
}

const USERS: [&str; 4] = ["u1", "u2", "u3", "u4"];

/// Changes the connection under load, in a process that crashes at this write. Returns whether it finished first.
fn changed(change: &ConnectionChange, writes: u32, after: bool) -> bool {
    let world = World::seeded(u64::from(writes));
    let hosts = Arc::new(Hosts::default());
    let rows = Arc::new(MemoryStore::new(world.process(1)));
    // The first process is killed before or after one of its writes.
    let dying = Flaky::over(Arc::clone(&rows) as _, false);
    let left = Arc::new(AtomicU32::new(u32::MAX));
    let counted = Arc::clone(&left);
    dying.script(move |asked| {
        let counts = match asked {
            Asked::Commit => !after,
            Asked::Answered(..) => after,
            _ => false,
        };
        let alive = |left: u32| left.checked_sub(1);
        let dies = counts
            && counted
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, alive)
                .is_err();
        async move {
            match dies {
                true => std::future::pending().await,
                false => Ok(()),
            }
        }
    });
    let [first, second] = [0, 1].map(|process| world.process(process));
    let here = world.open(0, &HOSTED, hosts.transport(), &dying);
    let there = world.open(1, &HOSTED, hosts.transport(), &rows);
    let mut new = NewConnection::new("demo", "demo").client("client-1", "secret");
    new = new.setting("host", "a.test");
    world.send(&there, new);
    for user in USERS {
        world.run(connect(&there, user));
        for context in [&here, &there] {
            world.ok(read_note(context, user));
        }
    }
    // Soon, every call needs a refresh.
    world.advance(Duration::from_secs(3540));
    let unconfirmed = world.run(allowed(&there, "unconfirmed"));
    world.ok(come_back(&there, &unconfirmed));
    let redirected = world.run(allowed(&there, "redirected"));
    world.run(allowed(&there, "created-later"));

    left.store(writes, Ordering::SeqCst);
    let lived = Arc::new(AtomicU32::new(0));
    let (context, change, end) = (here.clone(), change.clone(), Arc::clone(&lived));
    for (process, context) in [(&first, &here), (&second, &there)] {
        for user in USERS {
            let context = context.clone();
            spawn(process, async move {
                for _ in 0..5 {
                    let _ = read_note(&context, user).await;
                    context.host.runtime.sleep(Duration::from_millis(10)).await;
                }
            });
        }
    }
    spawn(&first, async move {
        connections::change(&context, ChangeConnection::new("demo", change))
            .await
            .unwrap();
        end.store(1, Ordering::SeqCst);
    });
    world.advance(Duration::from_secs(1));
    world.kill(0);
    let lived = lived.load(Ordering::SeqCst) == 1;
    let connection = world.ok(there.connection_row("demo")).row;
    if connection.client_epoch == 0 {
        assert!(!lived);
        return false;
    }
    // The other process may use cached tokens at the old host until it reads the rows again, but never at the new host.
    world.advance(Duration::from_secs(6));
    for user in USERS {
        let _ = world.run(read_note(&there, user));
        world.run_until_idle();
        let error = world.err(read_note(&there, user));
        assert_eq!(error.kind(), ErrorKind::AuthorizationRequired, "{user}");
        assert_eq!(error.context()["reason"], "client_changed");
        let seen = world.send(&there, ReadAccount::new("demo", user));
        assert_eq!(seen.state, AccountState::NeedsReauthorization);
        assert_eq!(seen.reason, Some(AccountReason::ClientChanged));
    }
    let late = world.err(come_back(&there, &redirected));
    assert!(
        [
            ErrorKind::AuthorizationExpired,
            ErrorKind::AuthorizationConsumed
        ]
        .contains(&late.kind()),
        "{late}"
    );
    let confirmed = world.run(verify(
        &there,
        VerifyAuthorization::new(unconfirmed.id.to_string(), "unconfirmed"),
    ));
    assert!(confirmed.is_err());
    // The next round of maintenance finishes the interrupted work.
    world.advance(Duration::from_secs(31));
    for user in USERS {
        let identifier = crate::identifier::Identifier::new(user).unwrap();
        let found = world.run(there.store.account_of(connection.id, &identifier));
        let row = found.unwrap().unwrap().row;
        assert_eq!(row.state, AccountState::NeedsReauthorization);
        assert_eq!(row.reason, Some(AccountReason::ClientChanged));
        let events = world.ok(there.store.events(None, None, 1000));
        let ends = events.iter().filter(|event| {
            event.row.name == "account.needs_reauthorization"
                && event.row.account_id == Some(row.id)
        });
        assert_eq!(ends.count(), 1, "{user}");
    }
    for visitor in [&redirected, &unconfirmed] {
        let row = world.ok(there.authorization_row(visitor.id)).row;
        assert_eq!(row.state, AuthorizationState::Failed);
        assert_eq!(row.reason.as_deref(), Some(CLIENT_CHANGED));
    }
    let connection = world.ok(there.connection_row("demo")).row;
    assert_eq!(connection.ended_epoch, connection.client_epoch);
    // A user who authorizes again is connected through the new client.
    world.run(connect(&there, "u1"));
    world.ok(read_note(&there, "u1"));
    assert_eq!(*hosts.misled.lock().unwrap(), Vec::<String>::new());
    lived
}

/// Crashes the process at its first write, then at its second, and so on, until it has no more.
fn killed_at_every_write(change: &ConnectionChange) {
    for after in [false, true] {
        let mut writes = 0;
        while !changed(change, writes, after) {
            writes += 1;
            assert!(writes < 100);
        }
        assert!(writes > 4, "{writes} writes");
    }
}

#[test]
fn an_interrupted_host_change_sends_no_token_to_the_other_host() {
    killed_at_every_write(&host("b.test"));
}

#[test]
fn an_interrupted_client_change_presents_no_token_for_the_other_client() {
    killed_at_every_write(&ConnectionChange::default().client("client-2", "secret-2"));
}

/// A call's address is looked up when it starts, its token before each request.
#[test]
fn a_call_from_before_the_change_sends_no_new_token_to_the_old_host() {
    let world = World::new();
    let hosts = Arc::new(Hosts::default());
    let rows = world.store();
    let process = world.process(0);
    let context = world.open(0, &HOSTED, hosts.transport(), &rows);
    let mut new = NewConnection::new("demo", "demo").client("client-1", "secret");
    new = new.setting("host", "a.test");
    world.send(&context, new);
    world.run(connect(&context, "u1"));
    hosts.busy.store(1, Ordering::SeqCst);
    let (caller, response) = (context.clone(), Arc::new(Mutex::new(None)));
    let said = Arc::clone(&response);
    spawn(&process, async move {
        *said.lock().unwrap() = Some(read_note(&caller, "u1").await);
    });
    world.run_until_idle();
    world.send(&context, ChangeConnection::new("demo", host("b.test")));
    world.run(connect(&context, "u1"));
    world.advance(Duration::from_secs(60));
    let error = response.lock().unwrap().take().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionNotReady, "{error}");
    assert_eq!(*hosts.misled.lock().unwrap(), Vec::<String>::new());
    assert_eq!(hosts.calls.lock().unwrap()["a.test"], 1);
    world.ok(read_note(&context, "u1"));
}
