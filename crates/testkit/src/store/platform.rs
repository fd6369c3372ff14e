//! The platform over a store: what other versions of Stead, or other hands, have written to it.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use futures_util::FutureExt as _;
use serde_json::{Value as Json, json};
use stead_core::{
    ErrorKind, Result,
    catalogue::Catalogue,
    environment::{Environment, EnvironmentOptions, Ports},
    ports::{Body, BoxFuture, Entropy, Transport, TransportError, TransportErrorKind},
    product::{OAuth, Product},
    resource::{ConnectionChange, NewConnection},
    seal::KeyRing,
    store::List,
};

use super::{
    Check, Shared, check,
    look::{answered, commit, listed, stored, updating},
    sample::{self, text},
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

/// An environment with the connections `one` and `two`.
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
        let new = json!({ "connection_name": name, "product": "demo" });
        let new: NewConnection = serde_json::from_value(new).expect("a connection");
        answered(environment.create_connection(new).await);
    }
    (environment, clock)
}

/// Changes the body of the connection `one` behind core's back.
async fn change_body(store: &Shared, change: impl FnOnce(&mut Json)) {
    let table = sample::table("connection");
    let found = answered(store.find(table, table.indexes[0], &[text("one")]).await);
    let mut found = found.expect("the connection");
    let mut body = serde_json::from_str(&found.row.body).expect("JSON");
    change(&mut body);
    found.row.body = body.to_string();
    commit(&**store, updating(found.row, found.version)).await;
}

async fn rename_client(environment: &Environment, clock: &ManualClock) -> Result<()> {
    let change = json!({ "client_id": "another" });
    let change: ConnectionChange = serde_json::from_value(change).expect("a change");
    let change = done(clock, environment.change_connection("one", change)).await;
    change.map(drop)
}

/// What comes of work that goes on in a task of its own. Other tasks only wait for time to pass.
async fn done<T>(clock: &ManualClock, work: impl Future<Output = T>) -> T {
    let (mut work, mut tasks) = (pin!(work), pin!(clock.run_spawned().fuse()));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Pending => {
            let _ = tasks.as_mut().poll(context);
            work.as_mut().poll(context)
        }
        done => done,
    })
    .await
}

async fn unknown_members_are_kept(store: Shared) {
    let (environment, clock) = environment(&store).await;
    let newer = json!({ "a": [1, null, "ü"], "b": 0.1 });
    change_body(&store, |body| body["newer"] = newer.clone()).await;
    answered(rename_client(&environment, &clock).await);
    let table = sample::table("connection");
    let rows = listed(&*store, &List::new(table, table.indexes[0])).await;
    let (row, version) = stored(&*store, &rows[0].key()).await.expect("it is there");
    let body: Json = serde_json::from_str(&row.body).expect("JSON");
    assert_eq!(
        (&body["newer"], &body["client_id"]),
        (&newer, &json!("another"))
    );
    assert_eq!(version, 3);
}

async fn a_newer_body_is_not_written(store: Shared) {
    let (environment, clock) = environment(&store).await;
    change_body(&store, |body| body["v"] = json!(1_000_000)).await;
    answered(environment.connection("one").await);
    let error = rename_client(&environment, &clock)
        .await
        .expect_err("it is not written");
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable, "{error}");
}

async fn an_unreadable_row_is_set_aside(store: Shared) {
    let (environment, _) = environment(&store).await;
    change_body(&store, |body| body["state"] = json!("nonsense")).await;
    let error = environment
        .connection("one")
        .await
        .expect_err("it cannot be read");
    assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{error}");
    let page = answered(environment.connections(None, 1).await);
    let names: Vec<&str> = page
        .items
        .iter()
        .map(|item| item.connection_name.as_str())
        .collect();
    assert_eq!(names, ["two"]);
}
