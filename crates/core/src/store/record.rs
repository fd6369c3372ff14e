//! Entities as rows. A body is written with its index values, and read back only if both match.
//!
//! A body can have a version in the member `v`; without it, the version is 1. Increase the version if an older version
//! of Stead would misread the new meaning, or would lose members inside members. Other new members don't need a new
//! version, because a rewritten entity keeps members that it doesn't know.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Row, Table, Value, Versioned};
use crate::{Error, ErrorKind, Result, domain::Extra};

/// An entity that is stored in a table.
pub(crate) trait Record: Serialize + DeserializeOwned + Send {
    /// Its table.
    const TABLE: &'static Table;
    /// The newest version of its body.
    const VERSION: u32 = 1;
    /// Whether it has JSON from others, which may be nested too deeply for a reader.
    const NESTS: bool = false;

    /// A value for each column of the table.
    fn values(&self) -> Vec<Value>;

    /// Sets values that the store assigned to the row in addition to its body: a position.
    fn stored(&mut self, _row: &Row) {}

    /// Other members of its body, if rows of this kind are rewritten.
    fn extra(&mut self) -> Option<&mut Extra> {
        None
    }

    /// The row to store.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a row that could be written but not read again,
    /// [`ErrorKind::StorageUnavailable`] for a row that a newer version of Stead has written.
    fn into_row(mut self) -> Result<Row> {
        if let Some(extra) = self.extra() {
            extra.without_mac();
            match extra.version {
                Some(newer) if newer > Self::VERSION => return Err(written_newer::<Self>(newer)),
                _ if Self::VERSION > 1 => extra.version = Some(Self::VERSION),
                _ => {}
            }
        }
        let body = serde_json::to_string(&self).ok();
        let body = body.filter(|body| !Self::NESTS || serde_json::from_str::<Self>(body).is_ok());
        let Some(body) = body else {
            let table = Self::TABLE.name;
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("a row of table {table} can't be stored, because it nests too deeply"),
            ));
        };
        Ok(Row::new(Self::TABLE, self.values(), body))
    }
}

/// An entity whose row is updated when it changes. It has an [`extra`](Record::extra).
pub(crate) trait Rewritten: Record {}

/// The entity of a row.
///
/// # Errors
/// [`ErrorKind::IntegrityViolated`] if the body isn't such an entity or doesn't match the columns;
/// [`ErrorKind::StorageUnavailable`] if only a newer version of Stead can read it.
pub(crate) fn read<T: Record>(found: Versioned<Row>) -> Result<Versioned<T>> {
    let Versioned {
        row: stored,
        version,
        read_at,
    } = found;
    if version == 0 {
        return Err(violated(&stored, "its version isn't a number above 0"));
    }
    // Messages of serde_json can quote the body.
    let mut row: T = serde_json::from_str(&stored.body).map_err(|_| unread::<T>(&stored))?;
    row.stored(&stored);
    if row.values() != stored.values {
        return Err(violated(&stored, "its columns don't match its body"));
    }
    Ok(Versioned {
        row,
        version,
        read_at,
    })
}

fn unread<T: Record>(row: &Row) -> Error {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    match serde_json::from_str(&row.body) {
        Ok(Version { v }) if v > T::VERSION => written_newer::<T>(v),
        _ => violated(row, "its body can't be read"),
    }
}

fn written_newer<T: Record>(version: u32) -> Error {
    let (table, known) = (T::TABLE.name, T::VERSION);
    Error::new(
        ErrorKind::StorageUnavailable,
        format!(
            "a newer Stead wrote this row of table {table} (version {version}, this Stead reads up to {known}); run the newer Stead"
        ),
    )
}

pub(super) fn violated(row: &Row, what: &str) -> Error {
    let (table, key) = (row.table.name, shown(row));
    Error::new(
        ErrorKind::IntegrityViolated,
        format!("row {key} of table {table} can't be used: {what}"),
    )
    .with_context("table", table)
    .with_context("key", key)
}

/// The key of a row, for people.
pub(crate) fn shown(row: &Row) -> String {
    let key: Vec<String> = row
        .values_of(row.table.key)
        .map(|value| match value {
            Value::Null => String::from("?"),
            Value::Integer(integer) => integer.to_string(),
            Value::Text(text) => text.clone(),
        })
        .collect();
    key.join("/")
}
