//! The tools of an environment, by name and version. REST, MCP, the command line and the docs all read this list.

use std::{collections::BTreeMap, sync::OnceLock};

use serde_json::Value;

use crate::{
    Error, ErrorKind, Result,
    product::Product,
    schema::{ExportFormat, InputSchema, export, output_schema, readable_schema},
    similar::did_you_mean,
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
    /// [`ErrorKind::Internal`] where the struct gives no valid schema.
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
    /// JSON Schema of the readable view of the result's data, where the tool has one; built at first use.
    pub fn readable_schema(&self) -> Option<&Value> {
        self.readable_schema
            .get_or_init(|| self.entry.readable().map(readable_schema))
            .as_ref()
    }
    /// The tool in a model vendor's envelope.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`].
    pub fn export(&self, format: ExportFormat) -> Result<Value> {
        Ok(export(
            self.entry,
            self.schema()?,
            self.output_schema(),
            format,
        ))
    }
}

impl Catalogue {
    /// The catalogue of these products.
    pub fn new(products: impl IntoIterator<Item = &'static Product>) -> Self {
        let products: Vec<_> = products.into_iter().collect();
        let tools: Vec<_> = products
            .iter()
            .flat_map(|product| {
                product.tools.iter().map(|entry| CatalogueTool {
                    product,
                    entry,
                    schema: OnceLock::new(),
                    output_schema: OnceLock::new(),
                    readable_schema: OnceLock::new(),
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
        }
    }

    /// The products.
    pub fn products(&self) -> &[&'static Product] {
        &self.products
    }

    /// Beginnings of the credentials of all products.
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
    pub fn find(
        &self,
        name: &str,
        schema_version: Option<&str>,
        tool_version: Option<&str>,
    ) -> Result<&CatalogueTool> {
        let versions = self.by_name.get(name).ok_or_else(|| self.unknown(name))?;
        let asked = match (schema_version, tool_version) {
            (Some(schema), Some(tool)) if schema != tool => {
                return Err(Error::new(
                    ErrorKind::UnsupportedVersion,
                    format!(
                        "schema_version {schema:?} and tool_version {tool:?} name two versions; expected one"
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
                    "{name} has no version {asked:?}; there are: {}",
                    known.join(", ")
                ),
            )
        })
    }

    /// The versions of the tool with this name, the oldest first; none where it is unknown.
    pub fn versions(&self, name: &str) -> Vec<&'static str> {
        let versions = self.by_name.get(name).into_iter().flatten();
        versions
            .map(|index| self.tools[*index].entry.version())
            .collect()
    }

    fn unknown(&self, name: &str) -> Error {
        let hint = did_you_mean(name, self.by_name.keys().copied());
        Error::new(
            ErrorKind::UnknownTool,
            format!("there is no tool {:?}{hint}", crate::scrub::scrub(name, 80)),
        )
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::tool::{Call, Effect, Io, Output, Tool};

    macro_rules! tools {
        ($($type:ident = $name:literal, $version:literal, $aliases:expr;)+) => { $(
            /// Does nothing.
            #[derive(Serialize, Deserialize, JsonSchema)]
            struct $type {}

            impl Tool for $type {
                const NAME: &'static str = $name;
                const VERSION: &'static str = $version;
                const ALIASES: &'static [&'static str] = $aliases;
                const EFFECT: Effect = Effect::Read;
                type Output = Value;
                async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
                    Ok(Value::Null.into())
                }
            }
        )+ };
    }
    tools! {
        NewList = "demo_list_notes", "2026-11-21", &["demo_notes"];
        OldList = "demo_list_notes", "2025-01-01", &[];
        MiddleList = "demo_list_notes", "2026-02-03", &[];
        Read = "demo_read_note", "2026-11-21", &[];
        Send = "post_send_letter", "2026-11-21", &[];
    }

    static DEMO: Product = Product {
        name: "demo",
        // Not in the order of their dates.
        tools: &[
            ToolEntry::of::<NewList>(),
            ToolEntry::of::<OldList>(),
            ToolEntry::of::<MiddleList>(),
            ToolEntry::of::<Read>(),
        ],
        ..Product::BASE
    };
    static POST: Product = Product {
        name: "post",
        tools: &[ToolEntry::of::<Send>()],
        ..Product::BASE
    };

    fn catalogue() -> Catalogue {
        Catalogue::new([&DEMO, &POST])
    }

    #[test]
    fn the_newest_version_is_found_unless_another_is_asked_for() {
        let catalogue = catalogue();
        let asked = [
            (None, None, "2026-11-21"),
            (Some("2025-01-01"), None, "2025-01-01"),
            (None, Some("2025-01-01"), "2025-01-01"),
            (Some("2026-02-03"), Some("2026-02-03"), "2026-02-03"),
            (None, Some("2026-11-21"), "2026-11-21"),
        ];
        for (schema, tool, found) in asked {
            let entry = catalogue
                .find("demo_list_notes", schema, tool)
                .unwrap()
                .entry();
            assert_eq!(
                (entry.name(), entry.version()),
                ("demo_list_notes", found),
                "{schema:?} {tool:?}"
            );
        }
    }

    #[test]
    fn an_unknown_version_is_refused_with_the_known_ones() {
        let catalogue = catalogue();
        for (schema, tool) in [
            (Some("2024-01-01"), None),
            (None, Some("latest")),
            (Some(""), None),
            (None, Some("")),
        ] {
            let error = catalogue.find("demo_list_notes", schema, tool).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnsupportedVersion);
            assert!(
                error
                    .message()
                    .ends_with("there are: 2025-01-01, 2026-02-03, 2026-11-21"),
                "{error}"
            );
        }
        let error = catalogue
            .find("demo_list_notes", Some("2025-01-01"), Some("2026-11-21"))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedVersion);
        assert!(
            error.message().contains("2025-01-01") && error.message().contains("2026-11-21"),
            "{error}"
        );
    }

