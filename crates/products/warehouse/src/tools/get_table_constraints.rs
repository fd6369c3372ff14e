//! Lists constraints from the information schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, query::Query, readable::StatementView, statement::Statement};

/// List the constraints of tables. Needs a warehouse.
///
/// For their columns, use `warehouse_show_primary_keys` and `warehouse_show_imported_exported_keys`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetTableConstraints {
    /// Database to search. A plain name is upper-cased, a name in double quotes is exact.
    pub database: String,
    /// Only this schema, by its exact name.
    pub schema: Option<String>,
    /// Only this table, by its exact name.
    pub table: Option<String>,
    /// Only `PRIMARY KEY`, `FOREIGN KEY` or `UNIQUE`.
    pub constraint_type: Option<String>,
    /// Most rows to return; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
}

const SELECT: &str = "SELECT CONSTRAINT_CATALOG, CONSTRAINT_SCHEMA, CONSTRAINT_NAME, TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_TYPE, IS_DEFERRABLE, INITIALLY_DEFERRED, ENFORCED, RELY, CREATED, LAST_ALTERED, COMMENT \
    FROM {database}.INFORMATION_SCHEMA.TABLE_CONSTRAINTS";
const ORDER: &str = "TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME";

impl Tool for GetTableConstraints {
    const NAME: &'static str = "warehouse_get_table_constraints";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL API, submitting a statement; Information Schema, "TABLE_CONSTRAINTS view".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl GetTableConstraints {
    fn statement(&self) -> Result<Statement> {
        let mut query = Query::of(SELECT, &self.database);
        query.equals("TABLE_SCHEMA", "schema", &self.schema);
        query.equals("TABLE_NAME", "table", &self.table);
        query.one_of("CONSTRAINT_TYPE", "constraint_type", &self.constraint_type);
        query.end(ORDER, self.limit, &self.role, &self.warehouse)
    }
}
