//! Lists are in order, complete, and as long as requested. Pruning deletes exactly the rows that a list includes.

use futures_util::future::join_all;
use stead_core::store::{Index, List, Row, TABLES, Table, Value};

use super::{
    Check, Shared, check,
    look::{answered, commit, conflict, insert, listed, stored, untouched, updating},
    sample::{self, text},
};

/// Numbers of the rows, in insertion order.
const SHUFFLED: [u32; 7] = [4, u32::MAX, 2, 9, 1, 10, 1 << 20];

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(lists_have_the_order_of_their_index),
        check(texts_have_the_order_of_their_bytes),
        check(a_list_continues_after_a_position),
        check(a_bound_omits_rows_that_are_not_below),
        check(a_list_has_only_rows_with_the_requested_values),
        check(an_empty_store_has_empty_lists),
        check(pruning_deletes_the_rows_of_the_list),
        check(pruning_deletes_at_most_the_limit),
        check(pruning_deletes_rows_of_any_version),
        check(concurrent_prunings_count_every_row_once),
    ]
}

/// Every index of every table, including keys.
fn indexes() -> impl Iterator<Item = (&'static Table, Index)> {
    TABLES.iter().flat_map(|table| {
        let indexes = table.indexes.iter().chain([&table.key]);
        indexes.map(move |index| (*table, *index))
    })
}

/// Inserts rows for an index, and returns lists of it with the rows that each must return, in order. One list has all
/// rows. If the index has several columns, another has the rows that share the first value.
async fn lists(store: &Shared, table: &'static Table, index: Index) -> Vec<(List, Vec<Row>)> {
    let rows = SHUFFLED.map(|number| sample::row(table, number));
    insert(&**store, rows.clone()).await;
    let mut lists = vec![List::new(table, index)];
    if index.columns.len() > 1 {
        // Other rows share a value that the rows above don't have.
        let shared = match rows[0].value(index.columns[0]) {
            Value::Integer(_) => Value::Integer(77),
            // Sorts after the values of every column, because a list's first rows must differ in it.
            _ => text("~shared"),
        };
        let sharing = [30, 20, 50, 40].map(|number| {
            sample::with(sample::row(table, number), index.columns[0], shared.clone())
        });
        insert(&**store, sharing).await;
        lists.push(List::new(table, index).prefix([shared]));
    }
    let others = TABLES.iter().filter(|other| other.name != table.name);
    insert(&**store, others.map(|other| sample::row(other, 5))).await;

    let mut all = lists
        .clone()
        .into_iter()
        .chain(lists.into_iter().map(List::descending));
    let mut expected = Vec::new();
    for list in all.by_ref() {
        let every = List::new(table, table.key);
        let mut rows = listed(&**store, &every).await;
        rows.retain(|row| list.includes(row));
        rows.sort_by(|one, other| list.compare(one, other));
        assert!(rows.len() >= 4, "{rows:?}");
        expected.push((list, rows));
    }
    expected
}

/// Removes every row.
async fn clear(store: &Shared) {
    for table in TABLES {
        answered(store.prune(&List::new(table, table.key)).await);
    }
}

async fn lists_have_the_order_of_their_index(store: Shared) {
    for (table, index) in indexes() {
        for (list, rows) in lists(&store, table, index).await {
            assert_eq!(listed(&*store, &list).await, rows, "{list:?}");
            for limit in [0, 1, 3] {
                let cut = list.clone().limit(limit);
                assert_eq!(
                    listed(&*store, &cut).await,
                    rows[..limit as usize],
                    "{cut:?}"
                );
            }
        }
        clear(&store).await;
    }
}

async fn texts_have_the_order_of_their_bytes(store: Shared) {
    let connection = sample::table("connection");
    let texts = sample::hostile_texts();
    for (hostile, number) in texts.iter().rev().zip(1..) {
        let row = sample::row(connection, number);
        insert(&*store, [sample::with(row, "name", text(hostile))]).await;
    }
    let by_name = connection.indexes[0];
    let found = listed(&*store, &List::new(connection, by_name)).await;
    let names = found
        .iter()
        .filter_map(|row| row.values_of(by_name).next().cloned());
    assert!(names.eq(texts.into_iter().map(Value::Text)), "{found:?}");
}

async fn a_list_continues_after_a_position(store: Shared) {
    for (table, index) in indexes() {
        for (list, rows) in lists(&store, table, index).await {
            for size in [1, 3] {
                let mut walked: Vec<Row> = Vec::new();
                loop {
                    let after = walked.last().map(|last| list.position(last));
                    let page = listed(&*store, &list.clone().after(after).limit(size)).await;
                    if page.is_empty() {
                        break;
                    }
                    walked.extend(page);
                }
                assert_eq!(walked, rows, "{list:?}");
            }
        }
        clear(&store).await;
    }
}

