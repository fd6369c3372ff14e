//! A database with version 1 of the schema. Its calls stay in the history.

use std::sync::Arc;

use futures_util::future::ready;
use stead_core::{
    Result,
    api::Paging,
    catalogue::Catalogue,
    environment::{Environment, EnvironmentOptions, Ports, Retention},
    ports::{Body, BoxFuture, Entropy, Transport, TransportError, TransportErrorKind},
    resource::{ExecutionFilter, ListExecutions},
    seal::KeyRing,
    store::{Commit, Row, Store as _},
};

use stead_testkit::store::sample;

use crate::scratch::{Scratch, all, clock, insert, run};

/// Calls in the format of the first schema.
const CALLS: [(&str, &str); 2] = [
    (
        "exec_01a1ff3a3bf7700cab7ac38bb367371b",
        r#"{"id":"exec_01a1ff3a3bf7700cab7ac38bb367371b","tool":"mail_list_drafts","tool_version":"2026-11-21","account_id":"acct_01a1ff3a3b857004aaf90df5a9b804ed","connection_name":"mail","identifier":"ada","started_at":"2026-11-21T17:49:28.951607581Z","duration_micros":76618,"outcome":"ok","requests":1}"#,
    ),
    (
        "exec_01a1ff3a3bf7700cab7ac38bb367371c",
        r#"{"id":"exec_01a1ff3a3bf7700cab7ac38bb367371c","tool":"proxy","tool_version":"GET","account_id":null,"connection_name":"mail","identifier":"nobody","started_at":"2026-11-21T17:49:29Z","duration_micros":12,"outcome":"account_not_found","requests":0}"#,
    ),
];

struct NoNetwork;
impl Transport for NoNetwork {
    fn send(
        &self,
        _: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let error = TransportError::new(TransportErrorKind::Unreachable, "there is no network");
        Box::pin(ready(Err(error)))
    }
}

struct Sevens;
impl Entropy for Sevens {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

#[tokio::test]
async fn calls_of_the_first_schema_are_moved_and_counted() {
    let scratch = Scratch::new();
    let mut connection = scratch.tamper().await;
    let schema = include_str!("../../migrations/0001_rows.sql");
    sqlx::raw_sql(schema)
        .execute(&mut connection)
        .await
        .unwrap();
    for statement in [
        "CREATE TABLE \"stead_schema\" (\"version\" BIGINT NOT NULL PRIMARY KEY, \"applied_at\" TEXT NOT NULL)",
        "INSERT INTO \"stead_schema\" VALUES (1, '2026-11-21T00:00:00Z')",
    ] {
        run(&mut connection, statement).await;
    }
    for ((id, body), started_at) in CALLS
        .iter()
        .zip([1_795_283_368_951_607_581_i64, 1_795_283_369_000_000_000])
    {
        let insert =
            format!("INSERT INTO \"execution\" VALUES ('{id}', {started_at}, 1, '{body}')");
        assert_eq!(run(&mut connection, &insert).await, 1);
    }
    drop(connection);

    let store = Arc::new(scratch.open().await);
    assert_eq!(all(&store, "execution").await.len(), 2);
    let (keys, _) = KeyRing::generate(&Sevens);
    let ports = Ports::new(
        Arc::new(NoNetwork),
        clock(),
        Arc::new(Sevens),
        Arc::clone(&store) as _,
        keys,
    );
    let mut options = EnvironmentOptions::new("https://stead.test").unwrap();
    options.retention = Retention::FOREVER;
    let environment = Environment::open(options, Catalogue::new([]), ports)
        .await
        .unwrap();
    for _ in 0..2 {
        environment.maintain().await.unwrap();
        assert!(all(&store, "execution").await.is_empty());
        let page = environment
            .send(
                ListExecutions::new()
                    .filter(ExecutionFilter::default().clone())
                    .page(Paging::new(None, 10)),
            )
            .await
            .unwrap();
        let found: Vec<_> = page
            .items
            .iter()
            .map(|call| (call.execution_id.to_string(), call.outcome.as_str()))
            .collect();
        let [(first, _), (second, _)] = CALLS;
        assert_eq!(
            found,
            [
                (second.to_owned(), "account_not_found"),
                (first.to_owned(), "ok")
            ]
        );
        let (since, before) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        let totals = environment.call_totals(since, before).await.unwrap();
        assert_eq!(
            totals.iter().map(|one| one.calls).collect::<Vec<_>>(),
            [1, 1]
        );
    }
}

/// Maximum bytes of a call in the history, with indexes.
const MOST_BYTES: i64 = 120;

#[tokio::test]
async fn a_call_takes_at_most_120_bytes() {
    const CALLS: u32 = 20_000;
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let calls: Vec<Row> = sample::calls(CALLS).collect();
    for some in calls.chunks(2) {
        let committed = store.commit(insert(some.to_vec())).await.unwrap();
        assert_eq!(committed, Commit::Committed);
    }
    let mut connection = scratch.tamper().await;
    let bytes = "SELECT SUM(\"pgsize\") FROM \"dbstat\" WHERE \"name\" = 'call'";
    let bytes: i64 = sqlx::query_scalar(bytes)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let each = bytes / i64::from(CALLS);
    println!("{each} bytes a call");
    assert!(each <= MOST_BYTES, "{each}");
}
