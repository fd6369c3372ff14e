//! The tools of an environment, by name and version. REST, MCP, the command line and the docs use this list.

mod meta;
mod search;
mod sets;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use crate::{
    Error, ErrorKind, Result,
    product::Product,
    schema::{
        Detail, ExportFormat, Exportable, Exported, InputSchema, export, output_schema,
        readable_schema,
    },
    similar::{did_you_mean, similar, spelling},
    tool::ToolEntry,
};

#[cfg(feature = "platform")]
pub(crate) use meta::meta_tools;
pub use meta::{
    DESCRIBE_TOOL, DescribeTool, EXECUTE_TOOL, ExecuteTool, MetaCall, SEARCH_TOOLS, ToolDetails,
};
#[cfg(feature = "platform")]
pub(crate) use search::search_among;
pub use search::{FoundTool, FoundTools, SearchTools};
pub use sets::ToolSet;

/// Words in names that people expect. If no tool does such a task, a raw request can.
const OF_RAW_REQUESTS: [&str; 5] = ["send", "reply", "append", "delete", "upload"];

/// All tools of some products.
#[derive(Debug)]
pub struct Catalogue {
    products: Vec<&'static Product>,
    tools: Vec<Arc<CatalogueTool>>,
    /// Indices of the versions of each name and alias, oldest first.
    by_name: BTreeMap<&'static str, Vec<usize>>,
    /// Names of products that this program was built without.
    absent: &'static [&'static str],
    /// The operator's own sets of tools, by name.
    sets: BTreeMap<String, BTreeSet<String>>,
}

/// One version of a tool.
#[derive(Debug)]
pub struct CatalogueTool {
    product: &'static Product,
    entry: &'static ToolEntry,
    schema: OnceLock<Result<InputSchema>>,
    output_schema: OnceLock<Value>,
    readable_schema: OnceLock<Option<Value>>,
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
    /// [`ErrorKind::Internal`] if the struct's schema isn't valid.
    pub fn schema(&self) -> Result<&InputSchema> {
        self.schema
            .get_or_init(|| {
                if self.product.schemas_take_null {
                    InputSchema::with_null(self.entry)
                } else {
                    InputSchema::of(self.entry)
                }
            })
            .as_ref()
            .map_err(Clone::clone)
    }
    /// JSON Schema of the result's data, built at first use.
    pub fn output_schema(&self) -> &Value {
        self.output_schema.get_or_init(|| output_schema(self.entry))
    }
    /// JSON Schema of the readable view of the result's data, if the tool has one. Built at first use.
    pub fn readable_schema(&self) -> Option<&Value> {
        self.readable_schema
            .get_or_init(|| self.entry.readable().map(readable_schema))
            .as_ref()
    }
    /// The complete tool in a model vendor's format.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`].
    pub fn export(&self, format: ExportFormat) -> Result<Value> {
        Ok(self.export_with(format, Detail::Full)?.tool)
    }
    /// The same with the given level of detail, and with notes on what the format can't express.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`].
    pub fn export_with(&self, format: ExportFormat, detail: Detail) -> Result<Exported> {
        let exportable = Exportable {
            name: self.entry.name(),
            input: self.schema()?,
            output: self.output_schema(),
            effect: self.entry.effect(),
            hints: self.entry.hints(),
        };
        Ok(export(exportable, format, detail))
    }
}

impl Catalogue {
    /// The catalogue of these products.
    pub fn new(products: impl IntoIterator<Item = &'static Product>) -> Self {
        let products: Vec<_> = products.into_iter().collect();
        let tools: Vec<_> = products
            .iter()
            .flat_map(|product| {
                product.tools.iter().map(|entry| {
                    Arc::new(CatalogueTool {
                        product,
                        entry,
                        schema: OnceLock::new(),
                        output_schema: OnceLock::new(),
                        readable_schema: OnceLock::new(),
                    })
                })
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
        Self {
            products,
            tools,
            by_name,
            absent: &[],
            sets: BTreeMap::new(),
        }
    }

    /// The products.
    pub fn products(&self) -> &[&'static Product] {
        &self.products
    }

    /// Prefixes of credentials of all products.
    pub fn token_prefixes(&self) -> Vec<&'static str> {
        self.products
            .iter()
            .flat_map(|product| product.token_prefixes.iter().copied())
            .collect()
    }

    /// The product with this name.
    pub fn product(&self, name: &str) -> Option<&'static Product> {
        self.products
            .iter()
            .find(|product| product.name == name)
            .copied()
    }

