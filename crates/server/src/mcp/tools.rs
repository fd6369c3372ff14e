//! The tools of a session in the protocol's form.

use rmcp::model::Tool;
use serde_json::json;
use stead::Error;
use stead_core::{
    catalogue::CatalogueTool, environment::McpOffer, results::View, schema::ExportFormat,
};

use super::{
    connection::{CONNECTION, connection_parameter, of_product},
    own_tools::{self, read},
};

/// Every tool of a session, by name, followed by Stead's own.
pub(super) fn list(offer: &McpOffer<'_>) -> Result<Vec<Tool>, Error> {
    let tools = offer.tools.iter().map(|tool| describe(tool, offer));
    tools.chain(own_tools::list(offer)).collect()
}

fn describe(tool: &CatalogueTool, offer: &McpOffer<'_>) -> Result<Tool, Error> {
    let mut described = tool.export(ExportFormat::Mcp)?;
    described["title"] = json!(title(tool));
    if offer.results.view == View::Readable
        && let Some(view) = tool.readable_schema()
    {
        described["outputSchema"] = view.clone();
    }
    let names: Vec<&str> = of_product(&offer.connections, tool.product())
        .map(|connection| connection.name.as_str())
        .collect();
    if names.len() > 1 {
        let schema = &mut described["inputSchema"];
        schema["properties"][CONNECTION] = connection_parameter(&names);
        if let Some(required) = schema["required"].as_array_mut() {
            required.push(json!(CONNECTION));
        } else {
            schema["required"] = json!([CONNECTION]);
        }
    }
    read(described)
}

/// For example `Fetch mails (Gmail)` for `mail_fetch_mails`.
fn title(tool: &CatalogueTool) -> String {
    let (name, product) = (tool.entry().name(), tool.product());
    let words = name.strip_prefix(product.name).unwrap_or(name);
    let words = words.replace('_', " ");
    let mut letters = words.trim().chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let words: String = first.into_iter().chain(letters).collect();
    format!("{words} ({})", product.title)
}
