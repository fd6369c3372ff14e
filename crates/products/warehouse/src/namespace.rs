//! The scope of a SHOW command.

use crate::{
    sql::{self, Name},
    statement::Statement,
};

/// The database and the schema that the caller named. The user's defaults apply to those that are absent.
pub(crate) struct Namespace {
    pub(crate) database: Option<Name>,
    pub(crate) schema: Option<Name>,
}

impl Namespace {
    /// The scope in SQL: `SCHEMA "D"."S"`, `DATABASE "D"` or `ACCOUNT`. It's `ACCOUNT` if nothing is named, since the
    /// product would use the user's default database otherwise.
    pub(crate) fn scope(&self) -> String {
        match (&self.database, &self.schema) {
            (Some(database), Some(schema)) => format!("SCHEMA {}", sql::path([database, schema])),
            (None, Some(schema)) => format!("SCHEMA {}", schema.quoted()),
            (Some(database), None) => format!("DATABASE {}", database.quoted()),
            (None, None) => String::from("ACCOUNT"),
        }
    }

    /// A table in this scope. Without the word TABLE, a table named ACCOUNT would be read as the account.
    pub(crate) fn table(&self, table: &Name) -> String {
        // A database can't precede a table without a schema, so the session sets it.
        let database = self.database.as_ref().filter(|_| self.schema.is_some());
        let names = database.into_iter().chain(&self.schema).chain([table]);
        format!("TABLE {}", sql::path(names))
    }

    /// Sets the session's database and schema, which apply to incomplete names (SQL API, "database" and "schema" of the
    /// request).
    pub(crate) fn surround(self, mut statement: Statement) -> Statement {
        statement.database = self.database;
        statement.schema = self.schema;
        statement.leaves_open = true;
        statement
    }
}
