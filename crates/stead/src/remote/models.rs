//! The catalogue, the calls of models, and the feed of events.

use std::time::Duration;

use http::Method;
use stead_core::{
    Result,
    agent::{ToolCallResults, ToolCalls},
    resource::{EventFilter, EventPage, ExportedTools, Page, ToolDescription, ToolFilter},
    schema::{Detail, ExportFormat},
    tool::Effect,
};

use super::{
    request::query,
    service::{Outgoing, Service, segment},
};

impl Service {
    /// A page of the feed.
    pub(crate) async fn events(
        &self,
        filter: &EventFilter,
        after: Option<&str>,
        limit: u32,
        wait: Duration,
    ) -> Result<EventPage> {
        let types = filter.types.join(",");
        let (limit, wait) = (limit.to_string(), wait.as_secs().min(30).to_string());
        let parameters = [
            ("types", given(&types)),
            ("connection_name", filter.connection_name.as_deref()),
            ("identifier", filter.identifier.as_deref()),
            ("newest_first", filter.newest_first.then_some("true")),
            ("after", after),
            ("limit", Some(limit.as_str())),
            ("wait", Some(wait.as_str())),
        ];
        let path = format!("/v1/events{}", query(&parameters));
        self.read(Outgoing::new(Method::GET, &path)).await
    }

    /// Tools in their newest versions.
    pub(crate) async fn tools(&self, filter: &ToolFilter) -> Result<Vec<ToolDescription>> {
        let products = filter.products.join(",");
        let path = format!("/v1/tools{}", query(&parameters(filter, &products)));
        let page: Page<ToolDescription> = self.read(Outgoing::new(Method::GET, &path)).await?;
        Ok(page.items)
    }

    /// One tool.
    pub(crate) async fn tool(&self, name: &str) -> Result<ToolDescription> {
        let path = format!("/v1/tools/{}", segment(name));
        self.read(Outgoing::new(Method::GET, &path)).await
    }

    /// Tools in a model vendor's format.
    pub(crate) async fn export_tools(
        &self,
        filter: &ToolFilter,
        format: ExportFormat,
    ) -> Result<ExportedTools> {
        let products = filter.products.join(",");
        let mut parameters = parameters(filter, &products);
        let detail = (filter.detail == Detail::Compact).then_some("compact");
        parameters.extend([("format", Some(format.name())), ("detail", detail)]);
        let path = format!("/v1/tools{}", query(&parameters));
        self.read(Outgoing::new(Method::GET, &path)).await
    }

    /// The tools for finding tools.
    pub(crate) async fn meta_tools(&self, format: ExportFormat) -> Result<ExportedTools> {
        let parameters = [("format", Some(format.name())), ("mode", Some("search"))];
        let path = format!("/v1/tools{}", query(&parameters));
        self.read(Outgoing::new(Method::GET, &path)).await
    }

    /// Runs the calls that a model requests.
    pub(crate) async fn tool_calls(&self, request: ToolCalls) -> Result<ToolCallResults> {
        let mut outgoing = Outgoing::json(Method::POST, "/v1/tool-calls", &request)?;
        if let Some(key) = &request.idempotency_key {
            outgoing = outgoing.idempotency_key(key)?;
        }
        self.read(outgoing.may_write()).await
    }
}

/// Query parameters that select tools. `products` are the filter's, separated by commas.
fn parameters<'a>(
    filter: &'a ToolFilter,
    products: &'a str,
) -> Vec<(&'static str, Option<&'a str>)> {
    vec![
        ("product", given(products)),
        ("effect", filter.effect.map(Effect::name)),
        ("connection_name", filter.connection_name.as_deref()),
        ("tool_set", filter.tool_set.as_deref()),
        ("identifier", filter.identifier.as_deref()),
    ]
}

fn given(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
