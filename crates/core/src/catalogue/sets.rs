//! Sets of tools by name. A list that names a set shows only its tools; an agent finds the others by a search.

use std::collections::{BTreeMap, BTreeSet};

use super::{Catalogue, CatalogueTool};
use crate::{Error, ErrorKind, Result, error::SETTING, similar::unknown, tool::Effect};

const CORE: &str = "core";
const READ: &str = "read";
const ALL: &str = "all";
const SEARCH: &str = "search";

/// A set of tools.
#[derive(Debug, Clone, Copy)]
pub struct ToolSet<'c>(Kind<'c>);

#[derive(Debug, Clone, Copy)]
enum Kind<'c> {
    Core,
    Read,
    All,
    Nothing,
    Product(&'c str),
    Own(&'c BTreeSet<String>),
}

impl ToolSet<'_> {
    /// The tools that most agents need: [`Product::core_tools`](crate::product::Product::core_tools).
    pub const CORE: &'static str = CORE;
    /// Every tool.
    pub const ALL: &'static str = ALL;

    /// The set of an agent's list: the given one, `core`, or `all` if someone already chose its tools one by one.
    #[cfg(feature = "platform")]
    pub(crate) fn of_list(given: Option<&str>, chosen: bool) -> &str {
        given.unwrap_or(if chosen { ALL } else { CORE })
    }

    /// Whether the tool is in the set.
    pub fn has(&self, tool: &CatalogueTool) -> bool {
        let (entry, product) = (tool.entry(), tool.product());
        match self.0 {
            Kind::Core => product.core_tools.contains(&entry.name()),
            Kind::Read => entry.effect() == Effect::Read,
            Kind::All => true,
            Kind::Nothing => false,
            Kind::Product(name) => product.name == name,
            Kind::Own(names) => names.contains(entry.name()),
        }
    }
}

impl Catalogue {
    /// Adds your own sets: names of tools by the name of the set.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if a set has the name of another one, no tool, or an unknown tool.
    pub fn with_sets(mut self, sets: BTreeMap<String, Vec<String>>) -> Result<Self> {
        for (name, tools) in sets {
            let tools = self.own_set(&name, &tools).map_err(|why| {
                Error::new(ErrorKind::InvalidRequest, why)
                    .with_context(SETTING, format!("tool_sets.{name}"))
            })?;
            self.sets.insert(name, tools);
        }
        Ok(self)
    }

    /// The current names of a set's tools. The error says why the set isn't possible.
    fn own_set(&self, name: &str, tools: &[String]) -> Result<BTreeSet<String>, String> {
        if name.trim().is_empty() || self.set(name).is_ok() {
            return Err(format!(
                "a set can't have the name {name:?}; choose another one than {}",
                self.set_names().join(", ")
            ));
        }
        if tools.is_empty() {
            return Err(String::from("the set has no tool; name at least one"));
        }
        let tools = tools.iter().map(|tool| match self.find(tool, None, None) {
            Ok(tool) => Ok(tool.entry().name().to_owned()),
            Err(error) => Err(error.message().to_owned()),
        });
        tools.collect()
    }

    /// The set with this name: `core`, `read`, `all`, `search` (which has no tools), a product's name, or one of your
    /// own.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with the names of all sets.
    pub fn set(&self, name: &str) -> Result<ToolSet<'_>> {
        let kind = match name {
            CORE => Some(Kind::Core),
            READ => Some(Kind::Read),
            ALL => Some(Kind::All),
            SEARCH => Some(Kind::Nothing),
            _ => match self.product(name) {
                Some(product) => Some(Kind::Product(product.name)),
                None => self.sets.get(name).map(Kind::Own),
            },
        };
        kind.map(ToolSet)
            .ok_or_else(|| Error::invalid_at("/tool_set", unknown(name, self.set_names())))
    }

    /// The names of all sets.
    pub fn set_names(&self) -> Vec<&str> {
        let products = self.products.iter().map(|product| product.name);
        let own = self.sets.keys().map(String::as_str);
        let built_in = [CORE, READ, ALL, SEARCH].into_iter();
        built_in.chain(products).chain(own).collect()
    }
}
