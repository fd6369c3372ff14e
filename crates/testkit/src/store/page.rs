//! Pages come in order, complete, and as long as asked.

use jiff::{SignedDuration, Timestamp};
use stead_core::{
    identifier::{AccountId, EventId, ExecutionId},
    store::{AuthorizationRow, AuthorizationState, Batch},
};

use super::{
    Check, Shared, check,
    look::{ALL, commit, insert, rows},
    sample,
};

/// Numbers of rows, in the order in which they are inserted: not that of their ids, and some far apart.
const SHUFFLED: [u128; 7] = [4, u128::MAX, 2, 9, 1, 10, 1 << 64];
const SORTED: [u128; 7] = [1, 2, 4, 9, 10, 1 << 64, u128::MAX];

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(connections_come_by_name),
        check(accounts_come_by_id),
        check(accounts_of_one_connection_come_alone),
        check(authorizations_come_newest_first),
        check(overdue_authorizations_are_those_that_can_still_end),
        check(executions_come_newest_first),
        check(events_come_in_order),
        check(all_app_credentials_come),
        check(data_keys_come_oldest_first),
        check(due_entries_come_in_order),
        check(an_empty_store_has_empty_pages),
    ]
}

async fn connections_come_by_name(store: Shared) {
    // In the order of their bytes: capitals before small letters, digits before both.
    let sorted = [
        "9", "A", "B.c", "a", "a-", "a-b", "a.b", "aB", "a_b", "aa", "b",
    ];
    for (name, number) in sorted.iter().rev().zip(1..) {
        let mut connection = sample::connection(number);
        connection.name = sample::name(*name);
        insert(&*store, [connection]).await;
    }
    let names = async |after: Option<&str>, limit| -> Vec<String> {
        rows(store.connections(after, limit).await)
            .into_iter()
            .map(|row| String::from(row.name))
            .collect()
    };
    assert_eq!(names(None, ALL).await, sorted);
    assert_eq!(names(Some("a-"), ALL).await, sorted[5..]);
    // The name need not be there.
    assert_eq!(names(Some("a-a"), 2).await, sorted[5..7]);
    assert!(names(Some("b"), ALL).await.is_empty());
    assert!(names(None, 0).await.is_empty());
    let mut walked: Vec<String> = Vec::new();
    loop {
        let page = names(walked.last().map(String::as_str), 2).await;
        assert!(page.len() <= 2);
        if page.is_empty() {
            break;
        }
        walked.extend(page);
    }
    assert_eq!(walked, sorted);
}

async fn accounts_come_by_id(store: Shared) {
    insert(&*store, SHUFFLED.map(sample::account)).await;
    let ids = async |after: Option<AccountId>, limit| -> Vec<AccountId> {
        rows(store.accounts(None, after, limit).await)
            .into_iter()
            .map(|row| row.id)
            .collect()
    };
    let sorted = SORTED.map(sample::account_id);
    assert_eq!(ids(None, ALL).await, sorted);
    assert_eq!(ids(Some(sample::account_id(3)), 2).await, sorted[2..4]);
    assert!(ids(None, 0).await.is_empty());
    let mut walked: Vec<AccountId> = Vec::new();
    for _ in 0..sorted.len() {
        walked.extend(ids(walked.last().copied(), 1).await);
    }
    assert_eq!(walked, sorted);
    assert!(ids(walked.last().copied(), ALL).await.is_empty());
}

async fn accounts_of_one_connection_come_alone(store: Shared) {
    for number in SHUFFLED {
        let mut account = sample::account(number);
        account.connection_id = sample::connection_id(1 + number % 2);
        insert(&*store, [account]).await;
    }
    let ids = async |connection, after, limit| -> Vec<AccountId> {
        let page = store
            .accounts(Some(sample::connection_id(connection)), after, limit)
            .await;
        rows(page).into_iter().map(|row| row.id).collect()
    };
    assert_eq!(
        ids(1, None, ALL).await,
        [2, 4, 10, 1 << 64].map(sample::account_id)
    );
    assert_eq!(
        ids(2, None, ALL).await,
        [1, 9, u128::MAX].map(sample::account_id)
    );
    assert_eq!(
        ids(2, Some(sample::account_id(1)), 1).await,
        [9].map(sample::account_id)
    );
    assert!(ids(3, None, ALL).await.is_empty());
}

