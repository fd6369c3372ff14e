//! Writes that fail, and writes that succeed again once the cause is gone.

use std::{
    fs,
    io::{Seek as _, SeekFrom, Write as _},
    time::Duration,
};

use crate::scratch::{Scratch, all, clock, event, insert, run};
use futures_util::{FutureExt as _, future::join_all};
use sqlx::{Connection as _, Row as _};
use stead_core::{
    ErrorKind,
    store::{Batch, Commit, List, Store as _},
};
use stead_store::{SqliteOptions, SqliteStore};
use stead_testkit::{runtime::ManualClock, store::sample};

const SECOND: Duration = Duration::from_secs(1);

async fn why<T: std::fmt::Debug>(failing: impl Future<Output = stead_core::Result<T>>) -> String {
    let error = failing.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    let why = error.message().strip_prefix("the store doesn't respond: ");
    why.unwrap_or_else(|| panic!("{error}")).to_owned()
}

/// SQLite ends the transaction itself, as it does on a full disk, so a rollback after it fails as well.
#[tokio::test]
async fn a_transaction_aborted_by_the_database_does_not_stop_later_ones() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let mut tamper = scratch.tamper().await;
    for event in ["INSERT", "DELETE"] {
        let trigger = format!(
            "CREATE TRIGGER \"full_{event}\" BEFORE {event} ON \"event\" BEGIN SELECT RAISE(ROLLBACK, 'no'); END"
        );
        run(&mut tamper, &trigger).await;
    }
    let list = List::new(event(1).table, event(1).table.key);
    for number in 1..4 {
        assert_eq!(
            why(store.commit(insert([event(number)]))).await,
            "the database failed"
        );
    }
    run(&mut tamper, "DROP TRIGGER \"full_INSERT\"").await;
    let written = store.commit(insert([event(1)])).await.unwrap();
    assert_eq!(written, Commit::Committed);
    why(store.prune(&list)).await;
    why(store.prune(&list)).await;
    run(&mut tamper, "DROP TRIGGER \"full_DELETE\"").await;
    assert_eq!(store.prune(&list).await.unwrap(), 1);
}

#[tokio::test]
async fn a_long_lock_of_another_program_starves_no_caller() {
    let scratch = Scratch::new();
    // Long enough to open a connection on a busy machine.
    let options = SqliteOptions::default().with_busy_wait(Duration::from_millis(400));
    let store = SqliteStore::open_with(scratch.file(), clock(), options)
        .await
        .unwrap();
    let mut other = scratch.tamper().await;
    run(&mut other, "BEGIN IMMEDIATE").await;
    for round in 0..3 {
        let commits = (0..20).map(|number| store.commit(insert([event(round * 20 + number)])));
        let failed = join_all(commits.map(|commit| commit.map(Result::unwrap_err))).await;
        let locked = failed.iter().filter(|error| {
            error
                .message()
                .ends_with("its file is locked by another program")
        });
        assert!(locked.count() > 0, "{failed:?}");
    }
    run(&mut other, "ROLLBACK").await;
    // These commits run one after another, so no commit waits for longer than the short time that was set.
    for number in 0..20 {
        let written = store.commit(insert([event(number)])).await.unwrap();
        assert_eq!(written, Commit::Committed);
    }
}

#[tokio::test]
async fn a_dropped_commit_leaves_no_open_transaction() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    for round in 0..50_u32 {
        let mut commit = store.commit(insert([event(2 * round), event(2 * round + 1)]));
        for _ in 0..round % 5 {
            if (&mut commit).now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(commit);
        let next = store.commit(insert([event(1000 + round)])).await.unwrap();
        assert_eq!(next, Commit::Committed);
    }
    assert_eq!(all(&store, "event").await.len() % 2, 0);
}

async fn counter(scratch: &Scratch) -> i64 {
    let counter =
        "SELECT CAST(\"value\" AS INTEGER) FROM \"stead_state\" WHERE \"name\" = 'counter'";
    let mut tamper = scratch.tamper().await;
    let row = sqlx::query(counter).fetch_one(&mut tamper).await.unwrap();
    row.get(0)
}

#[tokio::test]
async fn readiness_is_proved_by_a_write_at_most_once_a_second() {
    let scratch = Scratch::new();
    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    clock.advance(SECOND);
    let before = counter(&scratch).await;
    for _ in 0..5 {
        store.ready().await.unwrap();
    }
    assert_eq!(counter(&scratch).await, before + 1);
    clock.advance(SECOND);
    join_all((0..5).map(|_| store.ready())).await;
    assert_eq!(counter(&scratch).await, before + 2);
    // A write in the last second proves it too.
    clock.advance(SECOND);
    let written = store.commit(insert([event(1)])).await.unwrap();
    assert_eq!(written, Commit::Committed);
    store.ready().await.unwrap();
    assert_eq!(counter(&scratch).await, before + 2);
}

