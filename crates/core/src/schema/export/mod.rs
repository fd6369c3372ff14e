//! Exports tools in model vendors' formats: one schema, with a transform and a check for each vendor.
//!
//! | Format | Schema | Rules that it can't express |
//! |---|---|---|
//! | `openai`, `openai_responses`, `anthropic`, `mcp` | JSON Schema, [briefly](view::Depth::Brief) | – |
//! | `openai_strict`, `anthropic_strict` | whole, in the subset that the vendor compiles | listed in the report; a tool that doesn't fit the subset is exported with `strict: false` |
//! | `gemini` | whole, in its subset of OpenAPI | listed in the report |
//!
//! Stead still checks what a schema can't express when the tool is called.

mod anthropic;
mod gemini;
mod mcp;
mod node;
mod openai;
mod view;

use serde_json::Value;

use self::{node::Notes, view::Depth};
use super::{Detail, ExportFormat, ExportReport, InputSchema};
use crate::tool::{Effect, Hints};

/// The parts of a tool that are exported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exportable<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a InputSchema,
    /// Schema of the result.
    pub(crate) output: &'a Value,
    pub(crate) effect: Effect,
    pub(crate) hints: Hints,
}

/// A tool in a vendor's format, with notes on what the format can't express.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// The tool. Send it to the vendor unchanged.
    pub tool: Value,
    /// Notes on what the format can't express.
    pub report: ExportReport,
}

/// Exports one tool in a model vendor's format. Omits the version parameters, because the application chooses them, not
/// the model.
pub(crate) fn export(tool: Exportable<'_>, format: ExportFormat, detail: Detail) -> Exported {
    let mut notes = Notes::default();
    let mut strict = format.is_strict().then_some(true);
    let depth = match (format, detail) {
        (_, Detail::Compact) => Depth::Compact,
        (
            ExportFormat::OpenaiStrict | ExportFormat::AnthropicStrict | ExportFormat::Gemini,
            Detail::Full,
        ) => Depth::Whole,
        (_, Detail::Full) => Depth::Brief,
    };
    let (mut description, mut schema) = view::of(tool.input, depth, &mut notes);
    let mut said = Notes::default();
    let subset = match format {
        ExportFormat::OpenaiStrict => Some(openai::strict(&schema, &mut said)),
        ExportFormat::AnthropicStrict => Some(anthropic::strict(&schema, &mut said)),
        _ => None,
    };
    if let Some(subset) = subset {
        match subset {
            Ok(subset) => {
                schema = subset;
                notes.extend(said);
            }
            // If the tool doesn't fit the strict subset, it's exported without `strict` and needs no whole schema.
            Err(reason) => {
                strict = Some(false);
                notes = Notes::default();
                notes.add(format!("not strict: {reason}"));
                (description, schema) = view::of(tool.input, depth.min(Depth::Brief), &mut notes);
            }
        }
    }
    let (name, strictly) = (tool.name, strict == Some(true));
    let (optional_parameters, union_parameters) = node::counts(&schema);
    let tool = match format {
        ExportFormat::Openai | ExportFormat::OpenaiStrict => {
            openai::chat(name, &description, &schema, strictly)
        }
        ExportFormat::OpenaiResponses => openai::responses(name, &description, &schema),
        ExportFormat::Anthropic => anthropic::tool(name, &description, &schema, None),
        ExportFormat::AnthropicStrict => anthropic::tool(name, &description, &schema, strict),
        ExportFormat::Gemini => gemini::tool(name, &description, schema, &mut notes),
        ExportFormat::Mcp => mcp::tool(tool, &description, &schema),
    };
    let report = ExportReport {
        name: name.to_owned(),
        strict,
        optional_parameters,
        union_parameters,
        notes: notes.into_sentences(),
    };
    Exported { tool, report }
}

/// The whole schema without the parameters that a model doesn't choose.
pub(crate) fn whole_for_models(input: &InputSchema) -> Value {
    view::of(input, Depth::Whole, &mut Notes::default()).1
}

/// Reasons why a vendor would reject this tool, by its published rules. Empty if it's accepted.
///
/// ```
/// use serde_json::json;
/// use stead_core::schema::{ExportFormat, check_tool};
///
/// let tool = json!({ "name": "read note", "input_schema": { "type": "object" } });
/// let faults = check_tool(ExportFormat::Anthropic, &tool);
/// assert_eq!(faults, ["/name: expected 1 to 64 of a-z, A-Z, 0-9, _ and -, found \"read note\""]);
/// ```
pub fn check_tool(format: ExportFormat, tool: &Value) -> Vec<String> {
    match format {
        ExportFormat::Openai | ExportFormat::OpenaiStrict => openai::check_chat(tool),
        ExportFormat::OpenaiResponses => openai::check_responses(tool),
        ExportFormat::Anthropic | ExportFormat::AnthropicStrict => anthropic::check(tool),
        ExportFormat::Gemini => gemini::check(tool),
        ExportFormat::Mcp => mcp::check(tool),
    }
}

/// Reasons why a vendor would reject these tools together. Each has to pass [`check_tool`], and names must be unique.
/// OpenAI allows 128 tools. Anthropic allows 20 strict tools, with 24 optional parameters and 16 of several types in
/// total.
pub fn check_request(format: ExportFormat, tools: &[Value]) -> Vec<String> {
    let mut faults: Vec<String> = tools
        .iter()
        .flat_map(|tool| check_tool(format, tool))
        .collect();
    let name = |tool: &Value| {
        let name = tool.get("name").or_else(|| tool["function"].get("name"));
        name.and_then(Value::as_str).map(str::to_owned)
    };
    let mut names: Vec<String> = tools.iter().filter_map(name).collect();
    names.sort_unstable();
    let twice = names.windows(2).filter(|pair| pair[0] == pair[1]);
    faults.extend(twice.map(|pair| format!("{} appears twice", pair[0])));
    match format {
        ExportFormat::Openai | ExportFormat::OpenaiResponses | ExportFormat::OpenaiStrict => {
            faults.extend(openai::check_count(tools.len()));
        }
        ExportFormat::AnthropicStrict => faults.extend(anthropic::check_together(tools)),
        _ => {}
    }
    faults
}
