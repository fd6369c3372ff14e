//! Tool calls in the shapes of model vendors: what a model asks for, and the results that go back to it.

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

use crate::{error::Problem, identifier::ExecutionId, results::View};

#[cfg(feature = "platform")]
pub(crate) use read::{Call, read};
#[cfg(feature = "platform")]
pub use text::authorization_text;
#[cfg(feature = "platform")]
pub(crate) use text::error_text;
#[cfg(feature = "platform")]
pub(crate) use write::{Content, result};

/// Shape in which a vendor's models call tools, and read results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallFormat {
    /// OpenAI's Chat Completions: `tool_calls` of a message; results are messages with the role `tool`.
    Openai,
    /// OpenAI's Responses: items of the type `function_call`; results are items of the type `function_call_output`.
    OpenaiResponses,
    /// Anthropic's Messages: blocks of the type `tool_use`; results are blocks of the type `tool_result`, for a message of
    /// the role `user`.
    Anthropic,
    /// Gemini: parts with `functionCall`; results are parts with `functionResponse`, for a content of the role `user`.
    Gemini,
}

/// What a model asks for, with the user for whom it is done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The application's id of the user.
    pub identifier: String,
    /// Connection of every call; of those that `connections` does not name where both are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_name: Option<String>,
    /// Connections by product, such as `{"mail": "work-mail"}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub connections: BTreeMap<String, String>,
    /// Shape of the calls; told by the calls where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<CallFormat>,
    /// The calls as the model made them, 32 at most: OpenAI's `message.tool_calls` or `response.output`, Anthropic's
    /// `message.content`, Gemini's `content.parts`. What is not a call, such as text, is passed over.
    pub calls: Vec<Value>,
    /// Form of the results: `readable`, short and for models, when absent; `full` is the product's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Bytes of each result's data at most, 40,000 when absent. What is left out is said, and how to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
    /// Whether a result that the user must authorize for holds a link for that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub authorization_links: bool,
    /// Where those links lead the user back to, for the application to confirm who came. The operator's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Takes part in the keys of the calls, so that those of models which number their calls (`call_0`) are told apart.
    /// Comes from the header `Idempotency-Key` over HTTP.
    #[serde(skip)]
    pub idempotency_key: Option<String>,
}

impl ToolCalls {
    /// Calls as this user.
    pub fn new(identifier: impl Into<String>, calls: Vec<Value>) -> Self {
        Self {
            identifier: identifier.into(),
            calls,
            ..Self::default()
        }
    }
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
    /// Shape of the results: that of the calls.
    pub format: CallFormat,
    /// The results, to be sent to the model as they are.
    pub results: Vec<Value>,
    /// What became of each call, for the application.
    pub calls: Vec<CallOutcome>,
}

/// What became of a call.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The vendor's id of the call, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Id under which the run is recorded; absent where nothing was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<ExecutionId>,
    /// Whether it is the result of the same call made before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Problem>>,
}
