//! The tools of a session in the protocol's form.

use rmcp::model::Tool;
use serde_json::{Value, json};
use stead::Error;
use stead_core::{
    catalogue::{CatalogueTool, DESCRIBE_TOOL, SEARCH_TOOLS},
    environment::McpOffer,
    results::View,
    schema::ExportFormat,
};

use super::{
    connection::{CONNECTION, connection_parameter, of_product},
    own_tools::{self, read},
};

/// The tools in a session's list, by name, followed by Stead's own.
pub(super) fn list(offer: &McpOffer<'_>) -> Result<Vec<Tool>, Error> {
    let tools = offer.listed().map(|tool| read(describe(tool, offer)?));
    let finders = finders(offer)?.into_iter().map(read);
    tools.chain(finders).chain(own_tools::list(offer)).collect()
}

/// The three tools for finding what the list doesn't show. None if it shows every tool.
fn finders(offer: &McpOffer<'_>) -> Result<Vec<Value>, Error> {
    let title = |name: &Value| match name.as_str() {
        Some(SEARCH_TOOLS) => "Search tools",
        Some(DESCRIBE_TOOL) => "Describe a tool",
        _ => "Execute a tool",
    };
    let tools = offer.finders()?.into_iter().map(|exported| {
        let mut tool = exported.tool;
        tool["title"] = Value::from(title(&tool["name"]));
        tool
    });
    Ok(tools.collect())
}

/// A tool with the parameters that this session needs.
pub(super) fn describe(tool: &CatalogueTool, offer: &McpOffer<'_>) -> Result<Value, Error> {
    let mut described = tool.export(ExportFormat::Mcp)?;
    described["title"] = json!(title(tool));
    match tool.readable_schema() {
        _ if !offer.output_schemas => {
            if let Some(members) = described.as_object_mut() {
                members.remove("outputSchema");
            }
        }
        Some(view) if offer.results.view == View::Readable => {
            described["outputSchema"] = view.clone();
        }
        _ => {}
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
    Ok(described)
}

/// A title such as `Fetch mails (Gmail)` for `mail_fetch_mails`.
fn title(tool: &CatalogueTool) -> String {
    let (name, product) = (tool.entry().name(), tool.product());
    let words = name.strip_prefix(product.name).unwrap_or(name);
    let words = words.replace('_', " ");
    let mut letters = words.trim().chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let words: String = first.into_iter().chain(letters).collect();
    format!("{words} ({})", product.title)
}
