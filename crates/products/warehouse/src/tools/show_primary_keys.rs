//! Shows primary keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Rows,
    namespace::Namespace,
    readable::StatementView,
    reader::Reader,
    settings,
    sql::Name,
    statement::{Statement, submit},
};

/// Show the primary keys of a table, a schema, a database, or the whole account (slow). Returns a row per column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct ShowPrimaryKeys {
    /// Database. With a schema or table, the user's default when absent.
    pub database_name: Option<String>,
    /// Schema. With a table, the user's default when absent.
    pub schema_name: Option<String>,
    /// Table; all tables when absent.
    pub table_name: Option<String>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse of the session, which needn't be running.
    pub warehouse: Option<String>,
}

impl Tool for ShowPrimaryKeys {
    const NAME: &'static str = "warehouse_show_primary_keys";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement(None).map(drop)
    }

    /// SQL reference, "SHOW PRIMARY KEYS". It only accepts a schema together with its database.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let is_schema = self.schema_name.is_some() && self.table_name.is_none();
        let database = if is_schema && self.database_name.is_none() {
            Some(self.default_database(call, io).await?)
        } else {
            None
        };
        self.statement(database)?.rows(call, io).await
    }
}

impl ShowPrimaryKeys {
    /// The default database of the connection's settings or of the user (SQL reference, "CURRENT_DATABASE"). It needs no
    /// warehouse.
    async fn default_database(&self, call: &Call, io: Io<'_>) -> Result<Name> {
        if let Some(database) = settings::name(call, settings::DATABASE) {
            return Ok(database);
        }
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let statement = Statement::new("SELECT CURRENT_DATABASE()").run_as(role, warehouse);
        let request_id = call.derive_id("database").to_string();
        let request = statement.request(&request_id, None).effect(Effect::Read);
        let reply = submit(io, request, &request_id).await?;
        let name = reply.body["data"][0][0].as_str();
        name.and_then(|name| Name::stored_as(name).ok())
            .ok_or_else(|| {
                let message = "the user has no default database; give database_name";
                Error::new(ErrorKind::InvalidRequest, message)
            })
    }

    fn statement(&self, default: Option<Name>) -> Result<Statement> {
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let namespace = Namespace {
            database: reader
                .optional_name("database_name", &self.database_name)
                .or(default),
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