async fn authorizations_come_newest_first(store: Shared) {
    insert(&*store, SHUFFLED.map(sample::authorization)).await;
    let mut other = sample::authorization(5);
    other.account_id = sample::account_id(2);
    insert(&*store, [other]).await;
    let numbers = async |account, limit| -> Vec<u128> {
        let page = store
            .authorizations(sample::account_id(account), limit)
            .await;
        rows(page)
            .into_iter()
            .map(|row| row.id.uuid().as_u128())
            .collect()
    };
    let mut sorted = SORTED;
    sorted.reverse();
    assert_eq!(numbers(1, ALL).await, sorted);
    assert_eq!(numbers(1, 3).await, sorted[..3]);
    assert_eq!(numbers(2, ALL).await, [5]);
    assert!(numbers(1, 0).await.is_empty());
    assert!(numbers(3, ALL).await.is_empty());
}

async fn overdue_authorizations_are_those_that_can_still_end(store: Shared) {
    use AuthorizationState::{
        Completed, Created, Denied, Exchanged, Expired, Failed, Opened, Redirected, Returned,
        Superseded, Verifying,
    };
    let now = sample::moment(600);
    let ended = [Completed, Denied, Expired, Failed, Superseded];
    let pending = [Created, Opened, Redirected, Returned, Exchanged, Verifying];
    let mut overdue = Vec::new();
    let mut batch = Batch::new();
    for (state, number) in ended.into_iter().chain(pending).zip(0_u128..) {
        // A nanosecond too early, right on time, and a nanosecond late.
        for (late, nanoseconds) in [(-1, 1), (0, 0), (1, -1)] {
            let id = number * 3 + u128::from(late > 0) * 2 + u128::from(late == 0);
            let expires_at = now + SignedDuration::from_nanos(nanoseconds);
            batch = batch.insert(AuthorizationRow {
                state,
                expires_at,
                ..sample::authorization(id)
            });
            if late > 0 && pending.contains(&state) {
                overdue.push(id);
            }
        }
    }
    commit(&*store, batch).await;
    let numbers = async |now, limit| -> Vec<u128> {
        let page = store.overdue_authorizations(now, limit).await;
        let mut numbers: Vec<u128> = rows(page)
            .into_iter()
            .map(|row| row.id.uuid().as_u128())
            .collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(numbers(now, ALL).await, overdue);
    let some = numbers(now, 4).await;
    assert!(
        some.len() == 4 && some.iter().all(|number| overdue.contains(number)),
        "{some:?}"
    );
    assert!(numbers(sample::moment(0), ALL).await.is_empty());
    assert_eq!(numbers(Timestamp::MAX, ALL).await.len(), pending.len() * 3);
}

async fn executions_come_newest_first(store: Shared) {
    insert(&*store, SHUFFLED.map(sample::execution)).await;
    let ids = async |after: Option<ExecutionId>, limit| -> Vec<ExecutionId> {
        rows(store.executions(after, limit).await)
            .into_iter()
            .map(|row| row.id)
            .collect()
    };
    let mut sorted = SORTED.map(|number| sample::execution(number).id);
    sorted.reverse();
    assert_eq!(ids(None, ALL).await, sorted);
    assert_eq!(ids(Some(sample::execution(5).id), 2).await, sorted[4..6]);
    assert!(ids(sorted.last().copied(), ALL).await.is_empty());
    assert!(ids(None, 0).await.is_empty());
    let mut walked: Vec<ExecutionId> = Vec::new();
    while walked.len() < sorted.len() {
        let page = ids(walked.last().copied(), 3).await;
        assert!(!page.is_empty() && page.len() <= 3);
        walked.extend(page);
    }
    assert_eq!(walked, sorted);
}

async fn events_come_in_order(store: Shared) {
    insert(&*store, SHUFFLED.map(sample::event)).await;
    let ids = async |after: Option<EventId>, limit| -> Vec<EventId> {
        rows(store.events(after, limit).await)
            .into_iter()
            .map(|row| row.id)
            .collect()
    };
    let sorted = SORTED.map(|number| sample::event(number).id);
    assert_eq!(ids(None, ALL).await, sorted);
    assert_eq!(ids(Some(sample::event(3).id), 2).await, sorted[2..4]);
    assert!(ids(sorted.last().copied(), ALL).await.is_empty());
    assert!(ids(None, 0).await.is_empty());
    let mut walked: Vec<EventId> = Vec::new();
    while walked.len() < sorted.len() {
        let page = ids(walked.last().copied(), 3).await;
        assert!(!page.is_empty() && page.len() <= 3);
        walked.extend(page);
    }
    assert_eq!(walked, sorted);
}

async fn all_app_credentials_come(store: Shared) {
    insert(&*store, [3, 1, 2].map(sample::app_credential)).await;
    let mut found = rows(store.app_credentials().await);
    found.sort_by(|one, other| one.client_id.cmp(&other.client_id));
    assert_eq!(found, [1, 2, 3].map(sample::app_credential));
}

async fn data_keys_come_oldest_first(store: Shared) {
    insert(&*store, [3, 1, 2].map(sample::data_key)).await;
    assert_eq!(
        rows(store.data_keys().await),
        [1, 2, 3].map(sample::data_key)
    );
}

async fn due_entries_come_in_order(store: Shared) {
    // Later numbers are due earlier; 1 and 2 at the same time.
    let due = [(1, 30), (2, 30), (3, 20), (4, 10), (5, 90)];
    for (number, seconds) in due {
        let mut entry = sample::outbox(number);
        entry.due_at = sample::moment(seconds);
        insert(&*store, [entry]).await;
    }
    let numbers = async |now, limit| -> Vec<u128> {
        rows(store.due(now, limit).await)
            .into_iter()
            .map(|row| row.id.uuid().as_u128())
            .collect()
    };
    // What is due at this very moment is due.
    assert_eq!(numbers(sample::moment(30), ALL).await, [4, 3, 1, 2]);
    assert_eq!(
        numbers(sample::moment(30) - SignedDuration::from_nanos(1), ALL).await,
        [4, 3]
    );
    assert_eq!(numbers(sample::moment(30), 3).await, [4, 3, 1]);
    assert_eq!(numbers(Timestamp::MAX, ALL).await, [4, 3, 1, 2, 5]);
    assert!(numbers(sample::moment(0), ALL).await.is_empty());
    assert!(numbers(sample::moment(30), 0).await.is_empty());
}

async fn an_empty_store_has_empty_pages(store: Shared) {
    assert!(rows(store.connections(None, ALL).await).is_empty());
    assert!(rows(store.accounts(None, None, ALL).await).is_empty());
    assert!(rows(store.credentials(sample::account_id(1)).await).is_empty());
    assert!(rows(store.authorizations(sample::account_id(1), ALL).await).is_empty());
    assert!(rows(store.overdue_authorizations(Timestamp::MAX, ALL).await).is_empty());
    assert!(rows(store.app_credentials().await).is_empty());
    assert!(rows(store.data_keys().await).is_empty());
    assert!(rows(store.executions(None, ALL).await).is_empty());
    assert!(rows(store.events(None, ALL).await).is_empty());
    assert!(rows(store.due(Timestamp::MAX, ALL).await).is_empty());
}
