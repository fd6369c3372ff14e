//! A tool in the envelope that a model vendor asks for: one schema, and for each vendor a transform and a check.
//!
//! | Format | Schema | What it cannot say |
//! |---|---|---|
//! | `openai`, `openai_responses`, `anthropic`, `mcp` | JSON Schema, [briefly](view::Depth::Brief) | – |
//! | `openai_strict`, `anthropic_strict` | whole, in the subset that the vendor compiles | is in the report; a tool that the subset cannot hold is exported with `strict: false` |
//! | `gemini` | whole, in its subset of OpenAPI | is in the report |
//!
//! Whatever a schema cannot say is still checked when the tool is called.

mod anthropic;
mod gemini;
mod mcp;
mod node;
mod openai;
mod view;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::{node::Notes, view::Depth};
use super::InputSchema;
use crate::tool::{Effect, Hints};

/// Envelope in which a catalogue is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExportFormat {
    /// OpenAI's Chat Completions: `{type: "function", function: {name, description, parameters, strict: false}}`.
    Openai,
    /// OpenAI's Responses: `{type: "function", name, description, parameters, strict: false}`. There `strict` must be
    /// said: a tool without it is taken as strict.
    OpenaiResponses,
    /// As `openai` with `strict: true`, in the subset of JSON Schema that OpenAI's structured outputs take: every parameter is
    /// required and an optional one may be `null`, and a free-form object is a string that holds its JSON.
    OpenaiStrict,
    /// Anthropic's Messages: `{name, description, input_schema}`.
    Anthropic,
    /// The same with `strict: true`, in the subset that Anthropic compiles: objects are closed, numbers and texts have no
    /// bounds, and a free-form object is a string that holds its JSON. A request takes
    /// [20 such tools, with 24 optional parameters and 16 of several types](check_request).
    AnthropicStrict,
    /// `{name, description, parameters}` in the subset of OpenAPI that Gemini takes; a free-form object is a string that
    /// holds its JSON. Without `parameters` where there are none.
    Gemini,
    /// `{name, description, inputSchema, outputSchema, annotations}`; `outputSchema` where results are objects.
    Mcp,
}

impl ExportFormat {
    /// Every format with its name in REST.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("openai", Self::Openai),
        ("openai_responses", Self::OpenaiResponses),
        ("openai_strict", Self::OpenaiStrict),
        ("anthropic", Self::Anthropic),
        ("anthropic_strict", Self::AnthropicStrict),
        ("gemini", Self::Gemini),
        ("mcp", Self::Mcp),
    ];

    /// Stable snake_case name.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }

    /// Where the envelope has the schema of the input, as a JSON pointer.
    pub fn schema_pointer(self) -> &'static str {
        match self {
            Self::Openai | Self::OpenaiStrict => "/function/parameters",
            Self::OpenaiResponses | Self::Gemini => "/parameters",
            Self::Anthropic | Self::AnthropicStrict => "/input_schema",
            Self::Mcp => "/inputSchema",
        }
    }

    /// Whether the vendor holds a model to the schema.
    pub fn is_strict(self) -> bool {
        matches!(self, Self::OpenaiStrict | Self::AnthropicStrict)
    }
}

/// How much of each tool is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Detail {
    /// Every parameter with its description.
    #[default]
    Full,
    /// About half of the tokens: the first sentence of each description; optional parameters without one, and without what
    /// is in them. A call may have every parameter all the same.
    Compact,
}

impl Detail {
    /// Every choice with its name in REST.
    pub const NAMES: &'static [(&'static str, Self)] =
        &[("full", Self::Full), ("compact", Self::Compact)];
}

/// What of a tool is exported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exportable<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a InputSchema,
    /// Schema of the result.
    pub(crate) output: &'a Value,
    pub(crate) effect: Effect,
    pub(crate) hints: Hints,
}

/// A tool in a vendor's envelope, and what the envelope does not say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// The tool, to be sent to the vendor as it is.
    pub tool: Value,
    /// What the envelope does not say.
    pub report: ExportReport,
}

/// What an exported schema does not say, or says otherwise than the tool's own schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportReport {
    /// Name of the tool.
    pub name: String,
    /// Whether the vendor holds a model to the schema; absent where the format does not ask for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    /// Parameters at any depth that may be absent: what a request with strict tools is limited in.
    pub optional_parameters: usize,
    /// Parameters at any depth of several types: limited too.
    pub union_parameters: usize,
    /// What differs, a sentence each, with the places as JSON pointers.
    pub notes: Vec<String>,
}

/// One tool in a model vendor's envelope. What an application pins (the version parameters) is left out: a model does not
/// choose it.
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
            // What a tool has to be whole for, it is exported without.
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

/// The whole schema without what a model does not choose.
pub(crate) fn whole_for_models(input: &InputSchema) -> Value {
    view::of(input, Depth::Whole, &mut Notes::default()).1
}

/// What keeps a vendor from taking this tool, by the rules that it has published; nothing where it takes it.
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

/// What keeps a vendor from taking these tools together: each has to pass [`check_tool`], names are used once, OpenAI
/// takes 128 tools, and Anthropic 20 strict ones with 24 optional parameters and 16 of several types in all.
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
