//! Lists foreign keys from the information schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, query::Query, readable::StatementView, statement::Statement};

/// List foreign keys and the keys that they refer to. For their columns, use `warehouse_show_imported_exported_keys`. Needs
/// a warehouse.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetReferentialConstraints {
    /// Database to search. A plain name is upper-cased, a name in double quotes is exact.
    pub database: String,
    /// Only this schema, by its exact name.
    pub schema: Option<String>,
    /// Only this table, by its exact name.
    pub table: Option<String>,
    /// Most rows to return; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
}

const SELECT: &str = "SELECT rc.CONSTRAINT_CATALOG, rc.CONSTRAINT_SCHEMA, rc.CONSTRAINT_NAME, tc.TABLE_SCHEMA, tc.TABLE_NAME, \
    rc.UNIQUE_CONSTRAINT_CATALOG, rc.UNIQUE_CONSTRAINT_SCHEMA, rc.UNIQUE_CONSTRAINT_NAME, rc.MATCH_OPTION, rc.UPDATE_RULE, rc.DELETE_RULE, rc.COMMENT, rc.CREATED, rc.LAST_ALTERED \
    FROM {database}.INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS rc \
    LEFT JOIN {database}.INFORMATION_SCHEMA.TABLE_CONSTRAINTS tc \
    ON tc.CONSTRAINT_CATALOG = rc.CONSTRAINT_CATALOG AND tc.CONSTRAINT_SCHEMA = rc.CONSTRAINT_SCHEMA AND tc.CONSTRAINT_NAME = rc.CONSTRAINT_NAME";
const ORDER: &str = "rc.CONSTRAINT_SCHEMA, rc.CONSTRAINT_NAME";

impl Tool for GetReferentialConstraints {
    const NAME: &'static str = "warehouse_get_referential_constraints";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL API, submitting a statement; Information Schema, "REFERENTIAL_CONSTRAINTS view", which doesn't name the table.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl GetReferentialConstraints {
    fn statement(&self) -> Result<Statement> {
        let mut query = Query::of(SELECT, &self.database);
        query.equals("rc.CONSTRAINT_SCHEMA", "schema", &self.schema);
        query.equals("tc.TABLE_NAME", "table", &self.table);
        query.end(ORDER, self.limit, &self.role, &self.warehouse)
    }
}
