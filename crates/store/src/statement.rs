//! Translates lookups, lists and writes to SQL.

use std::collections::BTreeSet;

use stead_core::store::{Batch, ColumnKind, Index, Key, List, Row, Table, Value, Write};

use crate::engine::{Insertion, Statement, Step, Transaction};

/// SQL under construction: the text so far, and the values to bind to its placeholders.
struct Text {
    sql: String,
    values: Vec<Value>,
    placeholders: Placeholders,
}

/// How a statement marks the places of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placeholders {
    /// `$1`, `$2`.
    Numbered,
    /// `?`. Only SQLite understands it. To bind a numbered placeholder, SQLite and sqlx search through all earlier
    /// ones, so a long insertion would take quadratic time.
    Unnumbered,
}

impl Text {
    fn new(sql: String) -> Self {
        Self {
            sql,
            values: Vec::new(),
            placeholders: Placeholders::Numbered,
        }
    }

    fn push(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    /// Adds a placeholder for each value, such as `$1, $2` or `?, ?`. Writes NULL literally, because a bound NULL would
    /// need the column's type.
    fn bind(&mut self, values: impl IntoIterator<Item = Value>) -> &mut Self {
        for (number, value) in values.into_iter().enumerate() {
            self.sql.push_str(if number == 0 { "" } else { ", " });
            if value == Value::Null {
                self.sql.push_str("NULL");
                continue;
            }
            self.values.push(value);
            match self.placeholders {
                Placeholders::Numbered => self.sql.push_str(&format!("${}", self.values.len())),
                Placeholders::Unnumbered => self.sql.push('?'),
            }
        }
        self
    }

    /// ` WHERE "a" = $1 AND "b" = $2`, or with ` AND` after other conditions.
    fn equal(&mut self, columns: &[&str], values: impl IntoIterator<Item = Value>) -> &mut Self {
        for (column, value) in columns.iter().zip(values) {
            self.condition(&format!("\"{column}\" = ")).bind([value]);
        }
        self
    }

    fn condition(&mut self, condition: &str) -> &mut Self {
        let joint = if self.sql.contains(" WHERE ") {
            " AND "
        } else {
            " WHERE "
        };
        self.push(joint).push(condition)
    }

    fn end(self) -> Statement {
        Statement {
            sql: self.sql,
            values: self.values,
        }
    }
}

/// The row with these values in a unique index.
pub(crate) fn find(table: &Table, index: Index, values: &[Value]) -> Statement {
    let mut text = select(table);
    text.equal(index.columns, values.iter().cloned());
    text.end()
}

/// The rows of a list.
pub(crate) fn list(list: &List) -> Statement {
    ranged(select(list.table), list)
}

/// The next rows of a table by key, each with all of its columns, its version and its body. There are at most this many
/// rows, and no more once their bodies have this many bytes.
pub(crate) fn page(
    table: &'static Table,
    after: Option<Vec<Value>>,
    rows: u32,
    bytes: i64,
) -> Statement {
    let key = quoted(table.key.columns);
    let columns = format!("{}, \"version\", \"body\"", quoted(&names(table)));
    let list = List::new(table, table.key).after(after).limit(rows);
    let mut page = ranged(select(table), &list);
    page.values.push(Value::Integer(bytes));
    page.sql = format!(
        "SELECT {columns} FROM (SELECT {columns}, SUM(OCTET_LENGTH(\"body\")) OVER (ORDER BY {key} ROWS UNBOUNDED PRECEDING) \
         - OCTET_LENGTH(\"body\") AS \"before\" FROM ({}) AS \"page\") AS \"measured\" \
         WHERE \"before\" < ${} ORDER BY {key}",
        page.sql,
        page.values.len()
    );
    page
}

/// Inserts rows.
pub(crate) fn insert(insertion: Insertion, placeholders: Placeholders) -> Statement {
    let Insertion { table, rows } = insertion;
    let mut text = Text::new(format!(
        "INSERT INTO \"{}\" ({}, \"version\", \"body\") VALUES ",
        table.name,
        quoted(&names(table))
    ));
    text.placeholders = placeholders;
    for (number, row) in rows.into_iter().enumerate() {
        text.push(if number == 0 { "(" } else { ", (" });
        text.bind(row).push(")");
    }
    text.end()
}

/// Deletes the rows of a list. Not every database can limit a DELETE itself.
///
/// If writers run concurrently, all rows are first locked in the order of the list. So a row that another writer has
/// changed in the meantime is checked again, and two prunes don't deadlock.
pub(crate) fn prune(list: &List, locks: bool) -> Statement {
    let (table, key) = (list.table.name, quoted(list.table.key.columns));
    let mut statement = ranged(Text::new(String::new()), list);
    let range = format!("SELECT {key} FROM \"{table}\"{}", statement.sql);
    statement.sql = if locks {
        format!(
            "WITH \"gone\" AS MATERIALIZED ({range} FOR UPDATE) \
             DELETE FROM \"{table}\" WHERE ({key}) IN (SELECT {key} FROM \"gone\")"
        )
    } else {
        format!("DELETE FROM \"{table}\" WHERE ({key}) IN ({range})")
    };
    statement
}

/// The steps of a batch: its guards, then its writes. `None` if the batch writes a row twice, which no state of the
/// database can allow.
///
/// If writers run concurrently, all existing rows are locked first, in the same order for all batches, so that two of
/// them don't deadlock. Rows that wait for their position come last.
pub(crate) fn steps(batch: Batch, locks: bool) -> Option<Transaction> {
    let mut guards = batch.guards;
    let mut writes = batch.writes;
    let keys: Vec<Key> = writes.iter().map(Write::key).collect();
    let written: BTreeSet<&Key> = keys.iter().collect();
    if locks {
        let present = writes.iter().filter_map(|write| match write {
            Write::Insert(_) => None,
            Write::Update(row, version) => Some((row.key(), *version)),
            Write::Delete(key, version) => Some((key.clone(), *version)),
        });
        let present: Vec<_> = present.collect();
        if guards.len() + present.len() > 1 {
            guards.extend(present);
            guards.sort();
            guards.dedup();
        }
        writes.sort_by_key(|write| matches!(write, Write::Insert(row) if has_position(row)));
    }
    let mut transaction = Transaction::default();
    for (key, version) in guards {
        let select = Text::new(format!("SELECT \"version\" FROM \"{}\"", key.table.name));
        transaction.steps.push(Step::Require {
            is_written: written.contains(&key),
            query: at(select, key, version),
        });
    }
    let is_twice = written.len() < keys.len();
    let mut writes = writes.into_iter().peekable();
    while let Some(write) = writes.next() {
        match write {
            Write::Insert(row) if !has_position(&row) => {
                let table = row.table;
                let mut rows = vec![row];
                while let Some(Write::Insert(row)) =
                    writes.next_if(|next| matches!(next, Write::Insert(row) if row.table == table))
                {
                    rows.push(row);
                }
                transaction.steps.extend(insertions(table, rows));
            }
            _ => {
                let replaces = !matches!(write, Write::Insert(_));
                transaction.shreds |= replaces && write.key().table.sealed;
                transaction.steps.push(Step::Change(change(write)));
            }
        }
    }
    (!is_twice).then_some(transaction)
}

/// Whether the store gives the row a position.
fn has_position(row: &Row) -> bool {
    let mut kinds = row.table.columns.iter().map(|column| column.kind);
    kinds.any(|kind| kind == ColumnKind::Position)
}

/// Maximum number of rows in one insertion. Their values fit every database's limit.
const TOGETHER: usize = 256;

/// Insertions of rows, in order. The number of rows in a statement is a power of two, so that a connection prepares
/// only a few different statements.
fn insertions(table: &'static Table, rows: Vec<Row>) -> Vec<Step> {
    let mut left = rows.len();
    let mut rows = rows.into_iter();
    let mut steps = Vec::new();
    while left > 0 {
        let count = (1 << left.ilog2()).min(TOGETHER);
        left -= count;
        let rows = rows.by_ref().take(count).map(new_row).collect();
        steps.push(Step::Insert(Insertion { table, rows }));
    }
    steps
}

/// All columns of a row that is inserted.
fn new_row(row: Row) -> Vec<Value> {
    let rest = [Value::Integer(1), Value::Text(row.body)];
    row.values.into_iter().chain(rest).collect()
}

fn change(write: Write) -> Statement {
    match write {
        Write::Insert(row) => {
            let (table, rows) = (row.table, vec![new_row(row)]);
            insert(Insertion { table, rows }, Placeholders::Numbered)
        }
        Write::Update(row, version) => {
            let key = row.key();
            let Row {
                table,
                values,
                body,
                ..
            } = row;
            let mut text = Text::new(format!("UPDATE \"{}\" SET ", table.name));
            for (column, value) in table.columns.iter().zip(values) {
                if !table.key.columns.contains(&column.name) {
                    text.push(&format!("\"{}\" = ", column.name))
                        .bind([value])
                        .push(", ");
                }
            }
            text.push("\"body\" = ").bind([Value::Text(body)]);
            text.push(", \"version\" = \"version\" + 1");
            at(text, key, version)
        }
        Write::Delete(key, version) => at(
            Text::new(format!("DELETE FROM \"{}\"", key.table.name)),
            key,
            version,
        ),
    }
}

/// The condition that the row has this key and version. Versions never get as high as `i64::MAX`.
fn at(mut text: Text, key: Key, version: u64) -> Statement {
    let version = Value::Integer(i64::try_from(version).unwrap_or(i64::MAX));
    text.equal(key.table.key.columns, key.values);
    text.equal(&["version"], [version]);
    text.end()
}

fn select(table: &Table) -> Text {
    let columns = quoted(&names(table));
    Text::new(format!(
        "SELECT {columns}, \"version\", \"body\" FROM \"{}\"",
        table.name
    ))
}

/// Conditions, order and limit of a list.
fn ranged(mut text: Text, list: &List) -> Statement {
    let (prefix, order) = list.index.columns.split_at(list.prefix.len());
    text.equal(prefix, list.prefix.iter().cloned());
    if let Some(after) = &list.after {
        let forward = if list.descending { "<" } else { ">" };
        // A row value is compared from left to right, as the index sorts.
        text.condition(&format!("({}) {forward} (", quoted(order)));
        text.bind(after.iter().cloned()).push(")");
    }
    if let (Some(below), Some(first)) = (&list.below, order.first()) {
        text.condition(&format!("\"{first}\" < "))
            .bind([below.clone()]);
    }
    if let (Some(least), Some(first)) = (&list.at_least, order.first()) {
        text.condition(&format!("\"{first}\" >= "))
            .bind([least.clone()]);
    }
    for (column, values) in &list.only {
        if values.is_empty() {
            text.condition("FALSE");
            continue;
        }
        text.condition(&format!("\"{column}\" IN ("));
        text.bind(values.iter().cloned()).push(")");
    }
    let direction = if list.descending { " DESC" } else { "" };
    let order: Vec<String> = order
        .iter()
        .map(|name| format!("\"{name}\"{direction}"))
        .collect();
    text.push(&format!(" ORDER BY {} LIMIT ", order.join(", ")));
    text.bind([Value::Integer(i64::from(list.limit))]);
    text.end()
}

fn names(table: &Table) -> Vec<&'static str> {
    table.columns.iter().map(|column| column.name).collect()
}

