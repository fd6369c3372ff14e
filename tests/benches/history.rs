//! What a million calls leave behind: memory, bytes in the database, and totals that count every one of them. And what the
//! event of a refresh costs.
//!
//! `cargo xtask bench history [CALLS]`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a measurement prints its figures, and ends where something is not as it should be"
)]

#[path = "../stories/notes.rs"]
mod notes;
use std::{fs, path::Path, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use sqlx::{
    ConnectOptions as _, Row as _,
    sqlite::{SqliteConnectOptions, SqliteConnection},
};
use stead::{Platform, TokioRuntime, resource::ExecutionFilter};
use stead_core::{
    api::Paging,
    ports::{BoxFuture, Runtime},
    resource::ListExecutions,
};
use tokio::sync::watch;

/// Seconds of a call per second.
const SECONDS: usize = 3 * 3_600;
/// Refreshes, each with its event.
const REFRESHES: usize = 20_000;
/// Refreshes that are under way at the same time.
const AT_ONCE: usize = 8;

#[tokio::main]
async fn main() {
    // What cannot be written is a warning.
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .init();
    let calls = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    refreshes().await;
    under_load(calls.unwrap_or(1_000_000)).await;
    one_each_second().await;
}

async fn refreshes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stead.db");
    let platform = notes::platform(&file, None).await.unwrap();
    let before = event_bytes(&file).await;
    stream::iter(0..REFRESHES)
        .for_each_concurrent(AT_ONCE, |number| refresh(&platform, number))
        .await;
    platform.environment().shut_down().await;
    println!("{REFRESHES} refreshes: bytes per event");
    let mut all = 0.0;
    for ((name, before), (_, after)) in before.iter().zip(event_bytes(&file).await) {
        let each = (after - before) as f64 / REFRESHES as f64;
        println!("  {name}: {each:.1}");
        all += each;
    }
    println!("  in all: {all:.1}");
    let mut database = open(&file).await;
    let count =
        "SELECT COUNT(*) FROM event WHERE json_extract(body, '$.name') = 'account.refreshed'";
    let row = sqlx::query(count).fetch_one(&mut database).await.unwrap();
    assert_eq!(row.get::<i64, _>(0), REFRESHES as i64);
}

async fn refresh(platform: &Platform, number: usize) {
    let user = notes::user(number % notes::USERS);
    let account = platform.account("notes", &user).unwrap();
    account.refresh().await.unwrap();
}

/// Bytes of the pages of the table of events, and of each of its indexes.
async fn event_bytes(file: &Path) -> Vec<(String, i64)> {
    let mut database = open(file).await;
    let bytes = "SELECT name, SUM(pgsize) FROM dbstat
        WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'event') GROUP BY name ORDER BY name";
    let rows = sqlx::query(bytes).fetch_all(&mut database).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

async fn open(file: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

async fn under_load(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stead.db");
    let platform = notes::platform(&file, None).await.unwrap();
    let before = database_bytes(&file).await;
    let clock = TokioRuntime::current().unwrap();
    // What is allocated once, such as pools and buffers, is there after a tenth.
    let warm = count / 10;
    notes::calls(&platform, 0..warm).await;
    let memory = resident_kib();
    let mut highest = 0;
    for tenth in 1..10 {
        notes::calls(&platform, warm * tenth..warm * (tenth + 1)).await;
        highest = highest.max(resident_kib());
        println!(
            "{} calls: {} MiB of memory",
            warm * (tenth + 1),
            resident_kib() / 1024
        );
    }
    let seconds = clock.monotonic().as_secs_f64();
    platform.environment().shut_down().await;
    report(
        &format!("{count} calls in {seconds:.0} s"),
        &file,
        before,
        warm * 10,
    )
    .await;
    println!(
        "  memory: {} KiB after a tenth, at most {highest} KiB later",
        memory
    );
    let counted = notes::counted(&notes::totals(&platform).await, "", "");
    println!("  totals: {counted}");
    assert_eq!(counted, warm as u64 * 10);
}

async fn one_each_second() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stead.db");
    let clock = Arc::new(Clock::new());
    let platform = notes::platform(&file, Some(Arc::clone(&clock) as _))
        .await
        .unwrap();
    let before = database_bytes(&file).await;
    let all = ExecutionFilter::default();
    let machine = TokioRuntime::current().unwrap();
    for number in 0..SECONDS {
        notes::call(&platform, number).await;
        clock.advance(Duration::from_secs(1)).await;
        // Each is written before the next one comes, as if a second had passed.
        loop {
            let page = platform
                .environment()
                .send(
                    ListExecutions::new()
                        .filter(all.clone())
                        .page(Paging::new(None, 1)),
                )
                .await
                .unwrap();
            let newest = page.items.first().map(|call| call.started_at);
            if newest.is_some_and(|newest| clock.now().duration_since(newest).as_secs() <= 1) {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let each = machine.monotonic() / u32::try_from(SECONDS).unwrap();
    println!("a call, its transaction and a look at it: {each:?} on average");
    platform.environment().shut_down().await;
    platform.environment().maintain().await.unwrap();
    report("a call each second for three hours", &file, before, SECONDS).await;
    let counted = notes::counted(&notes::totals(&platform).await, "", "");
    assert_eq!(counted, SECONDS as u64);
}

async fn report(what: &str, file: &Path, before: i64, calls: usize) {
    let grown = database_bytes(file).await - before;
    println!(
        "{what}: the database grew by {grown} bytes, {:.1} per call",
        grown as f64 / calls as f64
    );
}

/// Pages of the database, those in its log included.
async fn database_bytes(file: &Path) -> i64 {
    let mut database = open(file).await;
    let row = sqlx::query("PRAGMA page_count")
        .fetch_one(&mut database)
        .await
        .unwrap();
    row.get::<i64, _>(0) * 4096
}

fn resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kib.unwrap_or_default()
}

/// Real tasks; time moves when it is told to.
struct Clock {
    runtime: TokioRuntime,
    time: watch::Sender<Duration>,
}

impl Clock {
    fn new() -> Self {
        Self {
            runtime: TokioRuntime::current().unwrap(),
            time: watch::Sender::new(Duration::ZERO),
        }
    }

    async fn advance(&self, by: Duration) {
        self.time.send_modify(|time| *time += by);
        tokio::task::yield_now().await;
    }
}

impl Runtime for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::constant(1_800_000_000, 0) + self.monotonic()
    }
    fn monotonic(&self) -> Duration {
        *self.time.borrow()
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let mut time = self.time.subscribe();
        let until = self.monotonic() + duration;
        Box::pin(async move {
            // The clock ends with its platform.
            let _ = time.wait_for(|now| *now >= until).await;
        })
    }
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.runtime.spawn(task);
    }
}
