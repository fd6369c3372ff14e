//! Blocks in requests (Notion API, "Block").

use serde_json::{Value, json};

use super::{
    content::{Block, Content, Origin},
    errors::ApiError,
    reader::{Reader, list},
    rich_text,
};

/// The largest number of blocks in a request, including nested ones (Notion API, "Request limits").
const ELEMENTS: usize = 1000;

/// Kinds of blocks with text, each with its other members.
const TEXTS: [(&str, &[&str]); 11] = [
    ("paragraph", &["color"]),
    ("heading_1", &["color", "is_toggleable"]),
    ("heading_2", &["color", "is_toggleable"]),
    ("heading_3", &["color", "is_toggleable"]),
    ("bulleted_list_item", &["color"]),
    ("numbered_list_item", &["color"]),
    ("quote", &["color"]),
    ("toggle", &["color"]),
    ("to_do", &["color", "checked"]),
    ("callout", &["color", "icon"]),
    ("code", &["language", "caption"]),
];
/// Other kinds, each with its members.
const OTHERS: [(&str, &[&str]); 12] = [
    ("divider", &[]),
    ("breadcrumb", &[]),
    ("table_of_contents", &["color"]),
    ("equation", &["expression"]),
    ("bookmark", &["url", "caption"]),
    ("embed", &["url", "caption"]),
    ("image", &["type", "external", "caption"]),
    ("video", &["type", "external", "caption"]),
    (
        "table",
        &["table_width", "has_column_header", "has_row_header"],
    ),
    ("table_row", &["cells"]),
    ("column_list", &[]),
    ("column", &["width_ratio"]),
];

/// A parsed block, and the blocks inside it.
#[derive(Debug)]
pub(crate) struct Draft {
    kind: String,
    body: Value,
    children: Vec<Self>,
}

/// Parses a request's list of blocks.
pub(crate) fn read(value: &Value, path: &str) -> Result<Vec<Draft>, ApiError> {
    let drafts = read_level(value, path, 0)?;
    let count = drafts.iter().map(Draft::count).sum::<usize>();
    if count > ELEMENTS {
        let message = format!("The request has {count} blocks; at most {ELEMENTS} are taken.");
        return Err(ApiError::invalid(message));
    }
    Ok(drafts)
}

/// The place of new blocks in their page or block.
#[derive(Debug)]
pub(crate) enum Place {
    Start,
    End,
    /// After the block with this ID.
    After(String),
}

/// Stores blocks in order at a place in `parent`. Returns the IDs of the top-level blocks.
pub(crate) fn insert_blocks(
    content: &mut Content,
    parent: &str,
    place: &Place,
    drafts: Vec<Draft>,
    origin: &Origin,
) -> Vec<String> {
    let mut blocks = content.blocks.iter();
    let mut index = match place {
        Place::End => None,
        Place::Start => blocks.position(|block| block.parent == parent),
        Place::After(after) => blocks
            .position(|block| block.id == *after)
            .map(|index| index + 1),
    };
    let mut ids = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let id = content.new_id();
        let block = Block {
            id: id.clone(),
            parent: parent.to_owned(),
            kind: draft.kind,
            body: draft.body,
            origin: origin.clone(),
        };
        match &mut index {
            Some(index) => {
                content.blocks.insert(*index, block);
                *index += 1;
            }
            None => content.blocks.push(block),
        }
        insert_blocks(content, &id, &Place::End, draft.children, origin);
        ids.push(id);
    }
    ids
}

fn read_level(value: &Value, path: &str, depth: usize) -> Result<Vec<Draft>, ApiError> {
    list(value, path, 100)?
        .iter()
        .enumerate()
        .map(|(index, block)| draft(block, &format!("{path}[{index}]"), depth))
        .collect()
}

fn draft(value: &Value, path: &str, depth: usize) -> Result<Draft, ApiError> {
    let kinds: Vec<&str> = TEXTS.iter().chain(&OTHERS).map(|(kind, _)| *kind).collect();
    let known: Vec<&str> = kinds.iter().copied().chain(["object", "type"]).collect();
    let reader = Reader::new(value, path, &known)?;
    reader.one_of("object", &["block"])?;
    let given: Vec<&str> = kinds
        .into_iter()
        .filter(|kind| reader.get(kind).is_some())
        .collect();
    let [kind] = given.as_slice() else {
        return Err(ApiError::at(
            &reader.path("paragraph"),
            "defined, instead was `undefined`",
        ));
    };
    if reader.text("type")?.is_some_and(|said| said != *kind) {
        return Err(ApiError::at(&reader.path("type"), &format!("`\"{kind}\"`")));
    }
    let text = TEXTS.iter().find(|(name, _)| name == kind);
    let other = OTHERS.iter().find(|(name, _)| name == kind);
    let members = text.or(other).map_or(&[][..], |(_, members)| members);
    let mut known: Vec<&str> = members.to_vec();
    if text.is_some() {
        known.push("rich_text");
    }
    // A request can have at most two levels below the top-level blocks.
    if depth < 2 {
        known.push("children");
    }
    let inner = reader.required(kind)?;
    let content = Reader::new(inner, reader.path(kind), &known)?;
    let mut body = inner.clone();
    if text.is_some() {
        body["rich_text"] =
            rich_text::read(content.required("rich_text")?, &content.path("rich_text"))?;
        if body.get("color").is_none() && *kind != "code" {
            body["color"] = json!("default");
        }
        if *kind == "to_do" {
            body["checked"] = json!(content.flag("checked")?.unwrap_or(false));
        }
    }
    let children = match content.get("children") {
        Some(children) => read_level(children, &content.path("children"), depth + 1)?,
        None => Vec::new(),
    };
    if let Some(body) = body.as_object_mut() {
        body.remove("children");
    }
    Ok(Draft {
        kind: (*kind).to_owned(),
        body,
        children,
    })
}

impl Draft {
    fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}
