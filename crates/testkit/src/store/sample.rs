//! Sample rows for any table, with texts that provoke mistakes.

use stead_core::store::{ColumnKind, Row, TABLES, Table, Value};

/// The table with this name.
///
/// # Panics
/// If no table has this name.
pub fn table(name: &str) -> &'static Table {
    let found = TABLES.iter().find(|table| table.name == name);
    found.expect("a table of this name")
}

/// A row of a table. Rows with different numbers differ in every column, and sort like their numbers.
pub fn row(table: &'static Table, number: u32) -> Row {
    let value = |(kind, name)| match kind {
        ColumnKind::Integer | ColumnKind::Position => Value::Integer(number.into()),
        ColumnKind::Small => Value::Integer(i32::try_from(number).unwrap_or(i32::MAX).into()),
        _ => Value::Text(format!("{name} {number:010} 'ü' \"%\" $1")),
    };
    let columns = table.columns.iter();
    let values = columns.map(|column| value((column.kind, column.name)));
    Row::new(table, values.collect(), body(number))
}

/// A row with null in every column that allows it, and with the least and greatest numbers.
pub fn bare_row(table: &'static Table, number: u32) -> Row {
    let mut row = row(table, number);
    for (column, value) in table.columns.iter().zip(&mut row.values) {
        let is_key = table.key.columns.contains(&column.name);
        match column.kind {
            ColumnKind::OptionalText => *value = Value::Null,
            ColumnKind::Integer if number.is_multiple_of(2) => *value = Value::Integer(i64::MIN),
            ColumnKind::Integer => *value = Value::Integer(i64::MAX),
            ColumnKind::Small if number.is_multiple_of(2) => *value = Value::Integer(0),
            ColumnKind::Small => *value = Value::Integer(i32::MAX.into()),
            ColumnKind::Position => {}
            _ if is_key => {}
            _ => *value = Value::Text(number.to_string()),
        }
    }
    row.body = String::from("{}");
    row
}

/// Rows of the history for `count` calls of 1,000 users, ten calls a second. One call in ten has the longer retention.
pub fn calls(count: u32) -> impl Iterator<Item = Row> {
    let table = table("call");
    (0..count).map(move |number| {
        let scattered = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let small = |below: u32| i64::from(number % below);
        let values = table.columns.iter().map(|column| match column.name {
            "lasts" => i64::from(number % 10 == 9),
            "at" => 1_767_225_600_000_000_000 + i64::from(number) * 100_000_000,
            "id_high" | "id_low" => scattered.cast_signed(),
            "user" => 1 + small(1_000),
            "actor" | "outcome" => 1 + small(5),
            "micros" => 90_000 + small(99_991),
            "status" => 200,
            "requests" => 1,
            "path" | "trace_high" | "trace_low" => 0,
            _ => 1 + small(60),
        });
        let values = values.map(Value::Integer).collect();
        Row::new(table, values, String::from("{}"))
    })
}

/// One row of every table.
pub fn rows(number: u32) -> Vec<Row> {
    TABLES.iter().map(|table| row(table, number)).collect()
}

/// A row of this table with another value in one column.
///
/// # Panics
/// If the table has no such column.
#[must_use]
pub fn with(mut row: Row, column: &str, value: Value) -> Row {
    let mut columns = row.table.columns.iter();
    let position = columns.position(|known| known.name == column);
    row.values[position.expect("a column of this name")] = value;
    row
}

/// A text value.
pub fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

/// Texts that a store could confuse, sorted by their bytes.
pub fn hostile_texts() -> Vec<String> {
    let texts = [
        " ",
        "\"quoted\" \\ 'twice'",
        "$1 ?1 :id",
        "%",
        "'; DROP TABLE \"account\"; --",
        "1",
        "1.0",
        "9",
        "A",
        "B.c",
        "User",
        "_",
        "a",
        "a-",
        "a-b",
        "a.b",
        "a/b %2F@ü",
        "a/b /@ü",
        "aB",
        "a_b",
        "aa",
        "b",
        // This looks the same as another text below, but has a combining mark.
        "e\u{301}",
        "null",
        "user",
        "user ",
        "\u{e9}",
        "\u{202e}resu",
        "\u{feff}",
        "👩‍👩‍👧 😀",
    ];
    let long = ["x".repeat(256), "😀".repeat(256)];
    let mut texts: Vec<String> = texts.into_iter().map(String::from).chain(long).collect();
    texts.sort_unstable();
    texts
}

/// A store keeps every byte of a body: its members, their order, its spaces.
fn body(number: u32) -> String {
    let text = r#""ü \" \\ 😀 \u0000 \u2028 ' $1""#;
    let long = "x".repeat(5_000);
    format!(
        "{{\"b\": {number}, \"a\":{text},\"numbers\":[0.1,1e300,5e-324,18446744073709551615, 1.0],\"long\":\"{long}\"}}"
    )
}
