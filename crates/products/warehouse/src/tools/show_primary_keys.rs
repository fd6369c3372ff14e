//! Primary keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stead_core::{
    Result,
    tool::{Call, Effect, Io, Output, Tool},
};

use crate::{namespace::Namespace, reader::Reader, statement::Statement};

/// Show the primary keys of a table, of a schema, of a database, or of the whole account: one row per column of a key.
///
/// What a narrower scope leaves open is the user's default database and schema. The whole account can take long.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowPrimaryKeys {
    /// Database; for a schema or a table without one, the default one. A plain name is upper-cased.
    pub database_name: Option<String>,
    /// Schema; for a table without one, the default one. A plain name is upper-cased.
    pub schema_name: Option<String>,
    /// Table; all tables of the schema, the database or the account when absent. A plain name is upper-cased.
    pub table_name: Option<String>,
    /// Role to run as; the token's role when absent. A plain name is upper-cased, one in double quotes is taken exactly.
    pub role: Option<String>,
    /// Warehouse of the session; the user's default one when absent. None has to run for this.
    pub warehouse: Option<String>,
}

impl Tool for ShowPrimaryKeys {
    const NAME: &'static str = "warehouse_show_primary_keys";
    const EFFECT: Effect = Effect::Read;
    type Output = Value;

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL reference, "SHOW PRIMARY KEYS".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl ShowPrimaryKeys {
    fn statement(&self) -> Result<Statement> {
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let namespace = Namespace {
            database: reader.optional_name("database_name", &self.database_name),
            schema: reader.optional_name("schema_name", &self.schema_name),
        };
        let table = reader.optional_name("table_name", &self.table_name);
        reader.end()?;
        let scope = match &table {
            Some(table) => namespace.table(table),
            None => namespace.scope(),
        };
        let statement = Statement::new(format!("SHOW PRIMARY KEYS IN {scope}"));
        Ok(namespace.surround(statement).run_as(role, warehouse))
    }
}
