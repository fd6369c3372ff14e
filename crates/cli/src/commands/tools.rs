//! `stead tools`: lists the catalogue.

use clap::Args;
use stead_core::{catalogue::ToolSet, resource::ToolDescription};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    terminal::Terminal,
};

/// List the tools. With --json, the list has their input schemas.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Only tools of this product.
    #[arg(long)]
    product: Option<String>,

    /// Only tools of this set: core, read, all, or a product.
    #[arg(long, value_name = "NAME")]
    tool_set: Option<String>,
}

impl Tools {
    pub(crate) fn run(self, terminal: &Terminal) -> Outcome {
        let tools = descriptions(self.product.as_deref(), self.tool_set.as_deref())?;
        if terminal.json() {
            terminal.result_json(&tools);
            return Ok(());
        }
        let rows = tools.iter().map(|tool| {
            let summary = tool.description.lines().next().unwrap_or_default();
            [
                tool.name.clone(),
                tool.effect.name().to_owned(),
                summary.to_owned(),
            ]
        });
        terminal.table(["NAME", "EFFECT", "WHAT IT DOES"], rows.collect());
        Ok(())
    }
}

/// The newest version of every tool, sorted by name, of one or all products and of a set.
pub(super) fn descriptions(
    product: Option<&str>,
    tool_set: Option<&str>,
) -> Outcome<Vec<ToolDescription>> {
    let catalogue = stead::products::catalogue();
    let product = match product {
        Some(name) => Some(catalogue.product_called(name).ok_or_else(|| {
            Failure::new(
                Exit::Input,
                catalogue.no_product(name),
                "`stead tools` lists the tools of all products.",
            )
        })?),
        None => None,
    };
    let set = catalogue.set(tool_set.unwrap_or(ToolSet::ALL))?;
    let tools = catalogue
        .newest()
        .filter(|tool| set.has(tool))
        .filter(|tool| product.is_none_or(|product| tool.product().name == product.name))
        .map(ToolDescription::of)
        .collect::<Result<_, _>>()?;
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_tool_has_the_members_that_programs_read() {
        let listed = serde_json::to_value(descriptions(None, None).unwrap()).unwrap();
        let tools = listed.as_array().unwrap();
        assert!(!tools.is_empty());
        for tool in tools {
            let members: Vec<&str> = tool
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                // Not every tool has a readable view.
                .filter(|member| *member != "readable_schema")
                .collect();
            assert_eq!(
                members,
                [
                    "description",
                    "effect",
                    "input_schema",
                    "name",
                    "output_schema",
                    "product",
                    "schema_version",
                    "scopes",
                    "tool_version"
                ]
            );
            let name = tool["name"].as_str().unwrap();
            assert!(
                name.starts_with(tool["product"].as_str().unwrap()),
                "{name}"
            );
            assert_eq!(tool["schema_version"], tool["tool_version"]);
            assert!(tool["scopes"].is_array());
            assert_ne!(tool["description"], "");
            assert_eq!(tool["input_schema"]["type"], "object");
            assert!(matches!(
                tool["input_schema"]["properties"],
                Value::Object(_)
            ));
        }
    }

    #[test]
    fn a_product_narrows_the_list_and_an_unknown_one_is_refused() {
        assert_eq!(descriptions(Some("mail"), None).unwrap().len(), 12);
        assert_eq!(descriptions(Some("mail"), Some("core")).unwrap().len(), 7);
        for unknown in [(Some("post"), None), (None, Some("post"))] {
            let refused = descriptions(unknown.0, unknown.1).unwrap_err();
            assert_eq!(refused.exit(), Exit::Input);
        }
    }
}
