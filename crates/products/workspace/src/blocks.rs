//! Splits the blocks of a page's content into pieces for single requests.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::error::Violations;

use crate::limits::{ITEMS, check_array, check_member};

/// A block of content, in the product's form: `{"type": "paragraph", "paragraph": {"rich_text": […]}}`.
pub type Block = Map<String, Value>;

/// Content of a page, as the caller gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChildBlock {
    /// A block.
    Block(Block),
    /// A text, which becomes a paragraph.
    Text(String),
}

impl JsonSchema for ChildBlock {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ChildBlock")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A block, or the text of a paragraph.",
            "anyOf": [{ "type": "object", "additionalProperties": true }, { "type": "string" }],
        })
    }
}

impl From<Block> for ChildBlock {
    fn from(block: Block) -> Self {
        Self::Block(block)
    }
}

impl From<&str> for ChildBlock {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The caller's blocks. If a text is a block in JSON, it's read as that block.
pub(crate) fn read(given: Option<&[ChildBlock]>) -> Vec<Block> {
    let given = given.into_iter().flatten();
    given
        .map(|one| match one {
            ChildBlock::Block(block) => block.clone(),
            ChildBlock::Text(text) => match serde_json::from_str::<Block>(text) {
                Ok(block) if block.contains_key("type") => block,
                _ => paragraph(text),
            },
        })
        .collect()
}

/// Splits long texts in blocks into several runs with the same style. The product refuses a run that is too long.
pub(crate) fn split_texts(blocks: &mut [Block]) {
    let values = blocks.iter_mut().flat_map(|block| block.values_mut());
    values.for_each(split_below);
}

fn split_below(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(split_below),
        Value::Array(items) => {
            items.iter_mut().for_each(split_below);
            *items = std::mem::take(items).into_iter().flat_map(parts).collect();
        }
        _ => {}
    }
}

/// A run of rich text in parts that the product allows. Any other value doesn't change.
fn parts(run: Value) -> Vec<Value> {
    let texts = runs(run["text"]["content"].as_str().unwrap_or_default());
    if texts.len() < 2 {
        return vec![run];
    }
    let part = |text: String| {
        let mut part = run.clone();
        if part.get("plain_text").is_some() {
            part["plain_text"] = json!(text);
        }
        part["text"]["content"] = json!(text);
        part
    };
    texts.into_iter().map(part).collect()
}

/// A paragraph, split into runs of the longest allowed length.
fn paragraph(text: &str) -> Block {
    let runs: Vec<Value> = runs(text)
        .iter()
        .map(|run| json!({ "type": "text", "text": { "content": run } }))
        .collect();
    Block::from_iter([
        (String::from("type"), json!("paragraph")),
        (String::from("paragraph"), json!({ "rich_text": runs })),
    ])
}

/// A text in pieces of the longest allowed length.
fn runs(text: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut length = RUN;
    for character in text.chars() {
        length += character.len_utf16();
        if length > RUN {
            runs.push(String::new());
            length = character.len_utf16();
        }
        if let Some(run) = runs.last_mut() {
            run.push(character);
        }
    }
    runs
}

/// Most UTF-16 code units in a run of text (Notion API, "Request limits").
const RUN: usize = 2000;
/// Most blocks in a request, including nested ones (Notion API, "Request limits").
const ELEMENTS: usize = 1000;
/// Most bytes of blocks in a request. The product allows 500 KB; the rest is for a page's properties.
const BYTES: usize = 400_000;
/// Most levels of nested blocks in a request (Notion API, "Append block children").
const LEVELS: usize = 2;

/// Checks limits that splitting doesn't help with: nesting, and the size of a single block. `parameter` names the tool's
/// parameter for the blocks.
pub(crate) fn check(parameter: &str, blocks: &[Block], violations: &mut Violations) {
    for (index, block) in blocks.iter().enumerate() {
        let path = format!("/{parameter}/{index}");
        if levels(block) > LEVELS {
            let message = format!(
                "has more than {LEVELS} levels of blocks below it; the product allows {LEVELS} in a request"
            );
            violations.add(&path, "maxDepth", message);
        }
        check_array(elements(block), ELEMENTS, &path, violations);
        for (name, member) in block {
            check_member(name, member, &format!("{path}/{name}"), violations);
        }
    }
}

/// The blocks in order, in pieces that each fit into a request.
pub(crate) fn pieces(blocks: &[Block]) -> Vec<&[Block]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let (mut count, mut bytes) = (0, 0);
    for (index, block) in blocks.iter().enumerate() {
        let (more, size) = (elements(block), size(block));
        let full = index - start == ITEMS || count + more > ELEMENTS || bytes + size > BYTES;
        if full && index > start {
            pieces.push(&blocks[start..index]);
            (start, count, bytes) = (index, 0, 0);
        }
        count += more;
        bytes += size;
    }
    if start < blocks.len() {
        pieces.push(&blocks[start..]);
    }
    pieces
}

/// The number of blocks in this one, including itself.
fn elements(block: &Block) -> usize {
    1 + children(block).map(elements).sum::<usize>()
}

fn levels(block: &Block) -> usize {
    children(block)
        .map(|child| 1 + levels(child))
        .max()
        .unwrap_or_default()
}

