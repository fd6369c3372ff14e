//! The readable view of blocks: their text, and the other members of their type.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, items_of, text_of};

use super::value::plain_text;

/// Blocks, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BlocksView {
    /// The blocks in order, without those below them.
    blocks: Vec<BlockView>,
}

/// A block, shortened.
#[derive(Debug, Serialize, JsonSchema)]
struct BlockView {
    /// Id of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Kind of block, such as `paragraph`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Text of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Other facts of its kind, such as `checked` or `url`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    facts: Map<String, Value>,
    /// Whether it contains other blocks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_children: bool,
}

impl BlockView {
    fn new(block: &Value) -> Self {
        let kind = text_of(&block["type"]);
        let content = &block[kind.as_deref().unwrap_or_default()];
        let members = content.as_object().into_iter().flatten();
        let facts = members.filter(|(name, value)| {
            let is_usual = *name == "color" && *value == "default";
            let is_nothing = value.is_null() || *value == &Value::Array(Vec::new());
            *name != "rich_text" && !is_usual && !is_nothing
        });
        let fact = |(name, value): (&String, &Value)| {
            let value = match name.as_str() {
                "caption" => plain_text(value).unwrap_or_default().into(),
                _ => value.clone(),
            };
            (name.clone(), value)
        };
        Self {
            id: text_of(&block["id"]),
            text: plain_text(&content["rich_text"]),
            facts: facts.map(fact).collect(),
            has_children: block["has_children"] == true,
            kind,
        }
    }
}

impl Readable for BlocksView {
    const UNTRUSTED: &'static [&'static str] = &["blocks[].text", "blocks[].facts"];

    fn of(result: Value) -> Self {
        Self {
            blocks: items_of(&result["results"])
                .iter()
                .map(BlockView::new)
                .collect(),
        }
    }
}
