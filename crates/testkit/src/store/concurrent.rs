//! If several writers want the same, exactly one wins.

use futures_util::future::{join, join_all};
use stead_core::store::{Batch, Commit, List, Value, Write};

use super::{
    Check, Shared, check,
    look::{answered, commit, insert, inserting, listed, stored, updating},
    sample::{self, text},
};

const RIVALS: u32 = 8;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(one_of_concurrent_updates_wins),
        check(one_of_concurrent_inserts_wins),
        check(one_of_concurrent_guards_and_updates_wins),
        check(concurrent_counters_lose_nothing),
        check(readers_see_whole_batches),
    ]
}

/// Commits all batches concurrently, and returns how many succeeded.
async fn committed(store: &Shared, batches: impl IntoIterator<Item = Batch>) -> usize {
    let commits = join_all(batches.into_iter().map(|batch| store.commit(batch))).await;
    let committed = commits.into_iter().map(answered);
    committed
        .filter(|commit| *commit == Commit::Committed)
        .count()
}

async fn one_of_concurrent_updates_wins(store: Shared) {
    let [account, event] = ["account", "event"].map(sample::table);
    let row = sample::row(account, 1);
    insert(&*store, [row.clone()]).await;
    for version in 1..=5 {
        let batches = (0..RIVALS).map(|rival| {
            let mut row = row.clone();
            row.body = format!("[{rival}]");
            let number = rival + RIVALS * u32::try_from(version).expect("a few");
            updating(row, version).write(Write::Insert(sample::row(event, number)))
        });
        assert_eq!(committed(&store, batches).await, 1);
        let (_, found) = stored(&*store, &row.key()).await.expect("it is there");
        assert_eq!(found, version + 1);
        let events = listed(&*store, &List::new(event, event.key)).await;
        assert_eq!(events.len() as u64, version);
    }
}

async fn one_of_concurrent_inserts_wins(store: Shared) {
    let [connection, token] = ["connection", "access_token"].map(sample::table);
    let same_key = (0..RIVALS).map(|rival| {
        let row = sample::row(token, 1);
        inserting([sample::with(
            row,
            "expires_at",
            Value::Integer(rival.into()),
        )])
    });
    assert_eq!(committed(&store, same_key).await, 1);
    let same_name = (0..RIVALS).map(|rival| {
        let row = sample::row(connection, rival);
        inserting([sample::with(row, "name", text("same"))])
    });
    assert_eq!(committed(&store, same_name).await, 1);
    let all = List::new(connection, connection.key);
    assert_eq!(listed(&*store, &all).await.len(), 1);
}

async fn one_of_concurrent_guards_and_updates_wins(store: Shared) {
    // All are built for the same state, so once one has written, the guards of the others fail.
    let account = sample::table("account");
    let row = sample::row(account, 1);
    insert(&*store, [row.clone()]).await;
    let batches = (2..2 + RIVALS).map(|rival| {
        let batch = updating(row.clone(), 1).guard(row.key(), 1);
        batch.write(Write::Insert(sample::row(account, rival)))
    });
    assert_eq!(committed(&store, batches).await, 1);
    let all = List::new(account, account.key);
    assert_eq!(listed(&*store, &all).await.len(), 2);
}

async fn concurrent_counters_lose_nothing(store: Shared) {
    const EACH: u32 = 5;
    let mut row = sample::row(sample::table("outbox"), 1);
    row.body = String::from("0");
    let key = row.key();
    insert(&*store, [row]).await;
    let count = async || {
        for _ in 0..EACH {
            loop {
                let (mut row, version) = stored(&*store, &key).await.expect("it is there");
                let count: u32 = row.body.parse().expect("a number");
                row.body = (count + 1).to_string();
                if answered(store.commit(updating(row, version)).await) == Commit::Committed {
                    break;
                }
            }
        }
    };
    join_all((0..RIVALS).map(|_| count())).await;
    let (row, version) = stored(&*store, &key).await.expect("it is there");
    let total = RIVALS * EACH;
    assert_eq!(
        (row.body, version),
        (total.to_string(), u64::from(total) + 1)
    );
}

async fn readers_see_whole_batches(store: Shared) {
    // The two rows are only ever inserted and deleted together.
    let event = sample::table("event");
    let pair = [1, 2].map(|number| sample::row(event, number));
    let writer = async {
        for _ in 0..10 {
            insert(&*store, pair.clone()).await;
            let both = pair.iter().map(|row| Write::Delete(row.key(), 1));
            commit(&*store, both.fold(Batch::new(), Batch::write)).await;
        }
    };
    let reader = async {
        for _ in 0..50 {
            let seen = listed(&*store, &List::new(event, event.key)).await.len();
            assert!(seen == 0 || seen == 2, "{seen} of 2");
        }
    };
    join(writer, reader).await;
}
