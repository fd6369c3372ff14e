//! Tool calls in model vendors' formats: a model's calls, and the results that go back to it.

#[cfg(feature = "platform")]
mod read;
#[cfg(feature = "platform")]
mod text;
#[cfg(feature = "platform")]
mod write;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_derive::Setters;

use crate::{error::Problem, identifier::ExecutionId, results::View};

#[cfg(feature = "platform")]
pub(crate) use read::{Call, read};
#[cfg(feature = "platform")]
pub use text::authorization_text;
#[cfg(feature = "platform")]
pub(crate) use text::error_text;
#[cfg(feature = "platform")]
pub(crate) use write::{Content, result};

/// Format in which a vendor's models call tools and read results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallFormat {
    /// OpenAI's Chat Completions: `tool_calls` of a message. Results are messages with the role `tool`.
    Openai,
    /// OpenAI's Responses: items of the type `function_call`. Results are items of the type `function_call_output`.
    OpenaiResponses,
    /// Anthropic's Messages: blocks of the type `tool_use`. Results are blocks of the type `tool_result`, for a message
    /// with the role `user`.
    Anthropic,
    /// Gemini: parts with `functionCall`. Results are parts with `functionResponse`, for content with the role `user`.
    Gemini,
}

/// A model's tool calls, and the user that they act as.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({
    "identifier": "user-1",
    "connection_name": "mail",
    "calls": [{
        "type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "mail_list_drafts", "input": { "max_results": 5 },
    }],
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolCalls {
    /// Your application's ID of the user.
    pub identifier: String,
    /// Name of the connection for all calls. If you also give `connections`, it applies to products that aren't listed
    /// there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_name: Option<String>,
    /// Names of connections by product, such as `{"mail": "work-mail"}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub connections: BTreeMap<String, String>,
    /// Format of the calls. Detected from the calls by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<CallFormat>,
    /// The model's calls, unchanged, at most 32: OpenAI's `message.tool_calls` or `response.output`, Anthropic's
    /// `message.content`, Gemini's `content.parts`. Stead ignores other items, such as text.
    #[setters(required)]
    pub calls: Vec<Value>,
    /// Form of the results: `readable` (short, for models) or `full` (the product's own). Defaults to `readable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Maximum size of each result's data in bytes. Defaults to 40,000. Results say what was omitted and how to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
    /// Whether results include a link if the user needs to authorize.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub authorization_links: bool,
    /// URL that the user's browser returns to from such a link. Your application confirms there who the user was.
    /// Defaults to the operator's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Part of the calls' idempotency keys. It makes calls with short IDs such as `call_0` unique. Over HTTP, use the
    /// header `Idempotency-Key`.
    #[serde(skip)]
    pub idempotency_key: Option<String>,
}

/// The results of a model's calls, in the order of the calls.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "format": "anthropic",
    "results": [{
        "type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9", "content": "{\"drafts\":[]}",
    }],
    "calls": [{
        "id": "toolu_01A09q90qw90lq917835lq9", "tool": "mail_list_drafts",
        "execution_id": "exec_01a2037b05a9701a82762695bb6109d0",
    }],
}))]
#[non_exhaustive]
pub struct ToolCallResults {
    /// Format of the results, which is the format of the calls.
    pub format: CallFormat,
    /// The results. Send them to the model unchanged.
    pub results: Vec<Value>,
    /// Outcome of each call, for your application.
    pub calls: Vec<CallOutcome>,
}

/// Outcome of a call.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The vendor's ID of the call, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// ID of the execution. Absent if nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<ExecutionId>,
    /// Whether this is the result of an earlier identical call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// Why the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Problem>>,
}
