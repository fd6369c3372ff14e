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
    /// Error of an entity that can't be stored.
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
    /// Requires a row to have this version.
    #[must_use]
    pub fn guard(mut self, key: impl Into<Key>, version: u64) -> Self {
        self.guards.push((key.into(), version));
        self
    }
    /// Deletes a row with this version.
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

    /// Assigns positions to the rows that the batch inserts. Stores call this if they keep the `last` position of all
    /// rows themselves.
    ///
    /// If a row has null in a column of the kind [`Position`](super::ColumnKind::Position), it gets an integer. This
    /// integer is greater than any that the table has ever had, including those of deleted rows. A row with an integer
    /// keeps it. Conflicts can leave gaps.
    ///
    /// Positions follow the order of commits: after reading a position, a reader never sees a new row with a lower one.
    /// In SQLite, commits happen one after another, so the next number is correct. If commits can overlap, a store
    /// assigns positions under a lock that it holds until the commit is visible. In PostgreSQL, that's
    /// `pg_advisory_xact_lock` before the insertion, because numbers of a sequence become visible in any order.
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
    /// Replaces an entity that has this version.
    #[must_use]
    pub(crate) fn update(self, record: impl Rewritten, version: u64) -> Self {
        self.write_record(record, |row| Write::Update(row, version))
    }

    /// Whether it has no writes and no error.
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

    /// The batch, or the error of an entity that can't be stored.
    pub(super) fn checked(self) -> Result<Self> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}