    #[test]
    fn an_alias_finds_its_own_version_and_is_not_listed() {
        let catalogue = catalogue();
        let entry = catalogue.find("demo_notes", None, None).unwrap().entry();
        assert_eq!(
            (entry.name(), entry.version()),
            ("demo_list_notes", "2026-11-21")
        );
        assert!(
            catalogue
                .find("demo_notes", None, Some("2025-01-01"))
                .is_err()
        );
        let listed: Vec<_> = catalogue
            .newest()
            .map(|tool| (tool.entry().name(), tool.entry().version()))
            .collect();
        assert_eq!(
            listed,
            [
                ("demo_list_notes", "2026-11-21"),
                ("demo_read_note", "2026-11-21"),
                ("post_send_letter", "2026-11-21")
            ]
        );
    }

    #[test]
    fn an_unknown_name_is_refused_with_similar_ones() {
        let similar = |name: &str| {
            let error = catalogue().find(name, None, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownTool);
            error
                .message()
                .split_once("; did you mean ")
                .map(|(_, similar)| similar.trim_end_matches('?').to_owned())
        };
        assert_eq!(
            similar("demo_list_note").unwrap().split(", ").next(),
            Some("demo_list_notes")
        );
        assert_eq!(
            similar("demo_read_notes").unwrap().split(", ").next(),
            Some("demo_read_note")
        );
        assert_eq!(similar("weather"), None);
        assert_eq!(similar(""), None);
    }

    #[test]
    fn a_long_name_is_not_repeated_whole() {
        let error = catalogue()
            .find(&"x".repeat(10_000), None, None)
            .unwrap_err();
        assert!(error.message().len() < 200);
    }

    #[test]
    fn products_are_found_by_name() {
        let catalogue = catalogue();
        assert_eq!(
            catalogue.product("post").map(|product| product.tools.len()),
            Some(1)
        );
        assert!(catalogue.product("Post").is_none() && catalogue.product("").is_none());
        assert_eq!(
            catalogue
                .find("post_send_letter", None, None)
                .unwrap()
                .product()
                .name,
            "post"
        );
    }

    #[test]
    fn a_schema_is_built_once() {
        let catalogue = catalogue();
        let tool = catalogue.find("demo_read_note", None, None).unwrap();
        assert!(std::ptr::eq(tool.schema().unwrap(), tool.schema().unwrap()));
        assert_eq!(
            tool.export(ExportFormat::Anthropic).unwrap()["name"],
            "demo_read_note"
        );
    }
}