async fn a_bound_omits_rows_that_are_not_below(store: Shared) {
    for (table, index) in indexes() {
        for (list, rows) in lists(&store, table, index).await {
            let bound = list.position(&rows[2]).remove(0);
            let below: Vec<Row> = rows
                .iter()
                .filter(|row| list.position(row)[0] < bound)
                .cloned()
                .collect();
            assert!(!below.is_empty() && below.len() < rows.len(), "{list:?}");
            let bounded = list.below(bound);
            assert_eq!(listed(&*store, &bounded).await, below, "{bounded:?}");
            let rest = bounded.clone().after(Some(bounded.position(&below[0])));
            assert_eq!(listed(&*store, &rest).await, below[1..], "{rest:?}");
        }
        clear(&store).await;
    }
}

async fn a_list_has_only_rows_with_the_requested_values(store: Shared) {
    for (table, index) in indexes() {
        for (list, rows) in lists(&store, table, index).await {
            let least = list.position(&rows[1]).remove(0);
            let column = table.columns[0].name;
            let values = [&rows[1], &rows[2], &rows[3]].map(|row| row.value(column).clone());
            let list = list.at_least(least).only(column, values.to_vec());
            let mut expected = rows.clone();
            expected.retain(|row| list.includes(row));
            assert!(
                !expected.is_empty() && expected.len() < rows.len(),
                "{list:?}"
            );
            assert_eq!(listed(&*store, &list).await, expected, "{list:?}");
            let rest = list.clone().after(Some(list.position(&expected[0])));
            assert_eq!(listed(&*store, &rest).await, expected[1..], "{rest:?}");
            assert!(
                listed(&*store, &list.only(column, Vec::new()))
                    .await
                    .is_empty()
            );
        }
        clear(&store).await;
    }
}

async fn an_empty_store_has_empty_lists(store: Shared) {
    for (table, index) in indexes() {
        let list = List::new(table, index);
        assert!(listed(&*store, &list).await.is_empty());
        assert_eq!(answered(store.prune(&list).await), 0);
    }
}

async fn pruning_deletes_the_rows_of_the_list(store: Shared) {
    for (table, index) in indexes() {
        for (list, rows) in lists(&store, table, index).await {
            let bound = list.position(&rows[2]).remove(0);
            let every = List::new(table, table.key);
            let mut kept = listed(&*store, &every).await;
            let list = list.below(bound);
            kept.retain(|row| !list.includes(row));
            let count = answered(store.prune(&list).await);
            assert_eq!(listed(&*store, &every).await, kept, "{list:?}");
            assert!(count > 0);
            assert_eq!(answered(store.prune(&list).await), 0);
            // A pruned row conflicts with a change that was prepared before, and its key can be used again.
            let gone: Vec<Row> = rows.into_iter().filter(|row| list.includes(row)).collect();
            assert_eq!(gone.len() as u64, count);
            for row in &gone {
                assert_eq!(stored(&*store, &row.key()).await, None);
                conflict(&*store, updating(row.clone(), 1)).await;
            }
            insert(&*store, gone.clone()).await;
            untouched(&*store, &gone).await;
        }
        let others = TABLES.iter().filter(|other| other.name != table.name);
        let others: Vec<Row> = others.map(|other| sample::row(other, 5)).collect();
        untouched(&*store, &others).await;
        clear(&store).await;
    }
}

async fn pruning_deletes_at_most_the_limit(store: Shared) {
    for (table, index) in indexes() {
        let lists = lists(&store, table, index).await;
        let (list, rows) = lists.into_iter().next().expect("a list");
        let list = list.limit(2);
        for left in [rows.len() - 2, rows.len() - 4] {
            assert_eq!(answered(store.prune(&list).await), 2);
            assert_eq!(
                listed(&*store, &list.clone().limit(u32::MAX)).await,
                rows[rows.len() - left..]
            );
        }
        assert_eq!(answered(store.prune(&list.limit(0)).await), 0);
        clear(&store).await;
    }
}

async fn pruning_deletes_rows_of_any_version(store: Shared) {
    for row in sample::rows(1) {
        insert(&*store, [row.clone()]).await;
        commit(&*store, updating(row.clone(), 1)).await;
        let list = List::new(row.table, row.table.key);
        assert_eq!(answered(store.prune(&list).await), 1);
    }
}

async fn concurrent_prunings_count_every_row_once(store: Shared) {
    let table = sample::table("event");
    insert(&*store, (1..=40).map(|number| sample::row(table, number))).await;
    let list = List::new(table, table.indexes[0]).limit(7);
    let prunings = join_all((0..8).map(|_| store.prune(&list))).await;
    let mut gone: u64 = prunings.into_iter().map(answered).sum();
    while gone < 40 {
        let more = answered(store.prune(&list).await);
        assert!(more > 0, "{gone} of 40 rows went");
        gone += more;
    }
    assert_eq!(gone, 40);
    assert_eq!(answered(store.prune(&list).await), 0);
}
