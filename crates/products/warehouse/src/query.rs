//! Queries of the information schema.

use stead_core::Result;

use crate::{reader::Reader, sql::Name, statement::Statement};

/// Kinds of constraints in the information schema ("TABLE_CONSTRAINTS view").
const CONSTRAINT_TYPES: [&str; 3] = ["PRIMARY KEY", "FOREIGN KEY", "UNIQUE"];

/// A query of the information schema. The database is in the SQL, all values are bind variables.
pub(crate) struct Query {
    reader: Reader,
    database: Name,
    statement: Statement,
    conditions: Vec<String>,
}

impl Query {
    /// Starts with a constant `SELECT … FROM {database}.INFORMATION_SCHEMA.…`. The view always has its database
    /// in front, which databases made from a share require.
    pub(crate) fn of(select: &'static str, database: &str) -> Self {
        let mut reader = Reader::default();
        let database = reader.name("database", database);
        let statement = Statement::new(select.replace("{database}", &database.quoted()));
        Self {
            reader,
            database,
            statement,
            conditions: Vec::new(),
        }
    }

    /// Keeps rows with this name in the column.
    pub(crate) fn equals(&mut self, column: &str, parameter: &str, name: &Option<String>) {
        if let Some(name) = self.reader.optional_name(parameter, name) {
            self.conditions.push(format!("{column} = ?"));
            self.statement.bind(name.stored());
        }
    }

    /// Keeps rows whose column matches this pattern in any case, like SHOW … LIKE.
    pub(crate) fn like(&mut self, column: &str, parameter: &str, pattern: &Option<String>) {
        if let Some(pattern) = self.reader.optional_text(parameter, pattern) {
            self.conditions.push(format!("{column} ILIKE ?"));
            self.statement.bind(&pattern);
        }
    }

    /// Keeps constraints of this kind.
    pub(crate) fn one_of(&mut self, column: &str, parameter: &str, kind: &Option<String>) {
        let Some(kind) = kind else { return };
        let meant = kind.replace('_', " ").to_ascii_uppercase();
        if CONSTRAINT_TYPES.contains(&meant.as_str()) {
            self.conditions.push(format!("{column} = ?"));
            self.statement.bind(&meant);
        } else {
            let message = format!("expected one of {}", CONSTRAINT_TYPES.join(", "));
            self.reader.refuse(parameter, "enum", message);
        }
    }

    /// Finishes the query with order and limit, and sets role and warehouse.
    pub(crate) fn end(
        mut self,
        order: &'static str,
        limit: Option<u64>,
        role: &Option<String>,
        warehouse: &Option<String>,
    ) -> Result<Statement> {
        let role = self.reader.optional_name("role", role);
        let warehouse = self.reader.optional_name("warehouse", warehouse);
        self.reader.end()?;
        let sql = &mut self.statement.statement;
        if !self.conditions.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&self.conditions.join(" AND "));
        }
        sql.push_str(" ORDER BY ");
        sql.push_str(order);
        if let Some(limit) = limit {
            sql.push_str(&format!(" LIMIT {limit}"));
        }
        self.statement.database = Some(self.database);
        Ok(self.statement.run_as(role, warehouse))
    }
}
