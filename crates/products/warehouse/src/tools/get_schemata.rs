//! Schemas, from the information schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, query::Query, readable::StatementView, statement::Statement};

/// List the schemas of a database, from INFORMATION_SCHEMA.SCHEMATA. Needs a warehouse.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetSchemata {
    /// Database to look into. A plain name is upper-cased, one in double quotes is taken exactly.
    pub database: String,
    /// Pattern that the schema's name must match in any case: `%` stands for any text, `_` for one character.
    pub schema_like: Option<String>,
    /// How many rows to return at most; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Role to run as; the token's role when absent. A plain name is upper-cased, one in double quotes is taken exactly.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default one when absent. A plain name is upper-cased.
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
