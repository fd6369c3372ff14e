//! Tools of the catalogue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stead_derive::Setters;

#[cfg(feature = "catalogue")]
use crate::{Result, schema::Exported};
use crate::{
    schema::{Detail, ExportReport},
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
    /// Version of the schema, which is the same date.
    pub schema_version: String,
    /// Effect of a call.
    pub effect: Effect,
    /// Scopes. A call needs one of them.
    pub scopes: Vec<String>,
    /// Its effect.
    pub description: String,
    /// JSON Schema of the input, draft 2020-12.
    pub input_schema: Value,
    /// JSON Schema of the result's data, draft 2020-12. The data can have more members than it lists.
    #[serde(default)]
    pub output_schema: Value,
    /// JSON Schema of the data in the view `readable`, if the tool has one. All members are optional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readable_schema: Option<Value>,
    /// Whether the given user can call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
}

#[cfg(feature = "catalogue")]
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
    /// The account is active but lacks a scope.
    NeedsScope,
    /// The user has no working account.
    NeedsConnection,
}

/// Filters for a list of tools. A tool has to match all of them.
#[derive(Debug, Clone, Default, Setters)]
#[setters(all)]
#[non_exhaustive]
pub struct ToolFilter {
    /// Only tools of these products. An empty list means all products.
    pub products: Vec<String>,
    /// Only tools with this effect.
    pub effect: Option<Effect>,
    /// Only tools of this connection's product.
    pub connection_name: Option<String>,
    /// Only tools of this set.
    pub tool_set: Option<String>,
    /// How much of each tool to export. Only for exports.
    pub detail: Detail,
    /// Also returns whether this user can call each tool, through the given connection or through any connection of the
    /// product.
    pub identifier: Option<String>,
}

/// Tools in a model vendor's format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportedTools {
    /// The tools. Send them to the vendor unchanged.
    pub items: Vec<Value>,
    /// Notes on what each tool's format can't express, in the same order.
    #[serde(default)]
    pub report: Vec<ExportReport>,
}

#[cfg(feature = "catalogue")]
impl FromIterator<Exported> for ExportedTools {
    fn from_iter<I: IntoIterator<Item = Exported>>(exported: I) -> Self {
        let exported = exported.into_iter();
        let (items, report) = exported.map(|one| (one.tool, one.report)).unzip();
        Self { items, report }
    }
}
