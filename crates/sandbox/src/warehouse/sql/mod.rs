//! The few statements that the sandbox understands: SELECT over one table, or two joined; INSERT of values;
//! the forms of SHOW. Everything else is a syntax error, as nonsense is. Texts become tokens by an SQL
//! library; what those may say is written here, token by token, so that nothing is passed over.

mod bindings;
mod cursor;
mod information_schema;
mod insert;
mod keys;
mod pattern;
mod relation;
mod select;
mod show;
mod show_grants;

pub(super) use bindings::{BoundValue, bind};
pub(super) use relation::Relation;

use super::errors::SqlError;
use crate::warehouse::account::{Account, Database, Person};
use cursor::Cursor;

/// In whose name, and where, a statement runs.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) person: Person,
    pub(super) role: String,
    pub(super) warehouse: Option<String>,
    pub(super) database: Option<String>,
    pub(super) schema: Option<String>,
}

/// What a statement brought.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) relation: Relation,
    /// How long it takes.
    pub(super) seconds: i64,
    /// Rows that it added, for a statement that adds any.
    pub(super) inserted: Option<usize>,
}

impl Outcome {
    fn rows(relation: Relation) -> Self {
        Self {
            relation,
            seconds: 0,
            inserted: None,
        }
    }
}

/// The statements of a text, by the semicolons between them.
pub(super) fn split(sql: &str) -> Result<Vec<Cursor>, SqlError> {
    Cursor::statements(sql)
}

/// Runs one statement.
pub(super) fn run(
    account: &mut Account,
    session: &Session,
    bindings: &[BoundValue],
    statement: Cursor,
) -> Result<Outcome, SqlError> {
    let mut cursor = statement.with_bindings(bindings);
    if cursor.keyword("SELECT") {
        return select::run(account, session, &mut cursor);
    }
    if cursor.keyword("INSERT") {
        return insert::run(account, session, &mut cursor);
    }
    if cursor.keyword("SHOW") {
        return show::run(account, session, &mut cursor).map(Outcome::rows);
    }
    Err(cursor.unexpected())
}

impl Session {
    /// A statement over stored rows needs a warehouse.
    fn needs_warehouse(&self) -> Result<(), SqlError> {
        match self.warehouse {
            Some(_) => Ok(()),
            None => Err(SqlError::new(
                "000606",
                "57P03",
                "No active warehouse selected in the current session.  Select an active warehouse with the 'use warehouse' command.",
            )),
        }
    }

    /// The three names of an object, of which the session completes the outer ones.
    fn complete(&self, path: &[String]) -> Result<[String; 3], SqlError> {
        let database = || {
            let missing = "Cannot perform SELECT. This session does not have a current database. Call 'USE DATABASE', or use a qualified name.";
            self.database
                .clone()
                .ok_or_else(|| SqlError::new("090105", "22000", missing))
        };
        let schema = || {
            let missing = "Cannot perform SELECT. This session does not have a current schema. Call 'USE SCHEMA', or use a qualified name.";
            self.schema
                .clone()
                .ok_or_else(|| SqlError::new("090106", "22000", missing))
        };
        Ok(match path {
            [table] => [database()?, schema()?, table.clone()],
            [schema, table] => [database()?, schema.clone(), table.clone()],
            [database, schema, table] => [database.clone(), schema.clone(), table.clone()],
            _ => return Err(SqlError::no_object("Object", &path.join("."))),
        })
    }
}

/// Databases that the role may use, by name.
fn visible<'account>(account: &'account Account, session: &Session) -> Vec<&'account Database> {
    let role = session.role.as_str();
    let mut visible: Vec<&Database> = account
        .databases
        .iter()
        .filter(|database| database.roles.contains(&role))
        .collect();
    visible.sort_by_key(|database| database.name);
    visible
}

/// A database that the role may use.
fn database<'account>(
    account: &'account Account,
    session: &Session,
    name: &str,
) -> Result<&'account Database, SqlError> {
    account.database(name, &session.role).ok_or_else(|| {
        let message =
            "SQL compilation error:\nObject does not exist, or operation cannot be performed.";
        SqlError::new("002043", "02000", message)
    })
}
