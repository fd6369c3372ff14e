//! The calls of a model.

use std::fmt;

use serde_json::Value;
use stead_core::{
    Result,
    agent::{CallFormat, ToolCallResults, ToolCalls},
    results::View,
};

use super::execute::check_key;
use crate::backend::Backend;

/// Executes what a model asks for as one user, and gives results in the model's own shape.
///
/// ```
/// # use serde_json::{Value, json};
/// # async fn turn(stead: stead::Stead, reply: Value, messages: &mut Vec<Value>) -> stead::Result<()> {
/// // What Anthropic's Messages returned:
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
    /// Connection of every call for whose product no other is given.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.request.connection_name = Some(name.into());
        self
    }
    /// Connection of a product's calls.
    pub fn connection_of(mut self, product: impl Into<String>, name: impl Into<String>) -> Self {
        self.request.connections.insert(product.into(), name.into());
        self
    }
    /// Shape of the calls; told by the calls where it is not given.
    pub fn format(mut self, format: CallFormat) -> Self {
        self.request.format = Some(format);
        self
    }
    /// Form of the results: [`View::Readable`] is short and for models; the product's own where it is not given.
    pub fn view(mut self, view: View) -> Self {
        self.request.view = Some(view);
        self
    }
    /// Bytes of each result's data at most. What is left out is said, and how to get it.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.request.max_bytes = Some(bytes);
        self
    }
    /// Makes a link where the user must authorize: the result then holds it, for the model to show. Without, it holds the
    /// error.
    pub fn authorization_links(mut self) -> Self {
        self.request.authorization_links = true;
        self
    }
    /// Where these links lead the user back to.
    pub fn verify_url(mut self, url: impl Into<String>) -> Self {
        self.request.verify_url = Some(url.into());
        self
    }
    /// Tells calls apart whose model numbers them (`call_0`): one key for each response of the model. 1 to 255 printable
    /// ASCII characters.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.request.idempotency_key = Some(key.into());
        self
    }
    /// Executes the calls among what a model returned: a list such as `message.tool_calls`, `response.output`,
    /// `message.content` or `content.parts`, or one call.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for what cannot be read as calls. A call that fails
    /// is a result.
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
