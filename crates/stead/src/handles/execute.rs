//! A call of a tool that you configure and then await.

use std::{fmt, future::IntoFuture, marker::PhantomData};

use serde_json::Value;
use stead_core::{
    Error, Result,
    ports::BoxFuture,
    resource::{ExecuteRequest, Execution},
    results::{ResultOptions, View},
    tool::{Effect, Tool},
};

use crate::backend::Backend;

/// A call of a tool. Await it to run the call. It has the options of [`ExecuteRequest`].
///
/// ```
/// # async fn example(stead: stead::Stead) -> stead::Result<()> {
/// use serde_json::{Value, json};
/// use stead::View;
///
/// let call = stead.account("mail", "user-42")?.execute("mail_fetch_mails", json!({ "query": "is:unread" }));
/// let execution = call.view(View::Readable).fields(["messages.subject"]).max_bytes(8_192).await?;
/// let subjects: Value = execution.json()?;
/// println!("{subjects}");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Any [`ErrorKind`](crate::ErrorKind); [`Error::act_by`] says who must act.
#[must_use = "a call is made when it is awaited"]
pub struct Execute<T = Value> {
    backend: Backend,
    tool: String,
    effect: Option<Effect>,
    request: Result<ExecuteRequest>,
    output: PhantomData<fn() -> T>,
}

impl Execute {
    /// A call by name.
    pub(crate) fn new(backend: Backend, tool: impl Into<String>, request: ExecuteRequest) -> Self {
        Self {
            backend,
            tool: tool.into(),
            effect: None,
            request: Ok(request),
            output: PhantomData,
        }
    }
}

impl<T> Execute<T> {
    /// A call of a tool by its struct, in the version that this program was compiled with.
    pub(crate) fn typed<C: Tool<Output = T>>(
        backend: Backend,
        connection_name: &str,
        identifier: &str,
        tool: &C,
    ) -> Self {
        let request = stead_core::tool::input_of(tool).map(|input| {
            ExecuteRequest::new(connection_name, identifier, input).tool_version(C::VERSION)
        });
        Self {
            backend,
            tool: C::NAME.to_owned(),
            effect: Some(C::EFFECT),
            request,
            output: PhantomData,
        }
    }

    /// Makes the call idempotent: for 24 hours, a repeat with this key returns the first outcome and doesn't run again.
    /// Then [`Execution::replayed`] is true. A key has 1 to 255 printable ASCII characters.
    ///
    /// Another call with the same key is [`ErrorKind::IdempotencyMismatch`](crate::ErrorKind::IdempotencyMismatch). If
    /// a call is cut off, its repeats are [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown), and it never
    /// runs again. If the product accepts IDs from Stead, objects that the tool creates have IDs that derive from the
    /// key.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.set(|request| request.idempotency_key = Some(key.into()))
    }
    /// Describes the requests and changes nothing. Stead still sends reads whose response the tool needs to continue.
    /// The data of the result is a [`Plan`](crate::resource::Plan).
    pub fn dry_run(self, dry_run: bool) -> Self {
        self.set(|request| request.dry_run = dry_run)
    }
    /// Version of the tool, a date. By default, a call by name uses the newest, and a typed call the one that it was
    /// compiled with.
    pub fn tool_version(self, date: impl Into<String>) -> Self {
        self.set(|request| request.tool_version = Some(date.into()))
    }
    /// Version of the schema, a date: the same as the tool's.
    pub fn schema_version(self, date: impl Into<String>) -> Self {
        self.set(|request| request.schema_version = Some(date.into()))
    }

    /// Returns only these members of the result: `messages.subject`, `items[].id`. A missing member causes a warning.
    /// The data no longer has the type of the tool's output, so read it with [`Execution::json`].
    pub fn fields<F: Into<String>>(self, fields: impl IntoIterator<Item = F>) -> Execute {
        let fields = fields.into_iter().map(Into::into).collect();
        self.set(|request| request.result.fields = fields).untyped()
    }
    /// View of the result. [`View::Readable`] is short and made for people and models, if the tool has such a view.
    /// Read it with [`Execution::json`].
    pub fn view(self, view: View) -> Execute {
        self.set(|request| request.result.view = view).untyped()
    }
    /// Limits the result's data to this many bytes. Stead first truncates the longest texts, then lists from their
    /// ends. Warnings say what was omitted and how to get it.
    pub fn max_bytes(self, max_bytes: u64) -> Self {
        self.set(|request| request.result.max_bytes = Some(max_bytes))
    }
    /// Sets all options of the result, and replaces those that were set before.
    pub fn result(self, options: ResultOptions) -> Execute {
        self.set(|request| request.result = options).untyped()
    }

    fn untyped(self) -> Execute {
        Execute {
            backend: self.backend,
            tool: self.tool,
            effect: self.effect,
            request: self.request,
            output: PhantomData,
        }
    }

    fn set(mut self, change: impl FnOnce(&mut ExecuteRequest)) -> Self {
        if let Ok(request) = &mut self.request {
            change(request);
        }
        self
    }
}

impl<T: 'static> IntoFuture for Execute<T> {
    type Output = Result<Execution<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let request = self.request?;
            check_key(request.idempotency_key.as_deref())?;
            let effect = if request.dry_run {
                Some(Effect::Read)
            } else {
                self.effect
            };
            let execution = self.backend.execute(&self.tool, request, effect).await?;
            Ok(execution.typed())
        })
    }
}

pub(super) fn check_key(key: Option<&str>) -> Result<()> {
    let well_formed = key.is_none_or(|key| {
        (1..=255).contains(&key.len()) && key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
    });
    if well_formed {
        return Ok(());
    }
    Err(Error::invalid_at(
        "/idempotency_key",
        "an idempotency key has 1 to 255 printable ASCII characters",
    ))
}

impl<T> fmt::Debug for Execute<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute")
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}
