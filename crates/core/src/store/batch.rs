//! Batches: guards and writes of one transaction.

use super::{Key, Record, Rewritten, Row};
use crate::{Error, Result};

/// Whether a batch was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
#[expect(clippy::exhaustive_enums, reason = "every caller handles both")]
pub enum Commit {
    /// All of it.
    Committed,
    /// Nothing, because a guard failed, a version differs or a unique value exists. Load and decide again.
    Conflict,
}

/// Guards and writes of one transaction. A batch that writes a row twice is a conflict.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Batch {
    /// Its purpose, such as `refresh.keep`, for logs and fault-injection tests. Can be empty.
    pub name: &'static str,
    /// Rows that must have the given version before the batch, even if it doesn't write them.
    pub guards: Vec<(Key, u64)>,
    /// Writes, in order.
    pub writes: Vec<Write>,
    /// Why it cannot be offered to a store.
    refused: Option<Error>,
}

/// One write of a batch.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_enums, reason = "a store does all of them")]
pub enum Write {
    /// Adds a row with version 1. It's a conflict if its key or another unique value exists.
    Insert(Row),
    /// Replaces a row with this version and increases the version by one. Otherwise, it's a conflict.
    Update(Row, u64),
    /// Deletes a row with this version. Otherwise, it's a conflict.
    Delete(Key, u64),
}

impl Write {
    /// Primary key of the row that is written.
    pub fn key(&self) -> Key {
        match self {
            Self::Insert(row) | Self::Update(row, _) => row.key(),
            Self::Delete(key, _) => key.clone(),
        }
    }
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }
    /// Sets its purpose.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }
    /// Requires a row to have a version.
    #[must_use]
    pub fn guard(mut self, key: impl Into<Key>, version: u64) -> Self {
        self.guards.push((key.into(), version));
        self
    }
    /// Deletes a row of a version.
    #[must_use]
    pub fn delete(self, key: impl Into<Key>, version: u64) -> Self {
        self.write(Write::Delete(key.into(), version))
    }
    /// Adds a write.
    #[must_use]
    pub fn write(mut self, write: Write) -> Self {
        self.writes.push(write);
        self
    }

    /// Gives positions to the rows that it inserts, for a store that keeps the `last` position of all rows by itself.
    ///
    /// A row that is inserted with null in a column of the kind [`Position`](super::ColumnKind::Position) gets an integer
    /// there, greater than any that the table ever had, rows that are gone included. One that comes with an integer
    /// keeps it. What conflicts may leave a gap.
    ///
    /// Positions are those of commits: whoever has read one never sees a row appear below it. Where one writer commits
    /// after another, as in SQLite, the next number is right. Where writers commit side by side, positions
    /// are given under a lock that is held until the commit is visible (PostgreSQL: `pg_advisory_xact_lock` before
    /// the insertion; the numbers of a sequence become visible in any order).
    pub fn position(&mut self, last: &mut i64) {
        for write in &mut self.writes {
            if let Write::Insert(row) = write {
                row.position(last);
            }
        }
    }

    /// Adds an entity.
    #[must_use]
    pub(crate) fn insert(self, record: impl Record) -> Self {
        self.write_record(record, Write::Insert)
    }
    /// Replaces an entity of a version.
    #[must_use]
    pub(crate) fn update(self, record: impl Rewritten, version: u64) -> Self {
        self.write_record(record, |row| Write::Update(row, version))
    }

    /// Whether there is nothing to write, and nothing that was refused.
    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.refused.is_none()
    }

    fn write_record(mut self, record: impl Record, write: impl FnOnce(Row) -> Write) -> Self {
        match record.into_row() {
            Ok(row) => self.writes.push(write(row)),
            Err(error) => self.refused = Some(error),
        }
        self
    }

    /// The batch, unless one of its entities cannot be stored.
    pub(super) fn checked(self) -> Result<Self> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}
