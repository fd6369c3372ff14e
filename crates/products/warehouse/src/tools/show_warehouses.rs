//! Shows warehouses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{Rows, readable::StatementView, reader::Reader, statement::Statement};

/// Show the warehouses that the role can see, with size and state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct ShowWarehouses {
    /// Pattern for the name, in any case: `%` is any text, `_` is one character.
    pub like_pattern: Option<String>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Warehouse of the session, which needn't be running.
    pub warehouse: Option<String>,
}

impl Tool for ShowWarehouses {
    const NAME: &'static str = "warehouse_show_warehouses";
    const EFFECT: Effect = Effect::Read;
    type Output = Rows;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL reference, "SHOW WAREHOUSES".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.statement()?.rows(call, io).await
    }
}

impl ShowWarehouses {
    fn statement(&self) -> Result<Statement> {
        let mut reader = Reader::default();
        let role = reader.optional_name("role", &self.role);
        let warehouse = reader.optional_name("warehouse", &self.warehouse);
        let like = reader.optional_literal("like_pattern", &self.like_pattern);
        reader.end()?;
        let like = like.map(|pattern| format!(" LIKE {pattern}"));
        let sql = format!("SHOW WAREHOUSES{}", like.unwrap_or_default());
        Ok(Statement::new(sql).run_as(role, warehouse))
    }
}
