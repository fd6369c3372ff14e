//! Tools in the formats of models, and the calls that models make.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, accounts,
    agent::{ToolCallResults, ToolCalls},
    catalogue::{FoundTools, SearchTools, ToolDetails},
    resource::{ExportedTools, ToolFilter},
    schema::ExportFormat,
    tool_calls,
};

impl Environment {
    /// The newest version of every tool in a model vendor's format, with a report of what that format can't express.
    ///
    /// # Errors
    /// As [`Environment::exported_tools`].
    pub async fn export_tools(
        &self,
        filter: &ToolFilter,
        format: ExportFormat,
    ) -> Result<ExportedTools> {
        accounts::tools::exported(&self.0, filter, format).await
    }

    /// The three tools that replace all others: search, describe, execute.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`](crate::catalogue::CatalogueTool::schema).
    pub fn meta_tools(&self, format: ExportFormat) -> Result<ExportedTools> {
        Ok(self.catalogue().meta_tools(format)?.into_iter().collect())
    }

    /// The tools that match some words, best match first. `products` limits the search to these products.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown product.
    pub fn search_tools(
        &self,
        asked: &SearchTools,
        products: Option<&[String]>,
    ) -> Result<FoundTools> {
        self.catalogue().search(asked, products)
    }

    /// Everything that a model needs to know about a tool before it calls it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`], which names similar ones.
    pub fn describe_tool(&self, name: &str) -> Result<ToolDetails> {
        self.catalogue().describe(name)
    }

    /// Runs a model's calls in order, and returns the results in the model's own format. If a call fails, its result
    /// says what to do, and the other calls still run. Calls are idempotent by the vendor's call ID: the same call with
    /// the same ID runs once.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the calls can't be read.
    pub async fn tool_calls(&self, request: ToolCalls) -> Result<ToolCallResults> {
        tool_calls::run(&self.0, request).await
    }
}
