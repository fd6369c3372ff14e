//! Shows the foreign keys from or to a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Rows, namespace::Namespace, readable::StatementView, reader::Reader, statement::Statement,
};

/// Show a table's foreign keys (imported), or the foreign keys of other tables that refer to it (exported). Returns a row
/// per column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ShowImportedExportedKeys {
    /// Side of the keys that the table is on.
    pub key_direction: KeyDirection,
    /// Table. A plain name is upper-cased, a name in double quotes is exact.
    pub table_name: String,
    /// Its schema; the user's default when absent.
    pub schema_name: Option<String>,
    /// Its database; the user's default when absent.
    pub database_name: Option<String>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse of the session, which needn't be running.
    pub warehouse: Option<String>,
}

/// Direction of the foreign keys that [`ShowImportedExportedKeys`] shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum KeyDirection {
    /// The table's foreign keys.
    #[default]
    Imported,
    /// Other tables' foreign keys that refer to the table.
    Exported,
}

impl Tool for ShowImportedExportedKeys {
    const NAME: &'static str = "warehouse_show_imported_exported_keys";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL reference, "SHOW IMPORTED KEYS"; SHOW EXPORTED KEYS has the same form.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl ShowImportedExportedKeys {
    fn statement(&self) -> Result<Statement> {
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let table = reader.name("table_name", &self.table_name);
        let namespace = Namespace {
            database: reader.optional_name("database_name", &self.database_name),
            schema: reader.optional_name("schema_name", &self.schema_name),
        };
        reader.end()?;
        let keys = match self.key_direction {
            KeyDirection::Imported => "IMPORTED KEYS",
            KeyDirection::Exported => "EXPORTED KEYS",
        };
        let statement = Statement::new(format!("SHOW {keys} IN {}", namespace.table(&table)));
        Ok(namespace.surround(statement).run_as(role, warehouse))
    }
}
