//! Three tools that give access to all others. A model searches, reads a description and executes the tool. They use
//! little context, however many tools exist.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{Catalogue, SearchTools};
use crate::{
    Error, ErrorKind, Result,
    schema::{Detail, ExportFormat, Exportable, Exported, InputSchema, export, whole_for_models},
    tool::{Effect, Hints},
};

/// Name of the tool that [searches](Catalogue::search).
pub const SEARCH_TOOLS: &str = "stead_search_tools";
/// Name of the tool that [describes](Catalogue::describe) one.
pub const DESCRIBE_TOOL: &str = "stead_describe_tool";
/// Name of the tool that executes one.
pub const EXECUTE_TOOL: &str = "stead_execute_tool";

/// Read a tool's description and input schema. Do this before you execute the tool for the first time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DescribeTool {
    /// Name of the tool, as returned by a search.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// Execute a tool as the user. Returns the tool's own result. If the input isn't valid, the error says how to correct
/// it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteTool {
    /// Name of the tool.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Input of the tool, which matches its schema.
    pub input: Map<String, Value>,
}

/// A call of one of the three.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MetaCall {
    /// `stead_search_tools`.
    Search(SearchTools),
    /// `stead_describe_tool`.
    Describe(DescribeTool),
    /// `stead_execute_tool`.
    Execute(ExecuteTool),
}

/// Description of a tool for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolDetails {
    /// Name.
    pub name: String,
    /// Description of the tool.
    pub description: String,
    /// Effect of a call.
    pub effect: Effect,
    /// JSON Schema of the input, draft 2020-12.
    pub input_schema: Value,
}

impl MetaCall {
    /// A call of one of the three tools, with its input read as leniently as any tool's. `None` for other names.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaViolation`] with all violations.
    pub fn read(name: &str, input: Value) -> Option<Result<Self>> {
        match name {
            SEARCH_TOOLS => Some(read(input).map(Self::Search)),
            DESCRIBE_TOOL => Some(read(input).map(Self::Describe)),
            EXECUTE_TOOL => Some(read(input).map(Self::Execute)),
            _ => None,
        }
    }
}

fn read<T: JsonSchema + DeserializeOwned>(mut input: Value) -> Result<T> {
    InputSchema::of_type::<T>()?.validate(&mut input)?;
    serde_json::from_value(input).map_err(|error| {
        Error::new(ErrorKind::SchemaViolation, "the input is not one").with_source(error)
    })
}

impl Catalogue {
    /// The three tools in a vendor's format.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if a tool has an invalid schema. A test rules this out.
    pub fn meta_tools(&self, format: ExportFormat) -> Result<Vec<Exported>> {
        let products = self.products.iter().map(|product| product.name);
        meta_tools(products.collect(), false, format)
    }

    /// Description of a tool for a model.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`] with similar names.
    pub fn describe(&self, name: &str) -> Result<ToolDetails> {
        let tool = self.find(name, None, None)?;
        let schema = tool.schema()?;
        Ok(ToolDetails {
            name: tool.entry.name().to_owned(),
            description: schema.description().to_owned(),
            effect: tool.entry.effect(),
            input_schema: whole_for_models(schema),
        })
    }
}

/// The three tools for the tools of these products, which may all be read-only.
pub(crate) fn meta_tools(
    products: BTreeSet<&str>,
    read_only: bool,
    format: ExportFormat,
) -> Result<Vec<Exported>> {
    let products: Vec<_> = products.into_iter().collect();
    let products = format!(" Products: {}.", products.join(", "));
    let (effect, hints) = match read_only {
        true => (Effect::Read, Hints::READS),
        false => (Effect::Delete, Hints::ANYTHING),
    };
    Ok(vec![
        meta::<SearchTools>(SEARCH_TOOLS, &products, Effect::Read, Hints::READS, format)?,
        meta::<DescribeTool>(DESCRIBE_TOOL, "", Effect::Read, Hints::READS, format)?,
        meta::<ExecuteTool>(EXECUTE_TOOL, "", effect, hints, format)?,
    ])
}

fn meta<T: JsonSchema>(
    name: &str,
    more: &str,
    effect: Effect,
    hints: Hints,
    format: ExportFormat,
) -> Result<Exported> {
    let input = InputSchema::of_type::<T>()?.describing(more);
    let tool = Exportable {
        name,
        input: &input,
        output: &Value::Null,
        effect,
        hints,
    };
    Ok(export(tool, format, Detail::Full))
}
