//! Runs the calls of a model.

use std::fmt;

use serde_json::Value;
use stead_core::{
    Result,
    agent::{CallFormat, ToolCallResults, ToolCalls},
    results::View,
};

use super::execute::check_key;
use crate::backend::Backend;

/// Runs a model's tool calls as one user, and returns the results in the model's own format.
///
/// ```
/// # use serde_json::{Value, json};
/// # async fn turn(stead: stead::Stead, reply: Value, messages: &mut Vec<Value>) -> stead::Result<()> {
/// // The response of Anthropic's Messages:
/// messages.push(json!({ "role": "assistant", "content": reply["content"] }));
/// let agent = stead.agent("user-42").connection("mail").connection_of("drive", "work-drive");
/// let done = agent.run(&reply["content"]).await?;
/// messages.push(json!({ "role": "user", "content": done.results }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "calls are made by `run`"]
pub struct Agent {
    backend: Backend,
    request: ToolCalls,
}

impl Agent {
    pub(crate) fn new(backend: Backend, identifier: impl Into<String>) -> Self {
        Self {
            backend,
            request: ToolCalls::new(identifier, Vec::new()),
        }
    }
    /// Connection for every call whose product has no connection of its own.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.request.connection_name = Some(name.into());
        self
    }
    /// Connection for the calls of one product.
    pub fn connection_of(mut self, product: impl Into<String>, name: impl Into<String>) -> Self {
        self.request.connections.insert(product.into(), name.into());
        self
    }
    /// Format of the calls. By default, Stead detects it.
    pub fn format(mut self, format: CallFormat) -> Self {
        self.request.format = Some(format);
        self
    }
    /// View of the results. [`View::Readable`] is short and made for models. The default is the product's own result.
    pub fn view(mut self, view: View) -> Self {
        self.request.view = Some(view);
        self
    }
    /// Limits the data of each result to this many bytes. If something is omitted, the result says so, and how to get
    /// it.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.request.max_bytes = Some(bytes);
        self
    }
    /// If the user must authorize, creates a link and puts it into the result for the model to show. Otherwise, the
    /// result has the error.
    pub fn authorization_links(mut self) -> Self {
        self.request.authorization_links = true;
        self
    }
    /// The URL to which these links send the user back.
    pub fn verify_url(mut self, url: impl Into<String>) -> Self {
        self.request.verify_url = Some(url.into());
        self
    }
    /// Distinguishes calls of a model that only numbers its calls (`call_0`). Use one key for each response of the
    /// model, with 1 to 255 printable ASCII characters.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.request.idempotency_key = Some(key.into());
        self
    }
    /// Runs the calls among a model's output: a list such as `message.tool_calls`, `response.output`, `message.content`
    /// or `content.parts`, or one call.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if the calls can't be read. A call that fails
    /// isn't an error: its result says so.
    pub async fn run(&self, calls: &Value) -> Result<ToolCallResults> {
        check_key(self.request.idempotency_key.as_deref())?;
        let mut request = self.request.clone();
        request.calls = match calls {
            Value::Array(calls) => calls.clone(),
            one => vec![one.clone()],
        };
        self.backend.tool_calls(request).await
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
