//! What lies before the horizon goes, and nothing else.

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use stead_core::store::{
    AccessTokenRow, AuthorizationRow, AuthorizationState, Batch, CredentialRow, EventRow,
    ExecutionRow, Horizon, Row,
};

use super::{
    Check, Shared, check,
    look::{ALL, answered, commit, conflict, insert, stored},
    sample,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(pruning_an_empty_store_removes_nothing),
        check(a_horizon_that_keeps_all_removes_nothing),
        check(each_kind_goes_by_its_own_moment),
        check(authorizations_that_can_still_end_stay),
        check(credentials_that_are_not_shredded_stay),
        check(other_kinds_are_never_pruned),
        check(pruning_removes_at_most_the_limit_of_each_kind),
        check(pruning_removes_rows_of_any_version),
        check(a_pruned_row_is_gone_and_begins_anew),
        check(concurrent_prunings_count_every_row_once),
    ]
}

/// A kind that is pruned: a row of a number and a moment, and where the horizon says how much of it stays.
type Kind = (
    fn(u128, Timestamp) -> Row,
    fn(&mut Horizon) -> &mut Timestamp,
);

const KINDS: [Kind; 5] = [
    (access_token, |horizon| &mut horizon.access_tokens),
    (execution, |horizon| &mut horizon.executions),
    (event, |horizon| &mut horizon.events),
    (
        |number, moment| authorization(number, AuthorizationState::Completed, moment),
        |horizon| &mut horizon.authorizations,
    ),
    (shredded, |horizon| &mut horizon.credentials),
];

async fn pruning_an_empty_store_removes_nothing(store: Shared) {
    assert_eq!(answered(store.prune(&removing_all(), ALL).await), 0);
}

