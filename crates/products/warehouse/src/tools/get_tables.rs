//! Lists tables and views from the information schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, query::Query, readable::StatementView, statement::Statement};

/// List tables and views with row counts and sizes. Needs a warehouse.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetTables {
    /// Database to search. A plain name is upper-cased, a name in double quotes is exact.
    pub database: String,
    /// Only this schema, by its exact name.
    pub schema: Option<String>,
    /// Pattern for the table's name, in any case: `%` is any text, `_` is one character.
    pub table_name_like: Option<String>,
    /// Most rows to return; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
}

const SELECT: &str = "SELECT TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, TABLE_OWNER, TABLE_TYPE, IS_TRANSIENT, CLUSTERING_KEY, ROW_COUNT, BYTES, RETENTION_TIME, CREATED, LAST_ALTERED, COMMENT \
    FROM {database}.INFORMATION_SCHEMA.TABLES";
const ORDER: &str = "TABLE_SCHEMA, TABLE_NAME";

impl Tool for GetTables {
    const NAME: &'static str = "warehouse_get_tables";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL API, submitting a statement; Information Schema, "TABLES view".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl GetTables {
    fn statement(&self) -> Result<Statement> {
        let mut query = Query::of(SELECT, &self.database);
        query.equals("TABLE_SCHEMA", "schema", &self.schema);
        query.like("TABLE_NAME", "table_name_like", &self.table_name_like);
        query.end(ORDER, self.limit, &self.role, &self.warehouse)
    }
}
