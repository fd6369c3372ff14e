//! The tools that the binary lists.

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result};
use serde_json::Value;

pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) product: String,
    pub(crate) effect: String,
    /// Any one of these is enough.
    pub(crate) scopes: Vec<String>,
}

/// Asks the binary `stead` for its tools.
///
/// # Errors
/// If the binary can't be started, or prints something else.
pub(crate) fn read(stead: &Path) -> Result<Vec<Tool>> {
    let output = Command::new(stead).args(["tools", "--json"]).output();
    let output = output.with_context(|| format!("cannot start {}", stead.display()))?;
    let listed: Vec<Value> =
        serde_json::from_slice(&output.stdout).context("stead tools does not print a JSON list")?;
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
                effect: text("effect")?,
                scopes: scopes
                    .filter_map(|scope| scope.as_str().map(str::to_owned))
                    .collect(),
            })
        })
        .collect()
}
