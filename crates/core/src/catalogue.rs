//! The tools of an environment, by name and version. REST, MCP, the command line and the docs all read this list.

use std::{collections::BTreeMap, sync::OnceLock};

use serde_json::Value;

use crate::{
    Error, ErrorKind, Result,
    product::Product,
    schema::{ExportFormat, InputSchema, export},
    tool::ToolEntry,
};

/// All tools of some products.
#[derive(Debug)]
pub struct Catalogue {
    products: Vec<&'static Product>,
    tools: Vec<CatalogueTool>,
    /// Every name and alias, to the indices of its versions, oldest first.
    by_name: BTreeMap<&'static str, Vec<usize>>,
}

/// One version of a tool.
#[derive(Debug)]
pub struct CatalogueTool {
    product: &'static Product,
    entry: &'static ToolEntry,
    schema: OnceLock<Result<InputSchema>>,
}

impl CatalogueTool {
    /// Product that the tool belongs to.
    pub fn product(&self) -> &'static Product {
        self.product
    }
    /// The tool without its type.
    pub fn entry(&self) -> &'static ToolEntry {
        self.entry
    }
    /// Description and schema, built at first use.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] where the struct gives no valid schema.
    pub fn schema(&self) -> Result<&InputSchema> {
        self.schema.get_or_init(|| InputSchema::of(self.entry)).as_ref().map_err(Clone::clone)
    }
    /// The tool in a model vendor's envelope.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`].
    pub fn export(&self, format: ExportFormat) -> Result<Value> {
        Ok(export(self.entry, self.schema()?, format))
    }
}

impl Catalogue {
    /// The catalogue of these products.
    pub fn new(products: impl IntoIterator<Item = &'static Product>) -> Self {
        let products: Vec<_> = products.into_iter().collect();
        let tools: Vec<_> = products
            .iter()
            .flat_map(|product| {
                product.tools.iter().map(|entry| CatalogueTool { product, entry, schema: OnceLock::new() })
            })
            .collect();
        let mut by_name: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        for (index, tool) in tools.iter().enumerate() {
            for name in [tool.entry.name()].iter().chain(tool.entry.aliases()) {
                by_name.entry(name).or_default().push(index);
            }
        }
        for versions in by_name.values_mut() {
            versions.sort_by_key(|index| tools[*index].entry.version());
        }
        Self { products, tools, by_name }
    }

    /// The products.
    pub fn products(&self) -> &[&'static Product] {
        &self.products
    }

    /// The product with this name.
    pub fn product(&self, name: &str) -> Option<&'static Product> {
        self.products.iter().find(|product| product.name == name).copied()
    }

    /// The newest version of every tool, by name.
    pub fn newest(&self) -> impl Iterator<Item = &CatalogueTool> {
        self.by_name
            .iter()
            .filter_map(|(name, versions)| versions.last().map(|index| (name, &self.tools[*index])))
            .filter(|(name, tool)| **name == tool.entry.name())
            .map(|(_, tool)| tool)
    }

    /// The tool with this name: the asked version, or the newest.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`], or [`ErrorKind::UnsupportedVersion`] with the versions there are.
    pub fn find(&self, name: &str, schema_version: Option<&str>, tool_version: Option<&str>) -> Result<&CatalogueTool> {
        let versions = self.by_name.get(name).ok_or_else(|| self.unknown(name))?;
        let asked = match (schema_version, tool_version) {
            (Some(schema), Some(tool)) if schema != tool => {
                return Err(Error::new(
                    ErrorKind::UnsupportedVersion,
                    format!("schema_version {schema:?} and tool_version {tool:?} name two versions; one is wanted"),
                ));
            }
            (Some(version), _) | (None, Some(version)) => version,
            (None, None) => "",
        };
        let found = versions
            .iter()
            .rev()
            .map(|index| &self.tools[*index])
            .find(|tool| asked.is_empty() && schema_version.is_none() && tool_version.is_none() || tool.entry.version() == asked);
        found.ok_or_else(|| {
            let known: Vec<&str> = versions.iter().map(|index| self.tools[*index].entry.version()).collect();
            Error::new(
                ErrorKind::UnsupportedVersion,
                format!("{name} has no version {asked:?}; there are: {}", known.join(", ")),
            )
        })
    }

    fn unknown(&self, name: &str) -> Error {
        let mut near: Vec<(f64, &str)> =
            self.by_name.keys().map(|known| (strsim::jaro_winkler(known, name), *known)).filter(|(likeness, _)| *likeness > 0.8).collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        let near: Vec<&str> = near.iter().take(3).map(|(_, known)| *known).collect();
        let hint = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
        Error::new(ErrorKind::UnknownTool, format!("there is no tool {:?}{hint}", crate::error::scrub(name, 80)))
    }
}
