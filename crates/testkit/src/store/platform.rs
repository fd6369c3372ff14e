//! The platform over a store with rows that other versions of Stead, or other programs, have
//! written.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use serde_json::{Value as Json, json};
use stead_core::{
    ErrorKind, Result,
    api::Paging,
    catalogue::Catalogue,
    environment::{Environment, EnvironmentOptions, Ports},
    ports::{Body, BoxFuture, Entropy, Transport, TransportError, TransportErrorKind},
    product::{OAuth, Product},
    resource::{
        ListConnections, NewAuthorizationLink, NewConnection, ReadAccount, ReadConnection,
        SuspendAccount,
    },
    seal::KeyRing,
    store::{List, Row},
};

use super::{
    Check, Shared, check,
    look::{answered, commit, listed, stored, updating},
    sample,
};
use crate::runtime::ManualClock;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(unknown_members_are_kept),
        check(a_newer_body_is_not_written),
        check(an_unreadable_row_is_set_aside),
    ]
}

static PRODUCT: Product = Product {
    name: "demo",
    oauth: OAuth {
        authorize: "https://login.demo.test/authorize",
        token: "https://login.demo.test/token",
        ..OAuth::BASE
    },
    ..Product::BASE
};

struct NoNetwork;
impl Transport for NoNetwork {
    fn send(
        &self,
        _: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let error = TransportError::new(TransportErrorKind::Unreachable, "there is no network");
        Box::pin(std::future::ready(Err(error)))
    }
}

struct Sevens;
impl Entropy for Sevens {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// An environment with the connections `one` and `two`, and an account of the first.
async fn environment(store: &Shared) -> (Environment, ManualClock) {
    let (keys, _) = KeyRing::generate(&Sevens);
    let clock = ManualClock::default();
    let ports = Ports::new(
        Arc::new(NoNetwork),
        Arc::new(clock.clone()),
        Arc::new(Sevens),
        Arc::clone(store),
        keys,
    );
    let options = answered(EnvironmentOptions::new("https://stead.test"));
    let environment = Environment::open(options, Catalogue::new([&PRODUCT]), ports).await;
    let environment = answered(environment);
    for name in ["one", "two"] {
        let new = json!({
            "connection_name": name, "product": "demo", "client_id": "client", "client_secret": "secret",
        });
        let new: NewConnection = serde_json::from_value(new).expect("a connection");
        answered(environment.send(new).await);
    }
    let new = json!({
        "connection_name": "one", "identifier": "ada", "verify_url": "https://app.test/back",
    });
    let new: NewAuthorizationLink = serde_json::from_value(new).expect("a link");
    answered(done(&clock, environment.send(new)).await);
    (environment, clock)
}

/// The row of a table whose body contains a text.
async fn row_with(store: &Shared, table: &str, text: &str) -> (Row, u64) {
    let table = sample::table(table);
    let rows = listed(&**store, &List::new(table, table.key)).await;
    let row = rows.iter().find(|row| row.body.contains(text));
    let key = row.expect("a row with this text").key();
    stored(&**store, &key).await.expect("it is there")
}

async fn account(store: &Shared) -> (Row, u64) {
    row_with(store, "account", "\"ada\"").await
}

/// Changes the body of a row behind core's back. Rows of accounts have no MAC.
async fn change_body(store: &Shared, of: (Row, u64), change: impl FnOnce(&mut Json)) {
    let (mut row, version) = of;
    let mut body = serde_json::from_str(&row.body).expect("JSON");
    change(&mut body);
    row.body = body.to_string();
    commit(&**store, updating(row, version)).await;
}

async fn suspend(environment: &Environment, clock: &ManualClock) -> Result<()> {
    let suspended = done(clock, environment.send(SuspendAccount::new("one", "ada"))).await;
    suspended.map(drop)
}

/// Runs work that spawns tasks, and returns its result. Other tasks only wait for time to pass.
async fn done<T>(clock: &ManualClock, work: impl Future<Output = T>) -> T {
    let (mut work, mut tasks) = (pin!(work), pin!(clock.run_spawned()));
    poll_fn(|context| {
        loop {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(done);
            }
            if tasks.as_mut().poll(context).is_ready() {
                tasks.set(clock.run_spawned());
            }
            let polled = work.as_mut().poll(context);
            // The work may have spawned another task.
            if polled.is_ready() || clock.spawned() == 0 {
                return polled;
            }
        }
    })
    .await
}

async fn unknown_members_are_kept(store: Shared) {
    let (environment, clock) = environment(&store).await;
    let newer = json!({ "a": [1, null, "ü"], "b": 0.1 });
    change_body(&store, account(&store).await, |body| {
        body["newer"] = newer.clone()
    })
    .await;
    answered(suspend(&environment, &clock).await);
    let (row, version) = account(&store).await;
    let body: Json = serde_json::from_str(&row.body).expect("JSON");
    assert_eq!(
        (&body["newer"], &body["state"]),
        (&newer, &json!("suspended"))
    );
    assert_eq!(version, 3);
}

async fn a_newer_body_is_not_written(store: Shared) {
    let (environment, clock) = environment(&store).await;
    change_body(&store, account(&store).await, |body| {
        body["v"] = json!(1_000_000)
    })
    .await;
    answered(done(&clock, environment.send(ReadAccount::new("one", "ada"))).await);
    let error = suspend(&environment, &clock)
        .await
        .expect_err("it is not written");
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable, "{error}");
}

async fn an_unreadable_row_is_set_aside(store: Shared) {
    let (environment, _) = environment(&store).await;
    let connection = row_with(&store, "connection", "\"one\"").await;
    change_body(&store, connection, |body| body["state"] = json!("nonsense")).await;
    let error = environment
        .send(ReadConnection::new("one"))
        .await
        .expect_err("it cannot be read");
    assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{error}");
    let page = answered(
        environment
            .send(ListConnections::new().page(Paging::new(None, 1)))
            .await,
    );
    let names: Vec<&str> = page
        .items
        .iter()
        .map(|item| item.connection_name.as_str())
        .collect();
    assert_eq!(names, ["two"]);
}
