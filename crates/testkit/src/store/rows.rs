//! Every look-up returns rows as they were stored, and a write changes only the row and version that it was made for.

use stead_core::store::{Batch, ColumnKind, Index, Key, Row, TABLES, Value};

use super::{
    Check, Shared, check,
    look::{answered, commit, conflict, insert, inserting, stored, untouched, updating},
    sample::{self, text},
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(every_row_reads_back_exactly),
        check(every_unique_index_finds_its_row),
        check(missing_rows_are_not_found),
        check(texts_are_kept_apart_byte_by_byte),
        check(rows_carry_the_stores_time),
        check(a_write_conflicts_with_unique_values),
        check(null_values_never_conflict),
        check(an_update_replaces_the_row_and_raises_its_version),
        check(an_update_needs_the_present_version),
        check(a_delete_needs_the_present_version),
        check(a_deleted_row_can_be_inserted_again),
    ]
}

/// The unique indexes of all tables, keys included, with a row of each number.
fn unique(number: u32) -> impl Iterator<Item = (Index, Row)> {
    TABLES.iter().flat_map(move |table| {
        let indexes = table.indexes.iter().chain([&table.key]);
        let unique = indexes.filter(|index| index.unique);
        unique.map(move |index| (*index, sample::row(table, number)))
    })
}

async fn find(store: &Shared, index: Index, row: &Row) -> Option<(Row, u64)> {
    let values: Vec<Value> = row.values_of(index).cloned().collect();
    let found = answered(store.find(row.table, index, &values).await);
    found.map(|found| (found.row, found.version))
}

async fn every_row_reads_back_exactly(store: Shared) {
    let full = [1, u32::MAX].into_iter().flat_map(sample::rows);
    let bare = TABLES
        .iter()
        .flat_map(|table| [2, 3].map(|number| sample::bare_row(table, number)));
    let rows: Vec<Row> = full.chain(bare).collect();
    insert(&*store, rows.clone()).await;
    untouched(&*store, &rows).await;
}

async fn every_unique_index_finds_its_row(store: Shared) {
    insert(&*store, (1..=3).flat_map(sample::rows)).await;
    for (index, row) in unique(2) {
        assert_eq!(find(&store, index, &row).await, Some((row, 1)));
    }
}

async fn missing_rows_are_not_found(store: Shared) {
    insert(&*store, sample::rows(1)).await;
    for (index, other) in unique(2) {
        assert_eq!(find(&store, index, &other).await, None);
        assert_eq!(stored(&*store, &other.key()).await, None);
        // Only a part of the values doesn't match.
        for column in index.columns.iter().filter(|_| index.columns.len() > 1) {
            let value = other.value(column).clone();
            let mixed = sample::with(sample::row(other.table, 1), column, value);
            assert_eq!(find(&store, index, &mixed).await, None);
        }
    }
}

async fn texts_are_kept_apart_byte_by_byte(store: Shared) {
    for (index, row) in unique(1) {
        let (table, last) = (row.table, index.columns[index.columns.len() - 1]);
        if row.values_of(index).last() == Some(&Value::Integer(1)) {
            continue;
        }
        let texts = sample::hostile_texts().into_iter().zip(1..);
        let rows: Vec<Row> = texts
            .map(|(hostile, number)| sample::with(sample::row(table, number), last, text(hostile)))
            .collect();
        insert(&*store, rows.clone()).await;
        for row in rows {
            assert_eq!(find(&store, index, &row).await, Some((row.clone(), 1)));
            commit(&*store, Batch::new().delete(row.key(), 1)).await;
        }
    }
}

async fn rows_carry_the_stores_time(store: Shared) {
    let row = sample::row(TABLES[0], 1);
    insert(&*store, [row.clone()]).await;
    let before = answered(store.now().await);
    let found = answered(store.get(&row.key()).await).expect("it is there");
    let after = answered(store.now().await);
    let read_at = found.read_at;
    assert!(
        before <= read_at && read_at <= after,
        "{before} {read_at} {after}"
    );
}

