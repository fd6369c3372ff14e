//! Differences between databases: how to send a statement, and how to run a transaction.

use std::future::Future;

use jiff::Timestamp;
use stead_core::{
    Result,
    store::{Commit, Table, Value},
};

/// A database that runs the statements of this crate.
///
/// A statement marks the places of its values with `$1`, `$2` and so on. Only SQLite's insertions mark them with `?`.
/// Values are 64-bit integers or texts, and a text can be NULL.
pub trait Engine: Send + Sync + 'static {
    /// Whether writers run concurrently and have to lock the rows that they depend on (`SELECT … FOR UPDATE`).
    const LOCKS_ROWS: bool;

    /// Whether servers on several machines can have the database open.
    const IS_SHARED: bool;

    /// Rows of a query, with the store's time when they were read.
    fn fetch(&self, query: Statement) -> impl Future<Output = Result<Vec<Read>>> + Send;

    /// The store's own time.
    fn now(&self) -> impl Future<Output = Result<Timestamp>> + Send;

    /// Runs all of a transaction durably, or nothing of it. The result is a conflict if a step doesn't hold, or if a
    /// unique value already exists.
    fn commit(&self, transaction: Transaction) -> impl Future<Output = Result<Commit>> + Send;

    /// Runs one statement durably that deletes any number of rows, and returns that number.
    fn delete(&self, deletion: Statement) -> impl Future<Output = Result<u64>> + Send;

    /// Whether it can read and write. Uses the result of a write in the last second, or tries a write.
    fn ready(&self) -> impl Future<Output = Result<()>> + Send;

    /// When this database was restored from an older copy, if known.
    fn restored_at(&self) -> Option<Timestamp>;

    /// SQL for the state that a copy includes in addition to the tables.
    const STATE: StateSql;

    /// Blocks all other writers until the value is dropped. Returns `None` if the engine can't do that.
    fn hold(&self) -> impl Future<Output = Result<Option<Held>>> + Send;
}

/// Held until it is dropped.
pub(crate) type Held = Box<dyn std::any::Any + Send>;

/// SQL for the state that a database keeps in addition to the tables.
#[derive(Debug)]
pub struct StateSql {
    /// Reads the identity, which differs between databases.
    pub identity: &'static str,
    /// Reads the last position that was assigned, or 0.
    pub last_position: &'static str,
    /// Sets the last position that was assigned. It affects one row.
    pub set_last_position: &'static str,
    /// The value of `restored_at` in `stead_state`.
    pub moment: fn(Timestamp) -> String,
}

/// SQL with its values.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The text, which never contains a value.
    pub sql: String,
    /// The values to bind, in order. The first one replaces `$1`, or the first `?`.
    pub values: Vec<Value>,
}

/// Steps of a transaction.
#[derive(Debug, Clone, Default)]
pub struct Transaction {
    /// Steps, in order.
    pub steps: Vec<Step>,
    /// Whether ciphertext is replaced or deleted, so that no copy of it may linger in the database's files.
    pub shreds: bool,
}

/// One step of a transaction.
#[derive(Debug, Clone)]
pub enum Step {
    /// A query that must find a row. The row stays unchanged until the transaction ends.
    Require {
        /// The query.
        query: Statement,
        /// Whether a later step changes the row.
        is_written: bool,
    },
    /// A change that must affect exactly one row.
    Change(Statement),
    /// An insertion of rows. Each row must be new.
    Insert(Insertion),
}

/// Rows that are inserted into a table.
#[derive(Debug, Clone)]
pub struct Insertion {
    /// The table.
    pub table: &'static Table,
    /// The values of all columns, the version and the body of each row.
    pub rows: Vec<Vec<Value>>,
}

impl Insertion {
    /// Number of rows.
    pub(crate) fn count(&self) -> u64 {
        self.rows.len() as u64
    }
}

/// A row as it was read.
#[derive(Debug)]
pub struct Read {
    /// Its values.
    pub fields: Fields,
    /// The store's own time when it was read.
    pub read_at: Timestamp,
}

/// Values of one row as they were read. `None` for a value that is neither text nor integer nor NULL.
pub(crate) type Fields = Vec<Option<Value>>;
