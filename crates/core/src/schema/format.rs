//! The formats in which a catalogue is exported. A client of a service needs nothing else of this module.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Format in which a catalogue is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExportFormat {
    /// OpenAI's Chat Completions: `{type: "function", function: {name, description, parameters, strict: false}}`.
    Openai,
    /// OpenAI's Responses: `{type: "function", name, description, parameters, strict: false}`. `strict` is required
    /// there, because it defaults to true.
    OpenaiResponses,
    /// Like `openai`, with `strict: true` and the subset of JSON Schema for OpenAI's structured outputs. All parameters
    /// are required, optional ones can be `null`, and a free-form object is a string with its JSON.
    OpenaiStrict,
    /// Anthropic's Messages: `{name, description, input_schema}`.
    Anthropic,
    /// The same with `strict: true`, in Anthropic's subset. Objects are closed, numbers and strings have no bounds, and
    /// a free-form object is a string with its JSON. A request can have 20 such tools, with 24 optional parameters and
    /// 16 parameters of several types.
    AnthropicStrict,
    /// `{name, description, parameters}` in Gemini's subset of OpenAPI. A free-form object is a string with its JSON.
    /// `parameters` is absent if the tool has none.
    Gemini,
    /// `{name, description, inputSchema, outputSchema, annotations}`. `outputSchema` is present if results are objects.
    Mcp,
}

impl ExportFormat {
    /// Every format with its REST name.
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

    /// JSON pointer to the input's schema in the format.
    pub fn schema_pointer(self) -> &'static str {
        match self {
            Self::Openai | Self::OpenaiStrict => "/function/parameters",
            Self::OpenaiResponses | Self::Gemini => "/parameters",
            Self::Anthropic | Self::AnthropicStrict => "/input_schema",
            Self::Mcp => "/inputSchema",
        }
    }

    /// Whether the vendor enforces the schema.
    pub fn is_strict(self) -> bool {
        matches!(self, Self::OpenaiStrict | Self::AnthropicStrict)
    }
}

/// Level of detail of exported tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Detail {
    /// Every parameter with its description.
    #[default]
    Full,
    /// About half of the tokens. It has the first sentence of each description, and optional parameters without
    /// descriptions and nested members. Calls can still use all parameters.
    Compact,
}

impl Detail {
    /// Every choice with its REST name.
    pub const NAMES: &'static [(&'static str, Self)] =
        &[("full", Self::Full), ("compact", Self::Compact)];
}

/// Differences between an exported schema and the tool's own schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportReport {
    /// Name of the tool.
    pub name: String,
    /// Whether the vendor enforces the schema. Absent if the format doesn't request it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    /// Number of optional parameters at any depth, which is limited for requests with strict tools.
    pub optional_parameters: usize,
    /// Number of parameters with several types at any depth, which is also limited.
    pub union_parameters: usize,
    /// The differences, one sentence each, with JSON pointers.
    pub notes: Vec<String>,
}