    /// The product with this name, or with this title.
    pub fn product_called(&self, name: &str) -> Option<&'static Product> {
        self.product(name).or_else(|| {
            let name = spelling(name);
            let mut products = self.products.iter().copied();
            products.find(|one| spelling(one.title) == name || one.name == name)
        })
    }

    /// An error that the product doesn't exist, with similar names and the known ones.
    pub fn no_product(&self, name: &str) -> String {
        let shown = crate::scrub::scrub(name, 80);
        if self.absent.contains(&name) {
            return format!(
                "this program was built without the product {shown:?}; enable the feature `{name}` of the crate `stead`"
            );
        }
        let all = self.products.iter().map(|product| product.name);
        let titles = self.products.iter().map(|product| product.title);
        let near = similar(name, all.clone().chain(titles));
        let near = near.first().and_then(|near| self.product_called(near));
        let near = near.map_or_else(String::new, |near| {
            format!("; did you mean {} ({})?", near.name, near.title)
        });
        let all: Vec<&str> = all.collect();
        format!(
            "this environment has no product {shown:?}{near}; it has {}",
            all.join(", ")
        )
    }

    /// Lists products that this program was built without, for error messages.
    #[must_use]
    pub fn without(mut self, absent: &'static [&'static str]) -> Self {
        self.absent = absent;
        self
    }

    /// The newest version of every tool, by name.
    pub fn newest(&self) -> impl Iterator<Item = &CatalogueTool> {
        self.by_name
            .iter()
            .filter_map(|(name, versions)| {
                versions.last().map(|index| (name, &*self.tools[*index]))
            })
            .filter(|(name, tool)| **name == tool.entry.name())
            .map(|(_, tool)| tool)
    }

    /// The tool with this name, in the given version or the newest.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`], or [`ErrorKind::UnsupportedVersion`] with the existing versions.
    pub fn find(
        &self,
        name: &str,
        schema_version: Option<&str>,
        tool_version: Option<&str>,
    ) -> Result<&Arc<CatalogueTool>> {
        let versions = self.by_name.get(name).ok_or_else(|| self.unknown(name))?;
        let asked = match (schema_version, tool_version) {
            (Some(schema), Some(tool)) if schema != tool => {
                return Err(Error::new(
                    ErrorKind::UnsupportedVersion,
                    format!(
                        "schema_version {schema:?} and tool_version {tool:?} differ; give only one version"
                    ),
                ));
            }
            (Some(version), _) | (None, Some(version)) => version,
            (None, None) => "",
        };
        let found = versions
            .iter()
            .rev()
            .map(|index| &self.tools[*index])
            .find(|tool| {
                asked.is_empty() && schema_version.is_none() && tool_version.is_none()
                    || tool.entry.version() == asked
            });
        found.ok_or_else(|| {
            let known = self.versions(name);
            Error::new(
                ErrorKind::UnsupportedVersion,
                format!(
                    "{name} has no version {asked:?}; its versions are: {}",
                    known.join(", ")
                ),
            )
        })
    }

    /// The versions of the tool with this name, oldest first. Empty if it's unknown.
    pub fn versions(&self, name: &str) -> Vec<&'static str> {
        let versions = self.by_name.get(name).into_iter().flatten();
        versions
            .map(|index| self.tools[*index].entry.version())
            .collect()
    }

    fn unknown(&self, name: &str) -> Error {
        let hint = did_you_mean(name, self.by_name.keys().copied());
        let lower = name.to_ascii_lowercase();
        let raw = match OF_RAW_REQUESTS.iter().any(|verb| lower.contains(verb)) {
            true => {
                "; if no tool does what you need, send a raw request: docs/build/raw-requests.md"
            }
            false => "",
        };
        Error::new(
            ErrorKind::UnknownTool,
            format!(
                "no tool has the name {:?}{hint}{raw}",
                crate::scrub::scrub(name, 80)
            ),
        )
    }
}

#[cfg(test)]
mod tests;