#[tokio::test]
async fn a_store_that_refuses_writes_is_not_ready() {
    let scratch = Scratch::new();
    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    let mut tamper = scratch.tamper().await;
    let trigger = "CREATE TRIGGER \"full\" BEFORE UPDATE ON \"stead_state\" BEGIN SELECT RAISE(ROLLBACK, 'no'); END";
    run(&mut tamper, trigger).await;
    for _ in 0..3 {
        clock.advance(SECOND);
        assert_eq!(why(store.ready()).await, "the database failed");
        assert_eq!(why(store.ready()).await, "the database failed");
    }
    run(&mut tamper, "DROP TRIGGER \"full\"").await;
    clock.advance(SECOND);
    store.ready().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_deleted_or_replaced_file_is_not_read_or_written() {
    let scratch = Scratch::new();
    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    let aside = scratch.path().join("aside");
    let list = List::new(event(1).table, event(1).table.key);
    for (replaced, expected) in [(false, " was deleted"), (true, "; restart this process")] {
        fs::rename(scratch.file(), &aside).unwrap();
        if replaced {
            fs::write(scratch.file(), "").unwrap();
        }
        clock.advance(SECOND);
        for why in [
            why(store.ready()).await,
            why(store.commit(insert([event(1)]))).await,
            why(store.prune(&list)).await,
            why(store.list(&list)).await,
            why(store.now()).await,
        ] {
            assert!(why.ends_with(expected), "{why}");
            assert!(why.contains("stead.db"), "{why}");
        }
        // The same file is back in its place.
        fs::rename(&aside, scratch.file()).unwrap();
        store.ready().await.unwrap_err();
        clock.advance(SECOND);
        store.ready().await.unwrap();
    }
    let written = store.commit(insert([event(1)])).await.unwrap();
    assert_eq!(written, Commit::Committed);
}

#[tokio::test]
async fn an_older_version_stops_writing_after_a_schema_change() {
    let scratch = Scratch::new();
    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    let before = store.commit(insert([event(1)])).await.unwrap();
    assert_eq!(before, Commit::Committed);
    let mut tamper = scratch.tamper().await;
    let newer = "INSERT INTO \"stead_schema\" VALUES (999, '2030-01-01T00:00:00Z')";
    run(&mut tamper, newer).await;
    clock.advance(SECOND);
    let list = List::new(event(1).table, event(1).table.key);
    for why in [
        why(store.commit(insert([event(2)]))).await,
        why(store.prune(&list)).await,
        why(store.commit(Batch::new().delete(event(1).key(), 1))).await,
        why(store.ready()).await,
    ] {
        assert!(
            why.starts_with("a newer Stead changed the store's schema to version 999"),
            "{why}"
        );
    }
    assert_eq!(all(&store, "event").await, [event(1)], "reading goes on");
}

/// Damage that only readers find counts too. Data on other pages can still be read and written.
#[tokio::test]
async fn readiness_reports_a_damaged_page() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let account = sample::row(sample::table("account"), 1);
    let rows = insert([event(1), account.clone()]);
    assert_eq!(store.commit(rows).await.unwrap(), Commit::Committed);
    store.close().await;
    let mut tamper = scratch.tamper().await;
    let place = "SELECT \"rootpage\", (SELECT \"page_size\" FROM pragma_page_size) FROM \"sqlite_master\" WHERE \"name\" = 'account'";
    let row = sqlx::query(place).fetch_one(&mut tamper).await.unwrap();
    let (page, size): (i64, i64) = (row.get(0), row.get(1));
    tamper.close().await.unwrap();
    let mut file = fs::File::options()
        .write(true)
        .open(scratch.file())
        .unwrap();
    let start = u64::try_from((page - 1) * size).unwrap();
    file.seek(SeekFrom::Start(start)).unwrap();
    file.write_all(&vec![0xff; usize::try_from(size).unwrap()])
        .unwrap();

    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    store.ready().await.unwrap();
    assert_eq!(why(store.get(&account.key())).await, "its file is damaged");
    for number in 2..4 {
        assert_eq!(why(store.ready()).await, "its file is damaged");
        clock.advance(SECOND);
        let written = store.commit(insert([event(number)])).await.unwrap();
        assert_eq!(written, Commit::Committed);
    }
    assert_eq!(all(&store, "event").await.len(), 3);
}
