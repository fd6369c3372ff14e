//! Lists databases and schemas without a warehouse.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, readable::StatementView, reader::Reader, statement::Statement};

/// Show the databases that the role can see, or the schemas of one database or all. Works without a warehouse.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ShowDatabasesSchemas {
    /// Kind of object to show.
    pub object_type: ContainerType,
    /// Database whose schemas to show; all databases when absent.
    pub database_name: Option<String>,
    /// Pattern for the name, in any case: `%` is any text, `_` is one character.
    pub like_pattern: Option<String>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse of the session, which needn't be running.
    pub warehouse: Option<String>,
}

/// Kind of object that [`ShowDatabasesSchemas`] shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum ContainerType {
    /// Databases.
    #[default]
    Databases,
    /// Schemas.
    Schemas,
}

impl Tool for ShowDatabasesSchemas {
    const NAME: &'static str = "warehouse_show_databases_schemas";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL reference, "SHOW DATABASES" and "SHOW SCHEMAS".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl ShowDatabasesSchemas {
    fn statement(&self) -> Result<Statement> {
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let database = reader.optional_name("database_name", &self.database_name);
        let like = reader.optional_literal("like_pattern", &self.like_pattern);
        if self.object_type == ContainerType::Databases {
            reader.unused(
                "database_name",
                database.is_some(),
                "object_type \"databases\"",
            );
        }
        reader.end()?;
        let like = like.map(|pattern| format!(" LIKE {pattern}"));
        let like = like.unwrap_or_default();
        let sql = match (self.object_type, database) {
            (ContainerType::Databases, _) => format!("SHOW DATABASES{like}"),
            (ContainerType::Schemas, Some(database)) => {
                format!("SHOW SCHEMAS{like} IN DATABASE {}", database.quoted())
            }
            // Without a scope, the product would only show the schemas of the user's default database, if there is one.
            (ContainerType::Schemas, None) => format!("SHOW SCHEMAS{like} IN ACCOUNT"),
        };
        Ok(Statement::new(sql).run_as(role, warehouse))
    }
}
