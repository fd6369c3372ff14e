//! Positions follow the order of commits, and are unique.

use futures_util::future::{join, join_all};
use stead_core::store::{Batch, Column, ColumnKind, List, Row, TABLES, Table, Value, Write};

use super::{
    Check, Shared, check,
    look::{answered, commit, conflict, insert, inserting, listed, stored, updating},
    sample,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(positions_grow_in_the_order_of_writes),
        check(a_position_is_never_reused),
        check(a_conflict_moves_no_position),
        check(a_position_stays_when_its_row_is_replaced),
        check(no_row_appears_below_a_position_that_was_read),
    ]
}

/// The tables with a position, and that column.
fn tables() -> impl Iterator<Item = (&'static Table, &'static Column)> {
    TABLES.iter().filter_map(|table| {
        let mut columns = table.columns.iter();
        let position = columns.find(|column| column.kind == ColumnKind::Position)?;
        Some((*table, position))
    })
}

/// A row that has no position yet.
fn without((table, column): (&'static Table, &'static Column), number: u32) -> Row {
    sample::with(sample::row(table, number), column.name, Value::Null)
}

async fn position(store: &Shared, row: &Row, column: &Column) -> i64 {
    let (found, version) = stored(&**store, &row.key()).await.expect("it is there");
    assert_eq!((&found.body, version), (&row.body, 1));
    integer(&found, column)
}

fn integer(row: &Row, column: &Column) -> i64 {
    match row.value(column.name) {
        Value::Integer(position) => *position,
        other => panic!("a position of {other:?}"),
    }
}

async fn positions_grow_in_the_order_of_writes(store: Shared) {
    for (table, column) in tables() {
        // Keys and times decrease, so only the order of writes can make positions increase.
        let rows: Vec<Row> = (0..6)
            .map(|number| without((table, column), 9 - number))
            .collect();
        for pair in rows.chunks(2) {
            insert(&*store, pair.iter().cloned()).await;
        }
        let mut before = 0;
        for row in &rows {
            let position = position(&store, row, column).await;
            assert!(position > before, "{position} after {before}");
            before = position;
        }
    }
}

async fn a_position_is_never_reused(store: Shared) {
    for (table, column) in tables() {
        let rows = [1, 2, 3].map(|number| without((table, column), number));
        insert(&*store, rows.clone()).await;
        let last = position(&store, &rows[2], column).await;
        commit(&*store, Batch::new().delete(rows[2].key(), 1)).await;
        answered(store.prune(&List::new(table, table.key)).await);
        insert(&*store, [rows[0].clone()]).await;
        let next = position(&store, &rows[0], column).await;
        assert!(next > last, "{next} after {last}");
        // A row may be inserted with a position. Later rows get higher ones.
        let given = sample::with(rows[1].clone(), column.name, Value::Integer(next + 1000));
        insert(&*store, [given.clone(), rows[2].clone()]).await;
        assert_eq!(position(&store, &given, column).await, next + 1000);
        assert!(position(&store, &rows[2], column).await > next + 1000);
    }
}

async fn a_conflict_moves_no_position(store: Shared) {
    for (table, column) in tables() {
        let rows = [1, 2].map(|number| without((table, column), number));
        insert(&*store, [rows[0].clone()]).await;
        let first = position(&store, &rows[0], column).await;
        conflict(&*store, inserting(rows.clone())).await;
        let twice = inserting([rows[1].clone()]).write(Write::Update(rows[0].clone(), 7));
        conflict(&*store, twice).await;
        assert_eq!(position(&store, &rows[0], column).await, first);
        assert_eq!(stored(&*store, &rows[1].key()).await, None);
        insert(&*store, [rows[1].clone()]).await;
        assert!(position(&store, &rows[1], column).await > first);
    }
}

async fn a_position_stays_when_its_row_is_replaced(store: Shared) {
    for (table, column) in tables() {
        let row = without((table, column), 1);
        insert(&*store, [row.clone()]).await;
        let first = position(&store, &row, column).await;
        let (mut read, _) = stored(&*store, &row.key()).await.expect("it is there");
        read.body = String::from("{}");
        commit(&*store, updating(read.clone(), 1)).await;
        assert_eq!(stored(&*store, &row.key()).await, Some((read.clone(), 2)));
        assert_eq!(integer(&read, column), first);
    }
}

async fn no_row_appears_below_a_position_that_was_read(store: Shared) {
    const WRITERS: u32 = 8;
    const EACH: u32 = 10;
    for (table, column) in tables() {
        let indexes = table.indexes.iter();
        let mut by_position = indexes.filter(|index| index.columns == [column.name]);
        let all = List::new(
            table,
            *by_position.next().expect("an index of the position"),
        );
        let write = async |writer: u32| {
            for number in 0..EACH {
                insert(&*store, [without((table, column), writer * EACH + number)]).await;
            }
        };
        let reader = async {
            let mut seen: Vec<Row> = Vec::new();
            while seen.len() < (WRITERS * EACH) as usize {
                let after = seen.last().map(|last| all.position(last));
                seen.extend(listed(&*store, &all.clone().after(after).limit(7)).await);
            }
            seen
        };
        let (_, seen) = join(join_all((0..WRITERS).map(write)), reader).await;
        assert_eq!(seen, listed(&*store, &all).await);
    }
}