fn quoted(names: &[&str]) -> String {
    format!("\"{}\"", names.join("\", \""))
}

#[cfg(test)]
mod tests {
    use stead_core::store::TABLES;

    use super::*;

    fn table(name: &str) -> &'static Table {
        TABLES.iter().find(|table| table.name == name).unwrap()
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn conditions_and_the_limit_are_numbered() {
        let account = table("account");
        let of_connection = ["connection_id", "id"];
        let mut indexes = account.indexes.iter();
        let of_connection = *indexes
            .find(|index| index.columns == of_connection)
            .unwrap();
        let found = List::new(account, of_connection)
            .prefix([text("conn")])
            .after(Some(vec![text("acct")]))
            .below(text("b"))
            .descending()
            .limit(5);
        let statement = list(&found);
        assert_eq!(
            statement.sql,
            "SELECT \"id\", \"connection_id\", \"identifier\", \"state\", \"version\", \"body\" FROM \"account\" \
             WHERE \"connection_id\" = $1 AND (\"id\") < ($2) AND \"id\" < $3 ORDER BY \"id\" DESC LIMIT $4"
        );
        assert_eq!(
            statement.values,
            [text("conn"), text("acct"), text("b"), Value::Integer(5)]
        );
    }

    #[test]
    fn an_insertion_can_leave_its_placeholders_unnumbered() {
        let rows = [1, 2].map(|step| vec![Value::Integer(step), Value::Null, text("{}")]);
        let insertion = Insertion {
            table: table("call_total"),
            rows: rows.into(),
        };
        let columns = r#"INSERT INTO "call_total" ("step", "start", "process", "version", "body")"#;
        for (placeholders, values) in [
            (Placeholders::Numbered, "($1, NULL, $2), ($3, NULL, $4)"),
            (Placeholders::Unnumbered, "(?, NULL, ?), (?, NULL, ?)"),
        ] {
            let statement = insert(insertion.clone(), placeholders);
            assert_eq!(statement.sql, format!("{columns} VALUES {values}"));
            assert_eq!(statement.values.len(), 4);
        }
    }

