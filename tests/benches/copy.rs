//! An environment with 100,000 accounts moves from a file to PostgreSQL, interrupted twice, and back; calls and links go on.
//!
//! `cargo xtask bench copy [ACCOUNTS]`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a measurement prints its figures, and ends where something is not as it should be"
)]

#[path = "../stories/notes.rs"]
#[expect(dead_code, reason = "the rest is for the stories")]
mod notes;

use std::{
    path::Path,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use futures_util::future::{Either, poll_fn, select};
use secrecy::ExposeSecret as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions};
use stead::{
    Platform, TokioRuntime,
    store::{Copied, CopyProgress, CopyStep, StoreCopy},
};
use stead_core::{ports::Runtime, seal::KeyRing};
use stead_test_postgres::Server;

/// Accounts that a user has connected, and that make calls. The others are copies of one of them.
const CONNECTED: usize = 100;
/// Rows of each other account: itself, a credential, an authorization and an event.
const COPIES: [&str; 4] = [
    "INSERT INTO account (id, connection_id, identifier, state, version, body)
     SELECT substr(id, 1, length(id) - 8) || printf('%08x', i), connection_id, 'copy-' || i || '@example.com', state, version,
       json_set(body, '$.id', substr(id, 1, length(id) - 8) || printf('%08x', i), '$.identifier', 'copy-' || i || '@example.com')
     FROM n, (SELECT * FROM account LIMIT 1)",
    "INSERT INTO credential (account_id, generation, live, created_at, version, body)
     SELECT substr(account_id, 1, length(account_id) - 8) || printf('%08x', i), generation, live, created_at, version,
       json_set(body, '$.account_id', substr(account_id, 1, length(account_id) - 8) || printf('%08x', i))
     FROM n, (SELECT * FROM credential LIMIT 1)",
    "INSERT INTO authorization (id, account_id, link, oauth_state, pending, expires_at, version, body)
     SELECT substr(id, 1, length(id) - 8) || printf('%08x', i), account_id, substr(link, 1, 56) || printf('%08x', i), NULL,
       pending, expires_at, version, json_set(body, '$.id', substr(id, 1, length(id) - 8) || printf('%08x', i))
     FROM n, (SELECT * FROM authorization LIMIT 1)",
    "INSERT INTO event (id, lasts, at, account_id, version, body)
     SELECT substr(id, 1, length(id) - 8) || printf('%08x', i), lasts, at, account_id, version,
       json_set(body, '$.id', substr(id, 1, length(id) - 8) || printf('%08x', i))
     FROM n, (SELECT * FROM event LIMIT 1)",
];

#[tokio::main]
async fn main() {
    let accounts = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(100_000_usize);
    let server = Server::shared().expect("PostgreSQL");
    let folder = tempfile::tempdir().unwrap();
    let (_, key) = KeyRing::generate(&stead::OsEntropy);
    let key = key.expose_secret();
    let first = folder.path().join("stead.db");
    let platform = notes::builder().key(key).sqlite(&first);
    let link = environment(platform.build().await.unwrap()).await;
    more_accounts(&first, accounts.saturating_sub(CONNECTED)).await;

    let (from, url) = (file(&first), server.url(&server.database()));
    println!("{accounts} accounts, to PostgreSQL, interrupted twice");
    for percent in [33, 66] {
        let seconds = interrupted(&from, &url, percent).await;
        println!("  interrupted at {percent}% of the rows, after {seconds:.1} s");
    }
    let there = finished(&from, &url).await;
    println!("and back into a file");
    let back = finished(&url, &file(&folder.path().join("back.db"))).await;
    assert_eq!(back.tables, there.tables);

    let platform = notes::builder().key(key).postgres(&url);
    let platform = platform.build().await.unwrap();
    for number in 0..CONNECTED {
        let account = platform.account("notes", &notes::user(number)).unwrap();
        let called = account.execute("notes_read_note", json!({ "note_id": "n1" }));
        called.await.unwrap();
    }
    notes::connect(&platform, &link).await.unwrap();
    platform.shut_down().await;
    println!(
        "on PostgreSQL: {CONNECTED} of {CONNECTED} accounts make a call, and the open link connects its user"
    );
}

/// Users who are connected, and the link of one who is not yet.
async fn environment(platform: Platform) -> String {
    notes::connection(&platform).await.unwrap();
    let mut last = String::new();
    for number in 0..=CONNECTED {
        if number > 0 {
            notes::connect(&platform, &last).await.unwrap();
        }
        let link = platform
            .actions()
            .authorization_link("notes", &notes::user(number));
        last = link.await.unwrap().link;
    }
    platform.shut_down().await;
    last
}

async fn more_accounts(file: &Path, count: usize) {
    let options = SqliteConnectOptions::new().filename(file);
    let mut database = options.connect().await.unwrap();
    for copies in COPIES {
        let (insert, select) = copies.split_once("SELECT").unwrap();
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) {insert} SELECT {select}"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .execute(&mut database)
            .await
            .unwrap();
    }
}

fn file(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Drops a copy once so much of it is there; after how many seconds that was.
async fn interrupted(from: &str, to: &str, percent: u64) -> f64 {
    let runtime = Arc::new(TokioRuntime::current().unwrap());
    let began = runtime.monotonic();
    let stop = AtomicBool::new(false);
    let mut told = |come: CopyProgress| {
        if come.step == CopyStep::Copying && come.rows * 100 >= come.of * percent {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let copy = StoreCopy::new(from, to).unwrap();
    let copying = pin!(copy.run(Arc::clone(&runtime) as _, &mut told));
    let stopped = poll_fn(|_| match stop.load(Ordering::Relaxed) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    });
    if let Either::Left((done, _)) = select(copying, stopped).await {
        panic!("it ended before: {done:?}");
    }
    seconds(&runtime, began)
}

/// Copies what is left, and prints what is there.
async fn finished(from: &str, to: &str) -> Copied {
    let runtime = Arc::new(TokioRuntime::current().unwrap());
    let began = runtime.monotonic();
    let mut compared = None;
    let mut told = |come: CopyProgress| {
        if come.step == CopyStep::Comparing && compared.is_none() {
            compared = Some(seconds(&runtime, began));
        }
    };
    let copy = StoreCopy::new(from, to).unwrap();
    let copied = copy.run(Arc::clone(&runtime) as _, &mut told).await;
    let copied = copied.unwrap();
    let (rows, all) = (
        copied.tables.iter().map(|table| table.rows).sum::<u64>(),
        seconds(&runtime, began),
    );
    let copying = compared.unwrap_or(all);
    let rate = (rows - copied.resumed_at) as f64 / copying;
    println!(
        "  {rows} rows, {} of them there before; copied in {copying:.1} s ({rate:.0} rows a second), compared in {:.1} s",
        copied.resumed_at,
        all - copying
    );
    let mut digests = Sha256::new();
    for table in copied.tables.iter().filter(|table| table.rows > 0) {
        println!("  {:16} {:>8} {}", table.table, table.rows, table.digest);
        digests.update(&table.digest);
    }
    let digests = digests.finalize();
    println!("  equal in both: {digests:x}");
    copied
}

fn seconds(runtime: &TokioRuntime, since: Duration) -> f64 {
    runtime.monotonic().saturating_sub(since).as_secs_f64()
}
