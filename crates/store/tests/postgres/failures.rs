//! Interrupted connections, servers that stop and restart, and transactions that block each other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt as _, future::join_all};
use stead_core::{
    ErrorKind,
    store::{Batch, Commit, List, Row, Store as _, Value, Write},
};
use stead_store::{PostgresOptions, PostgresStore};
use stead_testkit::{runtime::ManualClock, store::sample};
use tokio::task::JoinSet;

use crate::server::{Server, run};

const WRITERS: u32 = 6;
/// Rows of a batch.
const TOGETHER: u32 = 3;

fn event(number: u32) -> Row {
    let row = sample::row(sample::table("event"), number);
    sample::with(row, "position", Value::Null)
}

fn all() -> List {
    List::new(sample::table("event"), sample::table("event").key)
}

/// Writers that run until they're told to stop. Each writes its own rows. If an outcome is unknown, a writer does the
/// same as core: it commits the batch again, and reads its rows if that conflicts. Each task returns its number and how
/// many batches it has committed.
struct Writers {
    tasks: JoinSet<(u32, u32)>,
    stop: Arc<AtomicBool>,
    failed: Arc<AtomicU32>,
}

impl Writers {
    fn start(store: &Arc<PostgresStore>) -> Self {
        let (stop, failed) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU32::new(0)),
        );
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let (store, stop, failed) = (Arc::clone(store), Arc::clone(&stop), Arc::clone(&failed));
            tasks.spawn(async move {
                let mut batches = 0;
                while !stop.load(Ordering::Relaxed) {
                    let first = (writer << 16) + batches * TOGETHER;
                    let rows = || (first..first + TOGETHER).map(event);
                    let batch = rows().map(Write::Insert).fold(Batch::new(), Batch::write);
                    offer(&store, &batch, &failed).await;
                    batches += 1;
                }
                (writer, batches)
            });
        }
        Self {
            tasks,
            stop,
            failed,
        }
    }

    /// Waits until another `count` commits have failed. Panics after a minute.
    async fn until_failed(&self, count: u32) {
        let goal = self.failed.load(Ordering::Relaxed) + count;
        let wait = async {
            while self.failed.load(Ordering::Relaxed) < goal {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), wait)
            .await
            .unwrap();
    }

    /// Stops them, and checks that every batch is there, whole and once.
    async fn end(mut self, store: &PostgresStore) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        let mut expected = Vec::new();
        while let Some(done) = self.tasks.join_next().await {
            let (writer, batches) = done.unwrap();
            assert!(batches > 0, "writer {writer} wrote nothing");
            let first = writer << 16;
            let rows = (first..first + batches * TOGETHER).map(|number| event(number).key());
            expected.extend(rows);
        }
        expected.sort();
        let found = store.list(&all()).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|found| found.row.key()).collect();
        assert!(
            found == expected,
            "{} of {} rows",
            found.len(),
            expected.len()
        );
        self.failed.load(Ordering::Relaxed)
    }
}

async fn offer(store: &PostgresStore, batch: &Batch, failed: &AtomicU32) {
    let mut is_unknown = false;
    loop {
        match store.commit(batch.clone()).await {
            Ok(Commit::Committed) => return,
            Ok(Commit::Conflict) => {
                // No one else writes these rows.
                assert!(is_unknown, "a conflict with no one");
                return;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::StorageUnavailable, "{error}");
                is_unknown = true;
                failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_cut_leave_nothing_half_written() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let store = Arc::new(server.open(&database).await);
    let mut tamper = server.tamper("postgres").await;
    let writers = Writers::start(&store);
    let cut = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
    );
    while writers.failed.load(Ordering::Relaxed) < 50 {
        run(&mut tamper, &cut).await;
        tokio::task::yield_now().await;
    }
    let failed = writers.end(&store).await;
    println!("{failed} commits were cut");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_in_the_middle_of_commits_leaves_nothing_half_written() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database().await;
    let store = Arc::new(server.open(&database).await);
    let writers = Writers::start(&store);
    for how in ["immediate", "fast", "immediate"] {
        server.down(how);
        writers.until_failed(1).await;
        server.up();
    }
    let failed = writers.end(&store).await;
    println!("{failed} commits were cut");
    assert!(store.ready().await.is_ok());
}

/// After the restart, all idle connections are dead. The first call doesn't notice that.
#[tokio::test]
async fn a_restarted_server_fails_no_call() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database().await;
    let store = server.open(&database).await;
    let busy = join_all((0..20).map(|number| {
        let batch = Batch::new().write(Write::Insert(event(number)));
        store.commit(batch)
    }));
    assert!(
        busy.await
            .into_iter()
            .all(|commit| commit.unwrap() == Commit::Committed)
    );
    server.down("fast");
    server.up();
    assert_eq!(store.list(&all()).await.unwrap().len(), 20);
    let batch = Batch::new().write(Write::Insert(event(20)));
    assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
}

