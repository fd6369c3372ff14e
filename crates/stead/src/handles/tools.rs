//! The catalogue of tools.

use std::fmt;

use serde_json::Value;
use stead_core::{
    Result,
    resource::{ExportedTools, ToolDescription, ToolFilter},
    schema::{Detail, ExportFormat},
    tool::Effect,
};

use crate::backend::Backend;

/// The catalogue of tools, newest versions, narrowed by what is given.
///
/// ```
/// # async fn example(stead: stead::Stead) -> stead::Result<()> {
/// use stead::{Effect, ExportFormat, resource::Readiness};
///
/// // What this user can call now.
/// let tools = stead.tools().product("mail").identifier("user-42").list().await?;
/// let ready = tools.iter().filter(|tool| tool.readiness == Some(Readiness::Ready));
/// println!("{} of {} are ready", ready.count(), tools.len());
///
/// // The tools that only read, as a model takes them.
/// let tools = stead.tools().effect(Effect::Read).export(ExportFormat::Anthropic).await?;
/// println!("{} tools", tools.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "tools are read by `list`, `read` or `export`"]
pub struct Tools {
    backend: Backend,
    filter: ToolFilter,
}

impl Tools {
    pub(crate) fn new(backend: Backend) -> Self {
        Self {
            backend,
            filter: ToolFilter::default(),
        }
    }
    /// Only those of this product; given again, of that one too.
    pub fn product(mut self, name: impl Into<String>) -> Self {
        self.filter.products.push(name.into());
        self
    }
    /// Only those with this effect.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.filter.effect = Some(effect);
        self
    }
    /// Only those of this connection's product; readiness is then of this connection only.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.filter.connection_name = Some(name.into());
        self
    }
    /// Adds to each whether this user can call it now, through any connection of its product.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.filter.identifier = Some(identifier.into());
        self
    }
    /// How much of each tool [`Tools::export`] gives.
    pub fn detail(mut self, detail: Detail) -> Self {
        self.filter.detail = detail;
        self
    }
    /// The tools, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an unknown product or an invalid identifier.
    pub async fn list(self) -> Result<Vec<ToolDescription>> {
        self.backend.tools(self.filter).await
    }
    /// One tool; the filter is not regarded.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`](crate::ErrorKind::UnknownTool), which names similar ones.
    pub async fn read(self, name: &str) -> Result<ToolDescription> {
        self.backend.tool(name).await
    }
    /// The tools in the envelope that a model vendor asks for, to be sent to a model as they are.
    ///
    /// # Errors
    /// As [`Tools::list`]; [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) together with
    /// [`Tools::identifier`], for whose result an envelope has no place.
    pub async fn export(self, format: ExportFormat) -> Result<Vec<Value>> {
        Ok(self.export_with_report(format).await?.items)
    }
    /// The same, with what the envelope of each tool does not say.
    ///
    /// # Errors
    /// As [`Tools::export`].
    pub async fn export_with_report(self, format: ExportFormat) -> Result<ExportedTools> {
        self.backend.export_tools(self.filter, format).await
    }
    /// Three tools that stand for all, in less than 800 tokens: a model searches, reads what it found, and executes it. Their
    /// calls are executed by [`Agent::run`](crate::Agent::run). The filter is not regarded.
    ///
    /// # Errors
    /// None but those of a request to the service.
    pub async fn export_search(self, format: ExportFormat) -> Result<Vec<Value>> {
        Ok(self.backend.meta_tools(format).await?.items)
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tools")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
