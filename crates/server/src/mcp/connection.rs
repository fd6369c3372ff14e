//! Selects the connection of a call. If a session has several connections for a product, a parameter names one.

use serde_json::{Value, json};
use stead::Error;
use stead_core::{environment::McpConnection, error::Violation, product::Product};

/// Name of the parameter.
pub(super) const CONNECTION: &str = "connection_name";

/// The schema of the parameter that names a connection.
pub(super) fn connection_parameter(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names, "description": "Which connection to use." })
}

/// Connections of a product.
pub(super) fn of_product<'c>(
    connections: &'c [McpConnection],
    product: &'c Product,
) -> impl Iterator<Item = &'c McpConnection> {
    let connections = connections.iter();
    connections.filter(move |connection| connection.product.name == product.name)
}

/// The connection that an argument names among these. Without an argument, the only one.
pub(super) fn one_of<'c>(
    connections: impl Iterator<Item = &'c McpConnection>,
    given: Option<&Value>,
) -> Result<&'c McpConnection, Error> {
    let connections: Vec<&McpConnection> = connections.collect();
    let names: Vec<&str> = connections
        .iter()
        .map(|connection| connection.name.as_str())
        .collect();
    let expected = format!("expected one of {}", names.join(", "));
    let wrong = |keyword: &str, message: String| {
        Error::violations(vec![Violation::at(&[CONNECTION], keyword, message)])
    };
    match (given, connections.as_slice()) {
        (None | Some(Value::Null), [only]) => Ok(only),
        (None | Some(Value::Null), _) => Err(wrong("required", format!("is missing; {expected}"))),
        (Some(name), all) => all
            .iter()
            .find(|connection| name.as_str() == Some(connection.name.as_str()))
            .copied()
            .ok_or_else(|| wrong("enum", format!("{expected}, found {name}"))),
    }
}