    #[test]
    fn a_deletion_names_the_rows_by_their_whole_key() {
        let credential = table("credential");
        let by_age = credential.indexes[0];
        let statement = prune(
            &List::new(credential, by_age)
                .prefix([Value::Integer(0)])
                .limit(5),
            false,
        );
        assert_eq!(
            statement.sql,
            "DELETE FROM \"credential\" WHERE (\"account_id\", \"generation\") IN \
             (SELECT \"account_id\", \"generation\" FROM \"credential\" \
             WHERE \"live\" = $1 ORDER BY \"created_at\" LIMIT $2)"
        );
        assert_eq!(statement.values, [Value::Integer(0), Value::Integer(5)]);
    }

    #[test]
    fn an_update_names_its_row_and_version_last() {
        let credential = table("credential");
        let numbers = [3, 1, 7].map(Value::Integer);
        let values = [text("acct")].into_iter().chain(numbers).collect();
        let row = Row::new(credential, values, String::from("{}"));
        let statement = change(Write::Update(row, 2));
        assert_eq!(
            statement.sql,
            "UPDATE \"credential\" SET \"live\" = $1, \"created_at\" = $2, \"body\" = $3, \
             \"version\" = \"version\" + 1 WHERE \"account_id\" = $4 AND \"generation\" = $5 AND \"version\" = $6"
        );
        let [one, seven, three, two] = [1, 7, 3, 2].map(Value::Integer);
        assert_eq!(
            statement.values,
            [one, seven, text("{}"), text("acct"), three, two]
        );
    }
}
