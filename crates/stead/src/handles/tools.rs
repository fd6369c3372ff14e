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

/// The newest versions of all tools, or those that match your filters.
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
    /// Only this product's tools. Call it again to add another product.
    pub fn product(mut self, name: impl Into<String>) -> Self {
        self.filter.products.push(name.into());
        self
    }
    /// Only tools with this effect.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.filter.effect = Some(effect);
        self
    }
    /// Only tools of this connection's product. Whether a user can call a tool then depends on this connection only.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.filter.connection_name = Some(name.into());
        self
    }
    /// Only tools of this set: `core`, `read`, a product, or one of the operator's own.
    pub fn set(mut self, name: impl Into<String>) -> Self {
        self.filter.tool_set = Some(name.into());
        self
    }
    /// Adds to each tool whether this user can call it now, through any connection of its product.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.filter.identifier = Some(identifier.into());
        self
    }
    /// How detailed the tools of [`Tools::export`] are.
    pub fn detail(mut self, detail: Detail) -> Self {
        self.filter.detail = detail;
        self
    }
    /// The tools, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an unknown product or set, or an invalid
    /// identifier.
    pub async fn list(self) -> Result<Vec<ToolDescription>> {
        self.backend.tools(self.filter).await
    }
    /// Reads one tool. Filters don't apply.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`](crate::ErrorKind::UnknownTool), which names similar ones.
    pub async fn read(self, name: &str) -> Result<ToolDescription> {
        self.backend.tool(name).await
    }
    /// The tools in a model vendor's format. Send them to the model as they are.
    ///
    /// # Errors
    /// As [`Tools::list`]. [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) together with
    /// [`Tools::identifier`], because the vendors' formats can't say whether a user is ready.
    pub async fn export(self, format: ExportFormat) -> Result<Vec<Value>> {
        Ok(self.export_with_report(format).await?.items)
    }
    /// The same, with a report of what the format of each tool can't express.
    ///
    /// # Errors
    /// As [`Tools::export`].
    pub async fn export_with_report(self, format: ExportFormat) -> Result<ExportedTools> {
        self.backend.export_tools(self.filter, format).await
    }
    /// Three tools that replace all others, in less than 800 tokens: a model searches, reads about a tool, and runs it.
    /// Run their calls with [`Agent::run`](crate::Agent::run). Filters don't apply.
    ///
    /// # Errors
    /// Only those of a request to the service.
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
