//! A row as a store sees it: a table's name, the values of its columns, and a JSON body that the store doesn't need to
//! understand.

use std::{cmp::Ordering, fmt, hash};

use jiff::Timestamp;

/// A table. Describes everything that a store needs to know, except the meaning of its bodies.
#[derive(Debug)]
#[non_exhaustive]
pub struct Table {
    /// Name, unique among tables.
    pub name: &'static str,
    /// Columns to find rows by: those of the key, then others. A row has a value for each of them.
    pub columns: &'static [Column],
    /// The primary key: the first columns.
    pub key: Index,
    /// Other ways to find rows.
    pub indexes: &'static [Index],
    /// Whether bodies contain ciphertext. Replaced and deleted rows should then also be removed from the disk.
    pub sealed: bool,
}

/// Tables are equal if their names are equal.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Name, unique in its table.
    pub name: &'static str,
    /// Kind of its values.
    pub kind: ColumnKind,
}

/// Kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Text, ordered by its bytes.
    Text,
    /// Text, or null.
    OptionalText,
    /// A 64-bit integer.
    Integer,
    /// An integer from 0 to 2147483647.
    Small,
    /// A position in the order of commits, which the store assigns: see [`Batch::position`](super::Batch::position).
    Position,
}

/// Columns that are used together to find rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Index {
    /// Names of the columns, in sort order.
    pub columns: &'static [&'static str],
    /// Whether values must be unique. Rows with a null among them never conflict.
    pub unique: bool,
}

impl Index {
    pub(super) const fn unique(columns: &'static [&'static str]) -> Self {
        Self {
            columns,
            unique: true,
        }
    }
    pub(super) const fn of(columns: &'static [&'static str]) -> Self {
        Self {
            columns,
            unique: false,
        }
    }
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "a store matches all of them")]
pub enum Value {
    /// Nothing.
    Null,
    /// An integer.
    Integer(i64),
    /// Text.
    Text(String),
}

impl Value {
    pub(super) fn text(text: impl fmt::Display) -> Self {
        Self::Text(text.to_string())
    }
    pub(super) fn optional(text: Option<impl fmt::Display>) -> Self {
        text.map_or(Self::Null, Self::text)
    }
    /// No store lives long enough to reach the maximum.
    pub(super) fn count(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
    pub(super) fn flag(flag: bool) -> Self {
        Self::Integer(i64::from(flag))
    }
    /// A time in nanoseconds, so that columns compare as precisely as rows do. Times before 1677 and after 2262 become
    /// the first and the last that fit.
    pub(super) fn moment(moment: Timestamp) -> Self {
        let nanoseconds = moment.as_nanosecond();
        Self::Integer(i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 {
            i64::MIN
        } else {
            i64::MAX
        }))
    }
}

/// Primary key of a row.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Key {
    /// Table.
    pub table: &'static Table,
    /// Values of the key's columns.
    pub values: Vec<Value>,
}

impl Key {
    /// The row with these values in the columns of the table's key.
    pub fn new(table: &'static Table, values: Vec<Value>) -> Self {
        Self { table, values }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Key {}
impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Key {
    /// By table, then by value, so the rows of a table are adjacent.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_table = self.table.name.cmp(other.table.name);
        by_table.then_with(|| self.values.cmp(&other.values))
    }
}
impl hash::Hash for Key {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.table.name.hash(state);
        self.values.hash(state);
    }
}

/// A row.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// Table.
    pub table: &'static Table,
    /// A value for each column.
    pub values: Vec<Value>,
    /// The content, as JSON.
    pub body: String,
}

impl Row {
    /// A row with these values, one for each column of the table.
    pub fn new(table: &'static Table, values: Vec<Value>, body: String) -> Self {
        Self {
            table,
            values,
            body,
        }
    }

    /// The row's primary key.
    pub fn key(&self) -> Key {
        Key::new(
            self.table,
            self.values_of(self.table.key).cloned().collect(),
        )
    }

    /// The value of a column. Null if the table has no such column.
    pub fn value(&self, name: &str) -> &Value {
        let mut columns = self.table.columns.iter().zip(&self.values);
        columns
            .find_map(|(column, value)| (column.name == name).then_some(value))
            .unwrap_or(&Value::Null)
    }

    /// The values of an index's columns.
    pub fn values_of(&self, index: Index) -> impl Iterator<Item = &Value> {
        index.columns.iter().map(|name| self.value(name))
    }

    /// Assigns its position, as part of a batch.
    pub(super) fn position(&mut self, last: &mut i64) {
        for (column, value) in self.table.columns.iter().zip(&mut self.values) {
            match (column.kind, &*value) {
                (ColumnKind::Position, Value::Integer(given)) => *last = (*last).max(*given),
                (ColumnKind::Position, _) => {
                    *last = last.saturating_add(1);
                    *value = Value::Integer(*last);
                }
                _ => {}
            }
        }
    }

