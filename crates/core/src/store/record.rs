//! Entities as rows: written into a body with its index values, and read back only where both agree.

use serde::{Serialize, de::DeserializeOwned};

use super::{Row, Table, Value, Versioned};
use crate::{Error, ErrorKind, Result};

/// An entity that is kept in a table.
pub(crate) trait Record: Serialize + DeserializeOwned + Send {
    /// Its table.
    const TABLE: &'static Table;
    /// Whether it holds JSON of others, which may be nested deeper than a reader goes.
    const NESTS: bool = false;

    /// A value for each column of the table.
    fn values(&self) -> Vec<Value>;

    /// The row to store.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a row that could be written and never be read again.
    fn into_row(self) -> Result<Row> {
        let body = serde_json::to_string(&self).ok();
        let body = body.filter(|body| !Self::NESTS || serde_json::from_str::<Self>(body).is_ok());
        let Some(body) = body else {
            let table = Self::TABLE.name;
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("a row of table {table} cannot be stored: it nests too deeply"),
            ));
        };
        Ok(Row::new(Self::TABLE, self.values(), body))
    }
}

/// The entity of a row.
///
/// # Errors
/// [`ErrorKind::IntegrityViolated`] where the body is not such an entity, or is another one than the columns say.
pub(super) fn read<T: Record>(found: Versioned<Row>) -> Result<Versioned<T>> {
    let Versioned {
        row: stored,
        version,
        read_at,
    } = found;
    if version == 0 {
        return Err(violated(&stored, "its version is not a number above 0"));
    }
    // What serde_json says may quote the body.
    let row: T = serde_json::from_str(&stored.body)
        .map_err(|_| violated(&stored, "its body does not read"))?;
    if row.values() != stored.values {
        return Err(violated(&stored, "its columns and its body disagree"));
    }
    Ok(Versioned {
        row,
        version,
        read_at,
    })
}

fn violated(row: &Row, what: &str) -> Error {
    let (table, key) = (row.table.name, shown(row));
    Error::new(
        ErrorKind::IntegrityViolated,
        format!("row {key} of table {table} cannot be used: {what}"),
    )
    .with_context("table", table)
    .with_context("key", key)
}

/// The key of a row, for people.
pub(super) fn shown(row: &Row) -> String {
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
