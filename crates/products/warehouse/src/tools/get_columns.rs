//! Lists columns from the information schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, query::Query, readable::StatementView, statement::Statement};

/// List columns with their types, in order. Use it before you write SQL, and set `table` to keep the result small. Needs a
/// warehouse.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetColumns {
    /// Database to search. A plain name is upper-cased, a name in double quotes is exact.
    pub database: String,
    /// Only this schema, by its exact name.
    pub schema: Option<String>,
    /// Only this table, by its exact name.
    pub table: Option<String>,
    /// Pattern for the column's name, in any case: `%` is any text, `_` is one character.
    pub column_name_like: Option<String>,
    /// Most rows to return; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
}

const SELECT: &str = "SELECT TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_IDENTITY, COMMENT \
    FROM {database}.INFORMATION_SCHEMA.COLUMNS";
const ORDER: &str = "TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION";

impl Tool for GetColumns {
    const NAME: &'static str = "warehouse_get_columns";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL API, submitting a statement; Information Schema, "COLUMNS view".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl GetColumns {
    fn statement(&self) -> Result<Statement> {
        let mut query = Query::of(SELECT, &self.database);
        query.equals("TABLE_SCHEMA", "schema", &self.schema);
        query.equals("TABLE_NAME", "table", &self.table);
        query.like("COLUMN_NAME", "column_name_like", &self.column_name_like);
        query.end(ORDER, self.limit, &self.role, &self.warehouse)
    }
}
