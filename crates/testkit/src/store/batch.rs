//! A batch is committed whole or not at all, and only while its guards hold.

use stead_core::store::{Batch, Row, RowKey};

use super::{
    Check, Shared, check,
    look::{answered, commit, conflict, insert, stored},
    sample,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(an_empty_batch_is_committed),
        check(a_guard_needs_the_present_version),
        check(a_guard_leaves_its_row_alone),
        check(a_guard_may_name_a_row_that_is_written),
        check(a_batch_that_writes_a_row_twice_conflicts),
        check(a_failing_batch_leaves_nothing_behind),
        check(a_large_batch_is_committed_whole),
    ]
}

async fn an_empty_batch_is_committed(store: Shared) {
    commit(&*store, Batch::new()).await;
}

async fn a_guard_needs_the_present_version(store: Shared) {
    let all = sample::full_rows(1);
    for row in &all {
        conflict(
            &*store,
            Batch::new().guard(row.key(), 1).insert(sample::event(9)),
        )
        .await;
        conflict(
            &*store,
            Batch::new().guard(row.key(), 0).insert(sample::event(9)),
        )
        .await;
    }
    insert(&*store, all.clone()).await;
    for (row, number) in all.iter().zip(10..) {
        for wrong in [0, 2, u64::MAX] {
            conflict(
                &*store,
                Batch::new()
                    .guard(row.key(), wrong)
                    .insert(sample::event(9)),
            )
            .await;
        }
        commit(
            &*store,
            Batch::new()
                .guard(row.key(), 1)
                .insert(sample::event(number)),
        )
        .await;
    }
    // One guard that fails among many that hold.
    let many = all
        .iter()
        .fold(Batch::new(), |batch, row| batch.guard(row.key(), 1));
    let failing = many
        .clone()
        .guard(sample::event(10).into_key(), 2)
        .insert(sample::event(9));
    conflict(&*store, failing).await;
    commit(&*store, many).await;
    assert_eq!(stored(&*store, &sample::event(9).into_key()).await, None);
}

async fn a_guard_leaves_its_row_alone(store: Shared) {
    let all = sample::full_rows(1);
    insert(&*store, all.clone()).await;
    commit(
        &*store,
        all.iter()
            .fold(Batch::new(), |batch, row| batch.guard(row.key(), 1)),
    )
    .await;
    for row in all {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn a_guard_may_name_a_row_that_is_written(store: Shared) {
    let account = sample::account(1);
    let key = RowKey::Account(account.id);
    insert(&*store, [account.clone()]).await;
    // A guard speaks of the row as it was before the batch.
    commit(
        &*store,
        Batch::new()
            .update(account.clone(), 1)
            .guard(key.clone(), 1),
    )
    .await;
    conflict(
        &*store,
        Batch::new().update(account, 2).guard(key.clone(), 3),
    )
    .await;
    commit(
        &*store,
        Batch::new().delete(key.clone(), 2).guard(key.clone(), 2),
    )
    .await;
    conflict(
        &*store,
        Batch::new().insert(sample::account(1)).guard(key, 1),
    )
    .await;
}

async fn a_batch_that_writes_a_row_twice_conflicts(store: Shared) {
    let account = sample::account(1);
    let key = RowKey::Account(account.id);
    conflict(
        &*store,
        Batch::new().insert(account.clone()).insert(account.clone()),
    )
    .await;
    conflict(
        &*store,
        Batch::new()
            .insert(account.clone())
            .update(account.clone(), 1),
    )
    .await;
    conflict(
        &*store,
        Batch::new().insert(account.clone()).delete(key.clone(), 1),
    )
    .await;
    assert_eq!(stored(&*store, &key).await, None);
    insert(&*store, [account.clone()]).await;
    conflict(
        &*store,
        Batch::new()
            .update(account.clone(), 1)
            .update(account.clone(), 2),
    )
    .await;
    conflict(
        &*store,
        Batch::new().delete(key.clone(), 1).insert(account.clone()),
    )
    .await;
    assert_eq!(stored(&*store, &key).await, Some((account.into(), 1)));
}

async fn a_failing_batch_leaves_nothing_behind(store: Shared) {
    let (kept, updated, deleted, added) = (
        sample::account(99),
        sample::full_rows(1),
        sample::full_rows(2),
        sample::full_rows(3),
    );
    insert(&*store, [kept.clone()]).await;
    insert(&*store, updated.clone()).await;
    insert(&*store, deleted.clone()).await;

    let mut batch = Batch::new();
    for row in sample::bare_rows(1) {
        batch = batch.update(row, 1);
    }
    for row in &deleted {
        batch = batch.delete(row.key(), 1);
    }
    for row in &added {
        batch = batch.insert(row.clone());
    }
    let kept_key = RowKey::Account(kept.id);
    let failing = [
        batch.clone().update(kept.clone(), 2),
        batch.clone().insert(kept.clone()),
        batch.clone().delete(kept_key.clone(), 2),
        batch.clone().guard(kept_key.clone(), 2),
    ];
    for failing in failing {
        conflict(&*store, failing).await;
        for row in updated.iter().chain(&deleted) {
            assert_eq!(stored(&*store, &row.key()).await, Some((row.clone(), 1)));
        }
        for row in &added {
            assert_eq!(stored(&*store, &row.key()).await, None);
        }
    }
    // Without the flaw, all of it is committed.
    commit(&*store, batch.guard(kept_key, 1)).await;
    for row in added {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
    for row in deleted {
        assert_eq!(stored(&*store, &row.key()).await, None);
    }
}

async fn a_large_batch_is_committed_whole(store: Shared) {
    const COUNT: u128 = 300;
    let batch = (1..=COUNT).fold(Batch::new(), |batch, number| {
        batch.insert(sample::execution(number))
    });
    commit(&*store, batch).await;
    assert_eq!(
        answered(store.executions(None, u32::MAX).await).len() as u128,
        COUNT
    );
}

/// The key of something that becomes a row.
trait IntoKey {
    fn into_key(self) -> RowKey;
}

impl<R: Into<Row>> IntoKey for R {
    fn into_key(self) -> RowKey {
        self.into().key()
    }
}