async fn a_horizon_that_keeps_all_removes_nothing(store: Shared) {
    let rows = KINDS.map(|(row, _)| row(1, Timestamp::MIN));
    insert(&*store, rows.clone()).await;
    assert_eq!(answered(store.prune(&Horizon::keeping_all(), ALL).await), 0);
    for row in rows {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn each_kind_goes_by_its_own_moment(store: Shared) {
    let moment = sample::moment(0);
    let nanosecond = SignedDuration::from_nanos(1);
    for (row, part) in KINDS {
        let before = [row(1, Timestamp::MIN), row(2, moment - nanosecond)];
        let since = [row(3, moment), row(4, moment + nanosecond)];
        let others: Vec<Row> = KINDS
            .iter()
            .map(|(row, _)| row(5, Timestamp::MIN))
            .filter(|other| std::mem::discriminant(other) != std::mem::discriminant(&since[0]))
            .collect();
        insert(&*store, before.clone()).await;
        insert(&*store, since.clone()).await;
        insert(&*store, others.clone()).await;

        let mut horizon = Horizon::keeping_all();
        *part(&mut horizon) = moment;
        assert_eq!(answered(store.prune(&horizon, ALL).await), 2);
        for row in before {
            assert_eq!(stored(&*store, &row.key()).await, None, "{row:?}");
        }
        for row in since.into_iter().chain(others) {
            let key = row.key();
            assert_eq!(stored(&*store, &key).await, Some((row, 1)));
            commit(&*store, Batch::new().delete(key, 1)).await;
        }
    }
}

async fn authorizations_that_can_still_end_stay(store: Shared) {
    use AuthorizationState::{
        Completed, Created, Denied, Exchanged, Expired, Failed, Opened, Redirected, Returned,
        Superseded, Verifying,
    };
    let long_ago = sample::moment(0);
    let ended = [Completed, Denied, Expired, Failed, Superseded];
    let pending = [Created, Opened, Redirected, Returned, Exchanged, Verifying];
    let ended = (1..)
        .zip(ended)
        .map(|(number, state)| authorization(number, state, long_ago));
    let pending = (10..)
        .zip(pending)
        .map(|(number, state)| authorization(number, state, long_ago));
    insert(&*store, ended.clone().chain(pending.clone())).await;

    assert_eq!(answered(store.prune(&removing_all(), ALL).await), 5);
    for row in ended {
        assert_eq!(stored(&*store, &row.key()).await, None, "{row:?}");
    }
    for row in pending {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn credentials_that_are_not_shredded_stay(store: Shared) {
    let live = sample::credential(1, 1);
    let shred = sample::credential(1, 2);
    insert(&*store, [live.clone(), shred.clone()]).await;
    assert_eq!(answered(store.prune(&removing_all(), ALL).await), 0);

    let shredded = CredentialRow {
        sealed: None,
        ..shred
    };
    commit(&*store, Batch::new().update(shredded.clone(), 1)).await;
    assert_eq!(answered(store.prune(&removing_all(), ALL).await), 1);
    assert_eq!(stored(&*store, &Row::from(shredded).key()).await, None);
    let live = Row::from(live);
    assert_eq!(stored(&*store, &live.key()).await, Some((live, 1)));
}

async fn other_kinds_are_never_pruned(store: Shared) {
    let rows: [Row; 5] = [
        sample::connection(1).into(),
        sample::account(1).into(),
        sample::app_credential(1).into(),
        sample::data_key(1).into(),
        sample::outbox(1).into(),
    ];
    insert(&*store, rows.clone()).await;
    assert_eq!(answered(store.prune(&removing_all(), ALL).await), 0);
    for row in rows {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn pruning_removes_at_most_the_limit_of_each_kind(store: Shared) {
    let moment = sample::moment(0);
    let rows = (1..=5).flat_map(|number| KINDS.map(|(row, _)| row(number, moment)));
    insert(&*store, rows.clone()).await;
    assert_eq!(answered(store.prune(&removing_all(), 0).await), 0);
    for (left, gone) in [(15, 10), (5, 10), (0, 5), (0, 0)] {
        assert_eq!(answered(store.prune(&removing_all(), 2).await), gone);
        let mut found = 0;
        for row in rows.clone() {
            found += usize::from(stored(&*store, &row.key()).await.is_some());
        }
        assert_eq!(found, left);
    }
}

async fn pruning_removes_rows_of_any_version(store: Shared) {
    let rows = KINDS.map(|(row, _)| row(1, sample::moment(0)));
    insert(&*store, rows.clone()).await;
    for version in 1..=3 {
        let again = rows.iter().cloned();
        let batch = again.fold(Batch::new(), |batch, row| batch.update(row, version));
        commit(&*store, batch).await;
    }
    assert_eq!(answered(store.prune(&removing_all(), ALL).await), 5);
}

async fn a_pruned_row_is_gone_and_begins_anew(store: Shared) {
    for (row, _) in KINDS {
        let row = row(1, sample::moment(0));
        let key = row.key();
        insert(&*store, [row.clone()]).await;
        assert_eq!(answered(store.prune(&removing_all(), ALL).await), 1);
        // What was decided while the row was there meets its absence.
        conflict(&*store, Batch::new().guard(key.clone(), 1)).await;
        conflict(&*store, Batch::new().update(row.clone(), 1)).await;
        conflict(&*store, Batch::new().delete(key.clone(), 1)).await;
        // Its key and its unique values are free.
        insert(&*store, [row.clone()]).await;
        assert_eq!(stored(&*store, &key).await, Some((row, 1)));
        commit(&*store, Batch::new().delete(key, 1)).await;
    }
}

async fn concurrent_prunings_count_every_row_once(store: Shared) {
    let moment = sample::moment(0);
    insert(
        &*store,
        (1..=20).flat_map(|number| KINDS.map(|(row, _)| row(number, moment))),
    )
    .await;
    let horizon = removing_all();
    let prunings = (0..8).map(|_| store.prune(&horizon, 7));
    let mut gone: u64 = join_all(prunings).await.into_iter().map(answered).sum();
    while gone < 100 {
        let more = answered(store.prune(&horizon, 7).await);
        assert!(more > 0, "{gone} of 100 rows went");
        gone += more;
    }
    assert_eq!(gone, 100);
    assert_eq!(answered(store.prune(&horizon, ALL).await), 0);
}

/// A horizon that everything lies before.
fn removing_all() -> Horizon {
    let mut horizon = Horizon::keeping_all();
    for (_, part) in KINDS {
        *part(&mut horizon) = Timestamp::MAX;
    }
    horizon
}

fn access_token(number: u128, expires_at: Timestamp) -> Row {
    AccessTokenRow {
        expires_at,
        ..sample::access_token(number)
    }
    .into()
}

fn execution(number: u128, started_at: Timestamp) -> Row {
    ExecutionRow {
        started_at,
        ..sample::execution(number)
    }
    .into()
}

fn event(number: u128, at: Timestamp) -> Row {
    EventRow {
        at,
        ..sample::event(number)
    }
    .into()
}

fn authorization(number: u128, state: AuthorizationState, expires_at: Timestamp) -> Row {
    AuthorizationRow {
        state,
        expires_at,
        ..sample::authorization(number)
    }
    .into()
}

/// Of several accounts, and of several generations of one.
fn shredded(number: u128, created_at: Timestamp) -> Row {
    let full = if number.is_multiple_of(2) {
        sample::credential(number, 1)
    } else {
        sample::credential(1, u64::try_from(number).unwrap_or(u64::MAX))
    };
    CredentialRow {
        sealed: None,
        created_at,
        ..full
    }
    .into()
}
