//! Tools, as the catalogue describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Result,
    schema::{Detail, ExportReport, Exported},
    tool::Effect,
};

/// A tool of the catalogue.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolDescription {
    /// Name.
    pub name: String,
    /// Product.
    pub product: String,
    /// Version of the tool, a date.
    pub tool_version: String,
    /// Version of the schema: the same date.
    pub schema_version: String,
    /// What a call can do.
    pub effect: Effect,
    /// Scopes of which one is needed.
    pub scopes: Vec<String>,
    /// What it does.
    pub description: String,
    /// JSON Schema of the input, draft 2020-12.
    pub input_schema: Value,
    /// JSON Schema of the result's data, draft 2020-12. The data may have members that it does not name.
    #[serde(default)]
    pub output_schema: Value,
    /// JSON Schema of the data in the view `readable`, where the tool has one. No member is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readable_schema: Option<Value>,
    /// Whether the user asked about can call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
}

impl ToolDescription {
    /// Describes a tool of the catalogue.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`](crate::catalogue::CatalogueTool::schema).
    pub fn of(tool: &crate::catalogue::CatalogueTool) -> Result<Self> {
        let (entry, schema) = (tool.entry(), tool.schema()?);
        Ok(Self {
            name: entry.name().to_owned(),
            product: tool.product().name.to_owned(),
            tool_version: entry.version().to_owned(),
            schema_version: entry.version().to_owned(),
            effect: entry.effect(),
            scopes: entry
                .scopes()
                .0
                .iter()
                .map(|scope| (*scope).to_owned())
                .collect(),
            description: schema.description().to_owned(),
            input_schema: schema.schema().clone(),
            output_schema: tool.output_schema().clone(),
            readable_schema: tool.readable_schema().cloned(),
            readiness: None,
        })
    }
}

/// Whether a user can call a tool now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Readiness {
    /// Yes.
    Ready,
    /// The account is active and lacks a scope.
    NeedsScope,
    /// There is no usable account.
    NeedsConnection,
}

/// Which tools are listed: those that fit all that is given.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolFilter {
    /// Only those of these products; of every product when empty.
    pub products: Vec<String>,
    /// Only those with this effect.
    pub effect: Option<Effect>,
    /// Only those of this connection's product.
    pub connection_name: Option<String>,
    /// How much of each tool is exported; for exports only.
    pub detail: Detail,
    /// Adds whether this user can call each tool: through the connection where one is given, else through any of the
    /// product.
    pub identifier: Option<String>,
}

/// Tools in the envelope of a model vendor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportedTools {
    /// The tools by name, to be sent to the vendor as they are.
    pub items: Vec<Value>,
    /// What the envelope of each does not say, in the same order.
    #[serde(default)]
    pub report: Vec<ExportReport>,
}

impl FromIterator<Exported> for ExportedTools {
    fn from_iter<I: IntoIterator<Item = Exported>>(exported: I) -> Self {
        let exported = exported.into_iter();
        let (items, report) = exported.map(|one| (one.tool, one.report)).unzip();
        Self { items, report }
    }
}