fn size(block: &Block) -> usize {
    serde_json::to_vec(block).map_or(0, |text| text.len())
}

/// The blocks directly below a block, in `children` of the member named after its type.
fn children(block: &Block) -> impl Iterator<Item = &Block> {
    let below = block.values().filter_map(|content| content.get("children"));
    let outside = block.get("children");
    below
        .chain(outside)
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(value: Value) -> Block {
        serde_json::from_value(value).unwrap()
    }

    fn paragraph(text: &str) -> Block {
        block(
            json!({"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": text}}]}}),
        )
    }

    #[test]
    fn a_text_is_a_paragraph_in_runs_that_the_product_takes() {
        let texts = |text: &str| {
            let read = read(Some(&[ChildBlock::from(text)]));
            let runs = read[0]["paragraph"]["rich_text"].as_array().cloned();
            let runs = runs.unwrap().into_iter();
            runs.map(|run| run["text"]["content"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts("First words"), ["First words"]);
        assert!(texts("").is_empty());
        let long = format!("{}𝄞b", "a".repeat(1999));
        assert_eq!(texts(&long), ["a".repeat(1999), "𝄞b".to_owned()]);
        let divider = r#"{"type": "divider", "divider": {}}"#;
        assert_eq!(
            read(Some(&[ChildBlock::from(divider)])),
            [block(json!({"type": "divider", "divider": {}}))]
        );
        assert_eq!(texts("{\"a\": 1}"), ["{\"a\": 1}"]);
    }

    #[test]
    fn long_texts_in_blocks_keep_every_character_and_their_style() {
        let long = format!("{}𝄞b", "a".repeat(1999));
        let bold = json!({"bold": true});
        let run = json!({"text": {"content": long}, "plain_text": long, "annotations": bold});
        let mut blocks = [block(json!({"table_row": {"cells": [[run], []]}}))];
        split_texts(&mut blocks);
        let parts = blocks[0]["table_row"]["cells"][0].as_array().unwrap();
        let part = |text: &str| json!({"text": {"content": text}, "plain_text": text, "annotations": bold});
        assert_eq!(parts, &[part(&"a".repeat(1999)), part("𝄞b")]);
        let mut short = [paragraph("a")];
        split_texts(&mut short);
        assert_eq!(short, [paragraph("a")]);
    }

    fn toggle(children: &[Block]) -> Block {
        block(json!({"type": "toggle", "toggle": {"rich_text": [], "children": children}}))
    }

    fn lengths(blocks: &[Block]) -> Vec<usize> {
        pieces(blocks).iter().map(|piece| piece.len()).collect()
    }

    #[test]
    fn a_request_takes_a_hundred_blocks() {
        assert!(lengths(&[]).is_empty());
        assert_eq!(lengths(&vec![paragraph("a"); 100]), [100]);
        assert_eq!(lengths(&vec![paragraph("a"); 250]), [100, 100, 50]);
    }

    #[test]
    fn a_request_takes_a_thousand_elements() {
        let wide = toggle(&vec![paragraph("a"); 99]);
        assert_eq!(lengths(&vec![wide; 25]), [10, 10, 5]);
    }

    #[test]
    fn a_request_is_not_too_heavy() {
        assert_eq!(
            lengths(&vec![paragraph(&"x".repeat(150_000)); 5]),
            [2, 2, 1]
        );
        assert_eq!(
            lengths(&[paragraph(&"x".repeat(500_000)), paragraph("a")]),
            [1, 1]
        );
    }

    #[test]
    fn nesting_is_bounded() {
        let paths = |blocks: &[Block]| {
            let mut found = Violations::default();
            check("child_blocks", blocks, &mut found);
            let violations = found
                .finish()
                .map_or_else(|error| error.violation_list().to_vec(), |()| Vec::new());
            violations
                .into_iter()
                .map(|one| format!("{} {}", one.path, one.keyword))
                .collect::<Vec<_>>()
        };
        let three = toggle(&[toggle(&[paragraph("a")])]);
        assert!(paths(&[paragraph("a"), three.clone()]).is_empty());
        assert_eq!(
            paths(&[paragraph("a"), toggle(&[three])]),
            ["/child_blocks/1 maxDepth"]
        );
        assert_eq!(
            paths(&[toggle(&vec![paragraph("a"); 101])]),
            ["/child_blocks/0/toggle/children maxItems"]
        );
        assert_eq!(
            paths(&[paragraph(&"x".repeat(2001))]),
            ["/child_blocks/0/paragraph/rich_text/0/text/content maxLength"]
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(24))]
        #[test]
        fn no_block_is_lost_or_moved(sizes in proptest::collection::vec(0usize..300_000, 0..12), small in 0usize..230) {
            let mut blocks: Vec<Block> = sizes.iter().map(|size| paragraph(&"x".repeat(*size))).collect();
            blocks.extend((0..small).map(|number| paragraph(&number.to_string())));
            let cut = pieces(&blocks);
            proptest::prop_assert!(cut.iter().all(|piece| !piece.is_empty() && piece.len() <= ITEMS));
            proptest::prop_assert_eq!(cut.concat(), blocks);
        }
    }
}
