//! Lists schemas from the information schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, query::Query, readable::StatementView, statement::Statement};

/// List the schemas of a database with owner and dates. Needs a warehouse, unlike `warehouse_show_databases_schemas`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetSchemata {
    /// Database to search. A plain name is upper-cased, a name in double quotes is exact.
    pub database: String,
    /// Pattern for the schema's name, in any case: `%` is any text, `_` is one character.
    pub schema_like: Option<String>,
    /// Most rows to return; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
}

const SELECT: &str = "SELECT CATALOG_NAME, SCHEMA_NAME, SCHEMA_OWNER, IS_TRANSIENT, IS_MANAGED_ACCESS, RETENTION_TIME, CREATED, LAST_ALTERED, COMMENT \
    FROM {database}.INFORMATION_SCHEMA.SCHEMATA";
const ORDER: &str = "SCHEMA_NAME";

impl Tool for GetSchemata {
    const NAME: &'static str = "warehouse_get_schemata";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL API, submitting a statement; Information Schema, "SCHEMATA view".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl GetSchemata {
    fn statement(&self) -> Result<Statement> {
        let mut query = Query::of(SELECT, &self.database);
        query.like("SCHEMA_NAME", "schema_like", &self.schema_like);
        query.end(ORDER, self.limit, &self.role, &self.warehouse)
    }
}
