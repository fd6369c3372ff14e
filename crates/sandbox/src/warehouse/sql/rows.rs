//! The rows of all tables, in an SQLite database in memory.

use rusqlite::{Connection, Error, config::DbConfig, params_from_iter, types::Value};

use super::{
    Found, functions,
    read::{decode, encode},
    values::{declared, kind_named, stored},
};
use crate::warehouse::{
    account::{Account, Cell, Column, Table},
    errors::SqlError,
};

/// An SQLite database. Each table has its own name there, [`Table::stored`].
#[derive(Debug)]
pub(in crate::warehouse) struct Rows(Connection);

impl Rows {
    /// The seeded rows.
    pub(in crate::warehouse) fn seeded(account: &Account) -> Result<Self, SqlError> {
        let rows = Self::empty().map_err(|error| failed(&error))?;
        for table in account.tables() {
            rows.create(&table.stored, &table.columns)?;
            rows.insert_cells(table, &table.rows)?;
        }
        Ok(rows)
    }

    fn empty() -> Result<Self, Error> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(include_str!("catalog.sql"))?;
        // A text in double quotes is a name, never a string.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
        connection.execute_batch("PRAGMA case_sensitive_like = ON")?;
        functions::register(&connection)?;
        Ok(Self(connection))
    }

    /// Creates an empty table. NULL is refused if a column says so. Keys aren't enforced, as in Snowflake.
    pub(super) fn create(&self, stored: &str, columns: &[Column]) -> Result<(), SqlError> {
        let columns = columns.iter().map(|column| {
            let name = encode(&column.name).replace('"', "\"\"");
            let needed = if column.nullable { "" } else { " NOT NULL" };
            format!("\"{name}\" {}{needed}", declared(column.kind))
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        self.execute(&format!("CREATE TABLE {stored} ({columns})"))
            .map(drop)
    }

    /// Adds rows with values in the form of the API.
    pub(in crate::warehouse) fn insert_cells(
        &self,
        table: &Table,
        rows: &[Vec<Cell>],
    ) -> Result<(), SqlError> {
        let values = rows.iter().map(|row| {
            let cells = table.columns.iter().zip(row);
            cells
                .map(|(column, cell)| stored(column.kind, cell))
                .collect()
        });
        self.insert(&table.stored, &table.columns, values)
    }

    /// Adds all rows or none.
    pub(super) fn insert(
        &self,
        stored: &str,
        columns: &[Column],
        rows: impl Iterator<Item = Vec<Value>>,
    ) -> Result<(), SqlError> {
        let names = columns
            .iter()
            .map(|column| super::read::ident(&column.name).to_string());
        let names = names.collect::<Vec<_>>().join(", ");
        let places = vec!["?"; columns.len()].join(", ");
        let insert = || {
            let all = self.0.unchecked_transaction()?;
            let sql = format!("INSERT INTO {stored} ({names}) VALUES ({places})");
            let mut statement = all.prepare(&sql)?;
            for row in rows {
                statement.execute(params_from_iter(row))?;
            }
            drop(statement);
            all.commit()
        };
        insert().map_err(|error| failed(&error))
    }

    /// Adds a row to a catalog table.
    pub(super) fn add(&self, table: &str, row: Vec<Value>) -> Result<(), SqlError> {
        let places = vec!["?"; row.len()].join(", ");
        let insert = || {
            let mut statement = self
                .0
                .prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
            statement.execute(params_from_iter(row))
        };
        insert().map(drop).map_err(|error| failed(&error))
    }

    /// Runs a query. A column of a table has the type that the table declares.
    pub(super) fn query(&self, sql: &str, values: Vec<Value>) -> Result<Found, SqlError> {
        let query = || {
            let mut statement = self.0.prepare(sql)?;
            let columns = statement.columns();
            let columns: Vec<_> = columns
                .iter()
                .map(|column| {
                    (
                        decode(column.name()),
                        column.decl_type().and_then(kind_named),
                    )
                })
                .collect();
            let mut rows = statement.query(params_from_iter(values))?;
            let mut read = Vec::new();
            while let Some(row) = rows.next()? {
                let row = (0..columns.len()).map(|index| row.get(index));
                read.push(row.collect::<Result<Vec<Value>, Error>>()?);
            }
            Ok(Found::new(columns, read))
        };
        query().map_err(|error| failed(&error))
    }

    /// Runs another statement. Returns how many rows it changed.
    pub(in crate::warehouse) fn execute(&self, sql: &str) -> Result<usize, SqlError> {
        self.0.execute(sql, []).map_err(|error| failed(&error))
    }

    /// The last rows of a table as texts, newest first. Each has its row ID.
    pub(in crate::warehouse) fn texts(
        &self,
        table: &Table,
        most: usize,
    ) -> Vec<(i64, Vec<String>)> {
        let sql = format!(
            "SELECT rowid, * FROM {} ORDER BY rowid DESC LIMIT {most}",
            table.stored
        );
        let rows = self.query(&sql, Vec::new()).map(|found| found.values);
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Blob(bytes) => format!("{} bytes", bytes.len()),
        };
        rows.unwrap_or_default()
            .iter()
            .filter_map(|row| match row.split_first()? {
                (Value::Integer(id), values) => Some((*id, values.iter().map(text).collect())),
                _ => None,
            })
            .collect()
    }

    pub(in crate::warehouse) fn count(&self, table: &Table) -> usize {
        let sql = format!("SELECT COUNT(*) FROM {}", table.stored);
        let count = self.0.query_row(&sql, [], |row| row.get::<_, i64>(0));
        count
            .ok()
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or_default()
    }
}

/// Snowflake's error for an error of SQLite.
fn failed(error: &Error) -> SqlError {
    let message = match error {
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    if let Some(error) = functions::error_of(&message) {
        return error;
    }
    let after = |start: &str| message.strip_prefix(start).map(decode);
    if let Some(name) = after("no such column: ") {
        return SqlError::no_column(&name);
    }
    if let Some(name) = after("ambiguous column name: ") {
        let message = format!(
            "SQL compilation error: error line 1 at position 0\nambiguous column name '{name}'"
        );
        return SqlError::new("000904", "42000", message);
    }
    if let Some(place) = after("NOT NULL constraint failed: ") {
        let column = place.split_once('.').map_or("", |(_, column)| column);
        let message = format!("NULL result in a non-nullable column {column}");
        return SqlError::new("100072", "22000", message);
    }
    if message.starts_with("no such table: ") {
        let message = "SQL compilation error:\nA table of this view does not exist any more.";
        return SqlError::new("002037", "42601", message);
    }
    SqlError::unsupported(&format!("this statement ({message})"))
}
