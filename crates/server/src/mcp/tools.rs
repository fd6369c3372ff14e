//! The tools of a session as the protocol describes them.

use rmcp::model::Tool;
use serde_json::{Value, json};
use stead::{
    Error, ErrorKind,
    core::{
        catalogue::CatalogueTool,
        environment::{McpConnection, McpOffer},
        product::Product,
        schema::ExportFormat,
    },
};

use super::own_tools;

/// The parameter that says which connection is meant, where a session has several of a product.
pub(super) const CONNECTION: &str = "connection_name";

/// Every tool of a session, by name; those of Stead itself come last.
pub(super) fn list(offer: &McpOffer<'_>) -> Result<Vec<Tool>, Error> {
    let tools = offer.tools.iter().map(|tool| describe(tool, offer));
    tools.chain(own_tools::list(offer)).collect()
}

/// Connections of a product.
pub(super) fn of_product<'o>(
    offer: &'o McpOffer<'_>,
    product: &'o Product,
) -> impl Iterator<Item = &'o McpConnection> {
    let connections = offer.connections.iter();
    connections.filter(move |connection| connection.product.name == product.name)
}

fn describe(tool: &CatalogueTool, offer: &McpOffer<'_>) -> Result<Tool, Error> {
    let mut described = tool.export(ExportFormat::Mcp)?;
    described["title"] = json!(title(tool));
    if let Some(view) = tool.readable_schema() {
        described["outputSchema"] = view.clone();
    }
    let names: Vec<&str> = of_product(offer, tool.product())
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

/// The schema of the parameter that names a connection.
pub(super) fn connection_parameter(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names, "description": "Which connection to use." })
}

pub(super) fn read(described: Value) -> Result<Tool, Error> {
    serde_json::from_value(described)
        .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
}

/// Such as `Fetch mails (Gmail)` for `mail_fetch_mails`.
fn title(tool: &CatalogueTool) -> String {
    let (name, product) = (tool.entry().name(), tool.product());
    let words = name.strip_prefix(product.name).unwrap_or(name);
    let words = words.replace('_', " ");
    let mut letters = words.trim().chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let words: String = first.into_iter().chain(letters).collect();
    format!("{words} ({})", product.title)
}