#[tokio::test]
async fn a_store_without_its_server_is_unavailable_until_it_is_back() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url(&server.database().await);
    let time = ManualClock::default();
    let options = PostgresOptions::default().with_wait(Duration::from_millis(300));
    let store = PostgresStore::open_with(&url, Arc::new(time.clone()), options);
    let store = store.await.unwrap();
    server.down("fast");
    for error in [
        store
            .commit(Batch::new().write(Write::Insert(event(1))))
            .await
            .unwrap_err(),
        store.list(&all()).await.unwrap_err(),
        store.prune(&all()).await.unwrap_err(),
        store.now().await.unwrap_err(),
        store.ready().await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
        assert!(
            error.message().starts_with("the store doesn't respond: "),
            "{error}"
        );
    }
    server.up();
    time.advance(Duration::from_secs(1));
    store.ready().await.unwrap();
}

fn account(number: u32) -> Row {
    sample::row(sample::table("account"), number)
}

/// Batches that name the same rows in a different order lock them in the same order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_in_another_order_do_not_wait_for_each_other() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let store = Arc::new(server.open(&database).await);
    let rows = (0..4).map(|number| Write::Insert(account(number)));
    let inserted = rows.fold(Batch::new(), Batch::write);
    assert_eq!(store.commit(inserted).await.unwrap(), Commit::Committed);
    let mut writers = JoinSet::new();
    for writer in 0..8_u32 {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let mut committed = 0;
            while committed < 10 {
                let mut batch = Batch::new();
                for step in 0..3 {
                    let number = if writer % 2 == 0 { step } else { 3 - step };
                    let found = store.get(&account(number).key()).await.unwrap().unwrap();
                    batch = match step {
                        0 => batch.guard(found.row.key(), found.version),
                        _ => batch.write(Write::Update(found.row, found.version)),
                    };
                }
                if store.commit(batch).await.unwrap() == Commit::Committed {
                    committed += 1;
                }
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    assert!(!server.logged(&database, "deadlock detected"));
}

/// Another program locks rows in its own order.
#[tokio::test]
async fn a_transaction_is_retried_after_a_deadlock() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let mut other = server.tamper(&database).await;
    // Once both wait, the store's transaction is the one that detects the deadlock.
    run(
        &mut other,
        &format!("ALTER DATABASE {database} SET deadlock_timeout = '3s'"),
    )
    .await;
    run(&mut other, "SET deadlock_timeout = '1h'").await;
    let store = Arc::new(server.open(&database).await);
    let rows = (1..=2).map(|number| Write::Insert(account(number)));
    let inserted = rows.fold(Batch::new(), Batch::write);
    assert_eq!(store.commit(inserted).await.unwrap(), Commit::Committed);

    let lock = |number: u32| {
        format!("SELECT 1 FROM \"account\" WHERE \"id\" LIKE '%000{number} %' FOR UPDATE")
    };
    run(&mut other, "BEGIN").await;
    assert_eq!(run(&mut other, &lock(2)).await, 1);
    let batch = (1..=2).map(|number| Write::Update(account(number), 1));
    let batch = batch.fold(Batch::new(), Batch::write);
    let commit = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.commit(batch).await }
    });
    let mut looking = server.tamper(&database).await;
    let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while run(&mut looking, waiting).await == 0 {
        tokio::task::yield_now().await;
    }
    // Now each waits for the other, until the store gives way.
    assert_eq!(run(&mut other, &lock(1)).await, 1);
    run(&mut other, "ROLLBACK").await;
    assert_eq!(commit.await.unwrap().unwrap(), Commit::Committed);
    assert!(server.logged(&database, "deadlock detected"));
}

#[tokio::test]
async fn a_dropped_commit_leaves_no_open_transaction() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let options = PostgresOptions::default().with_connections(2);
    let clock = Arc::new(ManualClock::default());
    let url = server.url(&database);
    let store = PostgresStore::open_with(&url, clock, options);
    let store = store.await.unwrap();
    for round in 0..40_u32 {
        let pair = [event(2 * round), event(2 * round + 1)].map(Write::Insert);
        let mut commit = store.commit(pair.into_iter().fold(Batch::new(), Batch::write));
        for _ in 0..round {
            if (&mut commit).now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(commit);
        let next = Batch::new().write(Write::Insert(event(1000 + round)));
        assert_eq!(store.commit(next).await.unwrap(), Commit::Committed);
    }
    assert_eq!(store.list(&all()).await.unwrap().len() % 2, 0);
}
