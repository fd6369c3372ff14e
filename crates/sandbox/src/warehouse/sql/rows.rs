//! The rows of all tables, in SQLite in memory.

use rusqlite::{Connection, Error, config::DbConfig, types::Value};

use super::{
    functions,
    names::{decode, encode},
    relation::Relation,
    values::{stored, stored_type},
};
use crate::warehouse::{
    account::{Account, Cell, Column, Table},
    errors::SqlError,
};

/// One database of SQLite. Each table has a name of its own there, [`Table::stored`].
#[derive(Debug)]
pub(in crate::warehouse) struct Rows(Connection);

/// Result of a query: the names that SQLite gives the columns, and the values.
pub(super) type Answered = (Vec<String>, Vec<Vec<Value>>);

impl Rows {
    /// The rows of the seed.
    pub(in crate::warehouse) fn seeded(account: &Account) -> Result<Self, SqlError> {
        let rows = Self::empty().map_err(|error| failed(&error))?;
        for table in account.tables() {
            rows.create(&table.stored, &table.columns, false)?;
            rows.insert(&table.stored, &table.columns, &table.rows)?;
        }
        Ok(rows)
    }

    fn empty() -> Result<Self, Error> {
        let connection = Connection::open_in_memory()?;
        // In double quotes is a name, never a text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
        connection.execute_batch("PRAGMA case_sensitive_like = ON")?;
        functions::register(&connection)?;
        Ok(Self(connection))
    }

    /// Makes a table without rows. NULL is refused where a column says so; keys are not enforced, as Snowflake
    /// does not.
    pub(super) fn create(
        &self,
        stored: &str,
        columns: &[Column],
        temporary: bool,
    ) -> Result<(), SqlError> {
        let columns = columns.iter().map(|column| {
            let name = encode(&column.name).replace('"', "\"\"");
            let needed = if column.nullable { "" } else { " NOT NULL" };
            format!("\"{name}\" {}{needed}", stored_type(column.kind))
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let kind = if temporary { "TEMP TABLE" } else { "TABLE" };
        self.execute(&format!("CREATE {kind} {stored} ({columns})"))
            .map(drop)
    }

    /// Adds rows.
    pub(in crate::warehouse) fn insert(
        &self,
        table: &str,
        columns: &[Column],
        rows: &[Vec<Cell>],
    ) -> Result<(), SqlError> {
        let places = vec!["?"; columns.len()].join(", ");
        let insert = || {
            let all = self.0.unchecked_transaction()?;
            let mut statement = all.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
            for row in rows {
                let values = columns.iter().zip(row);
                let values = values.map(|(column, cell)| stored(column.kind, cell));
                statement.execute(rusqlite::params_from_iter(values))?;
            }
            drop(statement);
            all.commit()
        };
        insert().map_err(|error| failed(&error))
    }

    /// Makes a table for one statement.
    pub(super) fn lend(&self, stored: &str, relation: &Relation) -> Result<(), SqlError> {
        self.create(stored, &relation.columns, true)?;
        self.insert(stored, &relation.columns, &relation.rows)
    }

    /// Runs a query.
    pub(super) fn query(&self, sql: &str) -> Result<Answered, SqlError> {
        let query = || {
            let mut statement = self.0.prepare(sql)?;
            let names = statement.column_names();
            let names: Vec<String> = names.into_iter().map(decode).collect();
            let mut rows = statement.query([])?;
            let mut values = Vec::new();
            while let Some(row) = rows.next()? {
                let row = (0..names.len()).map(|index| row.get(index));
                values.push(row.collect::<Result<Vec<Value>, Error>>()?);
            }
            Ok((names, values))
        };
        query().map_err(|error| failed(&error))
    }

    /// Runs another statement; returns how many rows it changed.
    pub(in crate::warehouse) fn execute(&self, sql: &str) -> Result<usize, SqlError> {
        self.0.execute(sql, []).map_err(|error| failed(&error))
    }

    /// The last rows of a table as texts, each with its number; the newest first.
    pub(in crate::warehouse) fn texts(
        &self,
        table: &Table,
        most: usize,
    ) -> Vec<(i64, Vec<String>)> {
        let sql = format!(
            "SELECT rowid, * FROM {} ORDER BY rowid DESC LIMIT {most}",
            table.stored
        );
        let rows = self.query(&sql).map(|(_, rows)| rows).unwrap_or_default();
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Blob(bytes) => format!("{} bytes", bytes.len()),
        };
        rows.iter()
            .filter_map(|row| match row.split_first()? {
                (Value::Integer(id), values) => Some((*id, values.iter().map(text).collect())),
                _ => None,
            })
            .collect()
    }

    /// How many rows a table has.
    pub(in crate::warehouse) fn count(&self, table: &Table) -> usize {
        let sql = format!("SELECT COUNT(*) FROM {}", table.stored);
        let count = self.0.query_row(&sql, [], |row| row.get::<_, i64>(0));
        count
            .ok()
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or_default()
    }
}

/// SQLite's error in Snowflake's words.
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