    /// Whether `stored` is this row after it was stored: equal, or with an assigned position instead of null.
    pub(super) fn is_stored_as(&self, stored: &Self) -> bool {
        let pairs = self.values.iter().zip(&stored.values);
        let mut columns = self.table.columns.iter().zip(pairs);
        self.table == stored.table
            && self.body == stored.body
            && self.values.len() == stored.values.len()
            && columns.all(|(column, (own, stored))| {
                own == stored || (column.kind == ColumnKind::Position && *own == Value::Null)
            })
    }

    /// Whether another row of the same table has the same values in a unique index.
    pub fn clashes(&self, other: &Self) -> bool {
        let mut unique = self.table.indexes.iter().filter(|index| index.unique);
        self.table == other.table
            && unique.any(|index| {
                let mut pairs = self.values_of(*index).zip(other.values_of(*index));
                pairs.all(|(one, other)| one == other && *one != Value::Null)
            })
    }
}

impl fmt::Debug for Row {
    /// Omits the body.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row")
            .field("table", &self.table.name)
            .field("values", &self.values)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

/// A query for rows of a table, in the order of an index. Rows that are equal in the index come in any order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct List {
    /// Table.
    pub table: &'static Table,
    /// Index of the table, or its key.
    pub index: Index,
    /// Values of the index's first columns.
    pub prefix: Vec<Value>,
    /// Only rows after this position, given as the values of the index's columns after the prefix.
    pub after: Option<Vec<Value>>,
    /// Only rows with a smaller value in the first column after the prefix.
    pub below: Option<Value>,
    /// Only rows with at least this value in the first column after the prefix.
    pub at_least: Option<Value>,
    /// Only rows that have one of the given values in each given column. The values are sorted and never null.
    pub only: Vec<(&'static str, Vec<Value>)>,
    /// Whether to return the last rows first.
    pub descending: bool,
    /// Maximum number of rows.
    pub limit: u32,
}

impl List {
    /// Queries all rows of a table.
    pub fn new(table: &'static Table, index: Index) -> Self {
        Self {
            table,
            index,
            prefix: Vec::new(),
            after: None,
            below: None,
            at_least: None,
            only: Vec::new(),
            descending: false,
            limit: u32::MAX,
        }
    }
    /// Only rows whose first columns have these values.
    #[must_use]
    pub fn prefix(mut self, prefix: impl IntoIterator<Item = Value>) -> Self {
        self.prefix = prefix.into_iter().collect();
        self
    }
    /// Only rows after a position in the order.
    #[must_use]
    pub fn after(mut self, position: Option<Vec<Value>>) -> Self {
        self.after = position;
        self
    }
    /// Only rows below this bound.
    #[must_use]
    pub fn below(mut self, bound: Value) -> Self {
        self.below = Some(bound);
        self
    }
    /// Only rows at or above this bound.
    #[must_use]
    pub fn at_least(mut self, bound: Value) -> Self {
        self.at_least = Some(bound);
        self
    }
    /// Only rows with one of these values in a column.
    #[must_use]
    pub fn only(mut self, column: &'static str, mut values: Vec<Value>) -> Self {
        values.sort_unstable();
        self.only.push((column, values));
        self
    }
    /// Returns the last rows first.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }
    /// Sets the maximum number of rows.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }

    /// Position of a row in the order, to continue from there.
    pub fn position(&self, row: &Row) -> Vec<Value> {
        let values = row.values_of(self.index).skip(self.prefix.len());
        values.cloned().collect()
    }

    /// Whether the query would return a row if it had no limit.
    pub fn includes(&self, row: &Row) -> bool {
        let behind = || row.values_of(self.index).skip(self.prefix.len());
        let forward = if self.descending {
            Ordering::Less
        } else {
            Ordering::Greater
        };
        row.table == self.table
            && row
                .values_of(self.index)
                .zip(&self.prefix)
                .all(|(one, other)| one == other)
            && self
                .after
                .as_ref()
                .is_none_or(|after| behind().cmp(after) == forward)
            && self
                .below
                .as_ref()
                .is_none_or(|below| behind().next() < Some(below))
            && self
                .at_least
                .as_ref()
                .is_none_or(|least| behind().next() >= Some(least))
            && self
                .only
                .iter()
                .all(|(column, values)| values.binary_search(row.value(column)).is_ok())
    }

    /// Order of two rows of this query.
    pub fn compare(&self, one: &Row, other: &Row) -> Ordering {
        let order = one.values_of(self.index).cmp(other.values_of(self.index));
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_keep_their_order() {
        let texts = [
            "1970-01-01T00:00:00.000000001Z",
            "1970-01-01T00:00:00.000000002Z",
            "2262-01-01T00:00:00Z",
        ];
        let mut moments = vec![Timestamp::MIN];
        moments.extend(texts.iter().map(|text| text.parse::<Timestamp>().unwrap()));
        moments.push(Timestamp::MAX);
        let values: Vec<Value> = moments.into_iter().map(Value::moment).collect();
        assert!(values.is_sorted_by(|one, other| one < other), "{values:?}");
    }
}
