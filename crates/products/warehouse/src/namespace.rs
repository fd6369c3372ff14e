//! Where in the product a SHOW command looks.

use crate::{
    sql::{self, Name},
    statement::Statement,
};

/// Database and schema that a caller named, of which either may be left to the user's defaults.
pub(crate) struct Namespace {
    pub(crate) database: Option<Name>,
    pub(crate) schema: Option<Name>,
}

impl Namespace {
    /// The place itself: `SCHEMA "D"."S"`, `DATABASE "D"` or `ACCOUNT`, which is said where nothing is named, since the
    /// product would take the user's default database otherwise.
    pub(crate) fn scope(&self) -> String {
        match (&self.database, &self.schema) {
            (Some(database), Some(schema)) => format!("SCHEMA {}", sql::path([database, schema])),
            (None, Some(schema)) => format!("SCHEMA {}", schema.quoted()),
            (Some(database), None) => format!("DATABASE {}", database.quoted()),
            (None, None) => String::from("ACCOUNT"),
        }
    }

    /// A table of the place. The word TABLE keeps one that is called ACCOUNT from being treated as it.
    pub(crate) fn table(&self, table: &Name) -> String {
        // A database without a schema cannot stand before the table; the session says it.
        let database = self.database.as_ref().filter(|_| self.schema.is_some());
        let names = database.into_iter().chain(&self.schema).chain([table]);
        format!("TABLE {}", sql::path(names))
    }

    /// Makes the place the session's, so that what a name leaves open is found there (SQL API, "database" and "schema"
    /// of the request).
    pub(crate) fn surround(self, mut statement: Statement) -> Statement {
        statement.database = self.database;
        statement.schema = self.schema;
        statement.leaves_open = true;
        statement
    }
}
