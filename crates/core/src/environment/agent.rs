//! What an agent of an environment needs: tools as models take them, and the calls that models make.

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
    /// The newest version of every tool in the envelope that a model vendor asks for, with what that does not say.
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

    /// The three tools that stand for all: search, describe, execute.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`](crate::catalogue::CatalogueTool::schema).
    pub fn meta_tools(&self, format: ExportFormat) -> Result<ExportedTools> {
        Ok(self.catalogue().meta_tools(format)?.into_iter().collect())
    }

    /// The tools that fit some words, the best first; with `products` only those of these.
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

    /// A tool as a model reads it before a call.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`], which names similar ones.
    pub fn describe_tool(&self, name: &str) -> Result<ToolDetails> {
        self.catalogue().describe(name)
    }

    /// Executes the calls of a model in their order, and gives their results in the model's own shape. A call that fails is
    /// a result that says what to do; the others are made all the same. The same call with the same id of the vendor is
    /// made once.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for what cannot be read as calls.
    pub async fn tool_calls(&self, request: ToolCalls) -> Result<ToolCallResults> {
        tool_calls::run(&self.0, request).await
    }
}
