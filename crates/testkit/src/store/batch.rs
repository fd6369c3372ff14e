//! A batch is committed whole or not at all, and only while its guards hold.

use stead_core::store::{Batch, List, Write};

use super::{
    Check, Shared, check,
    look::{answered, commit, conflict, insert, inserting, listed, stored, untouched, updating},
    sample,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(an_empty_batch_is_committed),
        check(a_guard_needs_the_present_version),
        check(a_guard_may_name_a_row_that_is_written),
        check(a_batch_that_writes_a_row_twice_conflicts),
        check(a_failing_batch_leaves_nothing_behind),
        check(a_large_batch_is_committed_whole),
        check(a_committed_batch_is_visible_in_its_rows),
        check(a_store_that_answers_is_ready),
    ]
}

async fn an_empty_batch_is_committed(store: Shared) {
    commit(&*store, Batch::new()).await;
}

async fn a_guard_needs_the_present_version(store: Shared) {
    let (all, event) = (sample::rows(1), sample::row(sample::table("event"), 9));
    for row in &all {
        for wrong in [0, 1] {
            let batch = inserting([event.clone()]).guard(row.key(), wrong);
            conflict(&*store, batch).await;
        }
    }
    insert(&*store, all.clone()).await;
    let holding = all
        .iter()
        .fold(Batch::new(), |batch, row| batch.guard(row.key(), 1));
    for row in &all {
        for wrong in [0, 2, u64::MAX] {
            // One guard fails, and many others hold.
            let batch = holding.clone().guard(row.key(), wrong);
            conflict(&*store, batch.write(Write::Insert(event.clone()))).await;
        }
    }
    assert_eq!(stored(&*store, &event.key()).await, None);
    commit(&*store, holding.write(Write::Insert(event.clone()))).await;
    untouched(&*store, &all).await;
    untouched(&*store, &[event]).await;
}

async fn a_guard_may_name_a_row_that_is_written(store: Shared) {
    for row in sample::rows(1) {
        let key = row.key();
        insert(&*store, [row.clone()]).await;
        // A guard refers to the row as it was before the batch.
        commit(&*store, updating(row.clone(), 1).guard(key.clone(), 1)).await;
        conflict(&*store, updating(row.clone(), 2).guard(key.clone(), 3)).await;
        let delete = Batch::new().delete(key.clone(), 2);
        commit(&*store, delete.guard(key.clone(), 2)).await;
        conflict(&*store, inserting([row]).guard(key, 1)).await;
    }
}

async fn a_batch_that_writes_a_row_twice_conflicts(store: Shared) {
    for row in sample::rows(1) {
        let key = row.key();
        let update = |version| Write::Update(row.clone(), version);
        let insertion = || inserting([row.clone()]);
        conflict(&*store, inserting([row.clone(), row.clone()])).await;
        conflict(&*store, insertion().write(update(1))).await;
        conflict(&*store, insertion().delete(key.clone(), 1)).await;
        assert_eq!(stored(&*store, &key).await, None);
        insert(&*store, [row.clone()]).await;
        conflict(&*store, updating(row.clone(), 1).write(update(2))).await;
        let delete = Batch::new().delete(key.clone(), 1);
        conflict(&*store, delete.write(Write::Insert(row.clone()))).await;
        untouched(&*store, &[row]).await;
    }
}

async fn a_failing_batch_leaves_nothing_behind(store: Shared) {
    let kept = sample::row(sample::table("account"), 99);
    let [updated, deleted, added] = [1, 2, 3].map(sample::rows);
    insert(&*store, [kept.clone()]).await;
    insert(&*store, updated.iter().chain(&deleted).cloned()).await;

    let mut batch = Batch::new();
    for row in &updated {
        let mut changed = row.clone();
        changed.body = String::from("{}");
        batch = batch.write(Write::Update(changed, 1));
    }
    for row in &deleted {
        batch = batch.delete(row.key(), 1);
    }
    for row in &added {
        batch = batch.write(Write::Insert(row.clone()));
    }
    let failing = [
        batch.clone().write(Write::Update(kept.clone(), 2)),
        batch.clone().write(Write::Insert(kept.clone())),
        batch.clone().delete(kept.key(), 2),
        batch.clone().guard(kept.key(), 2),
    ];
    for failing in failing {
        conflict(&*store, failing).await;
        untouched(&*store, &updated).await;
        untouched(&*store, &deleted).await;
        for row in &added {
            assert_eq!(stored(&*store, &row.key()).await, None);
        }
    }
    // With the right version in the guard, the whole batch is committed.
    commit(&*store, batch.guard(kept.key(), 1)).await;
    untouched(&*store, &added).await;
    for row in deleted {
        assert_eq!(stored(&*store, &row.key()).await, None);
    }
}

async fn a_large_batch_is_committed_whole(store: Shared) {
    let execution = sample::table("execution");
    insert(
        &*store,
        (1..=300).map(|number| sample::row(execution, number)),
    )
    .await;
    let all = List::new(execution, execution.key);
    assert_eq!(listed(&*store, &all).await.len(), 300);
}

/// If the response to a commit is lost, core commits the batch again. If that conflicts, core reads the batch's rows.
async fn a_committed_batch_is_visible_in_its_rows(store: Shared) {
    let [updated, deleted, added] = [1, 2, 3].map(sample::rows);
    insert(&*store, updated.iter().chain(&deleted).cloned()).await;
    let changed: Vec<_> = updated
        .into_iter()
        .map(|mut row| {
            // Bodies are returned byte for byte, even if JSON allows another spelling.
            row.body = String::from("{\"b\" : 1.0, \"a\":\"\\u00e9\"}");
            row
        })
        .collect();
    let updates = changed.iter().cloned().map(|row| Write::Update(row, 1));
    let batch = updates.fold(inserting(added.clone()), Batch::write);
    let batch = deleted
        .iter()
        .fold(batch, |batch, row| batch.delete(row.key(), 1));
    commit(&*store, batch.clone()).await;
    for _ in 0..2 {
        conflict(&*store, batch.clone()).await;
        untouched(&*store, &added).await;
        for row in &changed {
            assert_eq!(stored(&*store, &row.key()).await, Some((row.clone(), 2)));
        }
    }
}

async fn a_store_that_answers_is_ready(store: Shared) {
    answered(store.ready().await);
    answered(store.ready().await);
    // The store hasn't been restored from a backup.
    assert_eq!(answered(store.restored_at().await), None);
}
