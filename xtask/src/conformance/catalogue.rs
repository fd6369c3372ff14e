//! The tools, as the binary lists them.

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::shell;

/// A tool.
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) product: String,
    /// Any one of them suffices.
    pub(crate) scopes: Vec<String>,
}

/// Asks the binary.
///
/// # Errors
/// Where it cannot be built, or answers otherwise than expected.
pub(crate) fn read() -> Result<Vec<Tool>> {
    let text = shell::output("cargo run --quiet --locked -- tools --json")?;
    let listed: Vec<Value> = serde_json::from_str(&text)?;
    listed
        .iter()
        .map(|tool| {
            let text = |name: &str| {
                let value = tool[name].as_str().map(str::to_owned);
                value.with_context(|| format!("a tool is listed without {name}"))
            };
            let scopes = tool["scopes"].as_array().into_iter().flatten();
            Ok(Tool {
                name: text("name")?,
                product: text("product")?,
                scopes: scopes
                    .filter_map(|scope| scope.as_str().map(str::to_owned))
                    .collect(),
            })
        })
        .collect()
}
