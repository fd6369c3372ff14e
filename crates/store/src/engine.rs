//! What differs between databases: how a statement is sent, and how a transaction is held.

use std::future::Future;

use jiff::Timestamp;
use stead_core::{Result, store::Commit};

/// A database that runs the statements of this crate.
///
/// Placeholders are `$1`, `$2` and so on; the only types are text, 64-bit integers and, among texts, NULL.
pub trait Engine: Send + Sync + 'static {
    /// Rows of a query.
    fn fetch(&self, query: Statement) -> impl Future<Output = Result<Vec<Record>>> + Send;

    /// Runs all of a transaction, durably, or nothing of it: a conflict where a step does not hold, or where a
    /// unique value exists.
    fn commit(&self, transaction: Transaction) -> impl Future<Output = Result<Commit>> + Send;

    /// Runs one statement that removes rows, durably and whatever their number; answers with that number.
    fn remove(&self, removal: Statement) -> impl Future<Output = Result<u64>> + Send;
}

/// SQL with its values.
#[derive(Debug)]
pub struct Statement {
    /// The text; never holds a value.
    pub sql: String,
    /// Values of `$1` and on.
    pub values: Vec<Value>,
}

/// Steps of a transaction.
#[derive(Debug, Default)]
pub struct Transaction {
    /// Steps, in order.
    pub steps: Vec<Step>,
    /// Whether ciphertext is replaced or removed, so that no copy of it may linger in the database's files.
    pub shreds: bool,
}

/// One step of a transaction.
#[derive(Debug)]
pub enum Step {
    /// A query that has to find a row; an engine with row locks takes one.
    Require(Statement),
    /// A change that has to affect exactly one row.
    Change(Statement),
}

/// Values of one row as they came; `None` for one that is neither text nor integer nor NULL.
pub(crate) type Record = Vec<Option<Value>>;

/// A value that every database has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text, or NULL.
    Text(Option<String>),
    /// An integer.
    Integer(i64),
}

impl Value {
    /// The text of an id or name.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(Some(text.into()))
    }

    /// The text of something that displays as its id.
    pub(crate) fn id(id: impl std::fmt::Display) -> Self {
        Self::Text(Some(id.to_string()))
    }

    /// A count. No store lives to see the last number.
    pub(crate) fn count(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Yes or no.
    pub(crate) fn flag(flag: bool) -> Self {
        Self::Integer(i64::from(flag))
    }

    /// A moment in nanoseconds, so that columns compare as exactly as rows do. Moments before 1677 and after 2262
    /// count as the first and the last that fit.
    pub(crate) fn moment(moment: Timestamp) -> Self {
        let nanoseconds = moment.as_nanosecond();
        Self::Integer(i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 {
            i64::MIN
        } else {
            i64::MAX
        }))
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
        let integers: Vec<i64> = moments
            .iter()
            .map(|moment| match Value::moment(*moment) {
                Value::Integer(integer) => integer,
                Value::Text(_) => unreachable!(),
            })
            .collect();
        assert!(
            integers.is_sorted_by(|one, other| one < other),
            "{integers:?}"
        );
    }
}
