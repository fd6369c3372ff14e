//! Of several that want the same, one wins.

use futures_util::future::{join, join_all};
use stead_core::store::{Batch, Commit, RowKey};

use super::{
    Check, Shared, check,
    look::{ALL, answered, insert, rows, stored},
    sample,
};

const RIVALS: u128 = 8;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(of_concurrent_updates_one_wins),
        check(of_concurrent_inserts_one_wins),
        check(of_concurrent_names_one_wins),
        check(of_concurrent_guards_and_updates_one_wins),
        check(concurrent_counters_lose_nothing),
        check(readers_see_a_batch_whole),
    ]
}

/// Commits all at once; how many were committed.
async fn committed(store: &Shared, batches: impl IntoIterator<Item = Batch>) -> usize {
    let answers = join_all(batches.into_iter().map(|batch| store.commit(batch))).await;
    answers
        .into_iter()
        .filter(|answer| answered(answer.clone()) == Commit::Committed)
        .count()
}

async fn of_concurrent_updates_one_wins(store: Shared) {
    insert(&*store, [sample::account(1)]).await;
    for version in 1..=5 {
        let batches = (0..RIVALS).map(|rival| {
            let mut account = sample::account(1);
            account.granted_scopes = vec![rival.to_string()];
            let number = 1 + rival + RIVALS * u128::from(version);
            Batch::new()
                .update(account, version)
                .insert(sample::event(number))
        });
        assert_eq!(committed(&store, batches).await, 1);
        let (_, found) = stored(&*store, &RowKey::Account(sample::account_id(1)))
            .await
            .expect("it is there");
        assert_eq!(found, version + 1);
        assert_eq!(rows(store.events(None, ALL).await).len() as u64, version);
    }
}

async fn of_concurrent_inserts_one_wins(store: Shared) {
    let batches = (0..RIVALS).map(|rival| {
        let mut token = sample::access_token(1);
        token.client_id = rival.to_string();
        Batch::new().insert(token)
    });
    assert_eq!(committed(&store, batches).await, 1);
}

async fn of_concurrent_names_one_wins(store: Shared) {
    let batches = (1..=RIVALS).map(|rival| {
        let mut connection = sample::connection(rival);
        connection.name = sample::name("wanted");
        Batch::new().insert(connection)
    });
    assert_eq!(committed(&store, batches).await, 1);
    assert_eq!(rows(store.connections(None, ALL).await).len(), 1);
}

async fn of_concurrent_guards_and_updates_one_wins(store: Shared) {
    // Each is made for the state before the others: once one has written, no guard holds.
    insert(&*store, [sample::account(1)]).await;
    let batches = (2..2 + RIVALS).map(|rival| {
        Batch::new()
            .guard(RowKey::Account(sample::account_id(1)), 1)
            .update(sample::account(1), 1)
            .insert(sample::account(rival))
    });
    assert_eq!(committed(&store, batches).await, 1);
    assert_eq!(rows(store.accounts(None, None, ALL).await).len(), 2);
}

async fn concurrent_counters_lose_nothing(store: Shared) {
    const EACH: u32 = 5;
    let mut counter = sample::outbox(1);
    counter.attempts = 0;
    let key = RowKey::Outbox(counter.id);
    insert(&*store, [counter.clone()]).await;
    let count = async || {
        for _ in 0..EACH {
            loop {
                let found = answered(store.due(counter.due_at, 1).await).remove(0);
                let mut row = found.row;
                row.attempts += 1;
                if answered(store.commit(Batch::new().update(row, found.version)).await)
                    == Commit::Committed
                {
                    break;
                }
            }
        }
    };
    join_all((0..RIVALS).map(|_| count())).await;
    let total = u32::try_from(RIVALS).expect("a few") * EACH;
    counter.attempts = total;
    assert_eq!(
        stored(&*store, &key).await,
        Some((counter.into(), u64::from(total) + 1))
    );
}

async fn readers_see_a_batch_whole(store: Shared) {
    // Two rows are only ever inserted and deleted together.
    let pair = [sample::event(1), sample::event(2)];
    let writer = async {
        for _ in 0..10 {
            insert(&*store, pair.clone()).await;
            let both = pair.iter().fold(Batch::new(), |batch, event| {
                batch.delete(RowKey::Event(event.id), 1)
            });
            assert_eq!(answered(store.commit(both).await), Commit::Committed);
        }
    };
    let reader = async {
        for _ in 0..50 {
            let seen = rows(store.events(None, ALL).await).len();
            assert!(seen == 0 || seen == 2, "{seen} of 2");
        }
    };
    join(writer, reader).await;
}