async fn a_write_conflicts_with_unique_values(store: Shared) {
    insert(&*store, [1, 2].into_iter().flat_map(sample::rows)).await;
    for (index, row) in unique(1) {
        // Another row that shares only the values of this index.
        let mut rival = sample::row(row.table, 3);
        let mut second = sample::row(row.table, 2);
        for column in index.columns {
            let value = row.value(column).clone();
            rival = sample::with(rival, column, value.clone());
            second = sample::with(second, column, value);
        }
        conflict(&*store, inserting([rival.clone()])).await;
        if index != row.table.key {
            conflict(&*store, updating(second, 1)).await;
        }
        untouched(&*store, &[row.clone(), sample::row(row.table, 2)]).await;
        // After a delete, the values can be used again.
        commit(&*store, Batch::new().delete(row.key(), 1)).await;
        commit(&*store, inserting([rival.clone()])).await;
        commit(&*store, Batch::new().delete(rival.key(), 1)).await;
        insert(&*store, [row]).await;
    }
}

async fn null_values_never_conflict(store: Shared) {
    for table in TABLES {
        let optional = |kind| kind == ColumnKind::OptionalText;
        for column in table.columns.iter().filter(|column| optional(column.kind)) {
            let rows = [1, 2]
                .map(|number| sample::with(sample::row(table, number), column.name, Value::Null));
            insert(&*store, rows.clone()).await;
            untouched(&*store, &rows).await;
        }
    }
}

async fn an_update_replaces_the_row_and_raises_its_version(store: Shared) {
    insert(&*store, sample::rows(1)).await;
    for before in sample::rows(1) {
        let key = before.key();
        let mut after = sample::row(before.table, 2);
        let columns = before.table.key.columns.len();
        after.values[..columns].clone_from_slice(&before.values[..columns]);
        for version in [1, 3] {
            commit(&*store, updating(after.clone(), version)).await;
            assert_eq!(
                stored(&*store, &key).await,
                Some((after.clone(), version + 1))
            );
            commit(&*store, updating(before.clone(), version + 1)).await;
        }
        commit(&*store, updating(after.clone(), 5)).await;
        for index in before.table.indexes.iter().filter(|index| index.unique) {
            assert_eq!(find(&store, *index, &before).await, None);
            assert_eq!(find(&store, *index, &after).await, Some((after.clone(), 6)));
        }
    }
}

async fn an_update_needs_the_present_version(store: Shared) {
    for row in sample::rows(1) {
        conflict(&*store, updating(row.clone(), 1)).await;
        assert_eq!(stored(&*store, &row.key()).await, None);
        insert(&*store, [row.clone()]).await;
        commit(&*store, updating(row.clone(), 1)).await;
        for wrong in [0, 1, 3, u64::MAX] {
            conflict(&*store, updating(row.clone(), wrong)).await;
        }
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 2)));
    }
}

async fn a_delete_needs_the_present_version(store: Shared) {
    for row in sample::rows(1) {
        conflict(&*store, Batch::new().delete(row.key(), 1)).await;
        insert(&*store, [row.clone()]).await;
        for wrong in [0, 2, u64::MAX] {
            conflict(&*store, Batch::new().delete(row.key(), wrong)).await;
        }
        untouched(&*store, &[row]).await;
    }
}

async fn a_deleted_row_can_be_inserted_again(store: Shared) {
    let others = sample::rows(2);
    insert(&*store, others.clone()).await;
    for row in sample::rows(1) {
        let key: Key = row.key();
        insert(&*store, [row.clone()]).await;
        commit(&*store, updating(row.clone(), 1)).await;
        commit(&*store, Batch::new().delete(key.clone(), 2)).await;
        assert_eq!(stored(&*store, &key).await, None);
        conflict(&*store, Batch::new().delete(key.clone(), 2)).await;
        conflict(&*store, Batch::new().guard(key, 2)).await;
        insert(&*store, [row.clone()]).await;
        untouched(&*store, &[row]).await;
    }
    untouched(&*store, &others).await;
}
