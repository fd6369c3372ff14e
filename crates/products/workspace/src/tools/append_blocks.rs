//! Appends blocks to a page or a block.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool, items_of, text_of},
};

use crate::{
    ChildBlock, Id, SavedBlock,
    append::{self, Place},
    blocks::{self, Block},
    errors::needs,
    readable::BlocksView,
    scopes,
    version::{PATTERN, Version},
    write,
};

/// Add blocks of content to a page or below a block. It doesn't change existing blocks.
///
/// A repeated call adds the blocks again. For a new page, give the content to `workspace_create_page` instead.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct AppendBlocks {
    /// Id or URL of the page or block that gets the blocks.
    pub block_id: Id,
    /// Blocks in order, or texts that become paragraphs: `[{"type": "to_do", "to_do": {"rich_text": [{"text": {"content":
    /// "Oil the mill"}}]}}]`. Any number; each with up to two levels of blocks below it.
    #[schemars(length(min = 1))]
    pub blocks: Vec<ChildBlock>,
    /// Where the blocks go among the existing ones; `end` when absent. Not together with `after_block_id`.
    pub position: Option<BlockPosition>,
    /// Id or URL of the existing block directly before the new ones. It must be directly below `block_id`.
    pub after_block_id: Option<Id>,
    /// API version for this call, a date (YYYY-MM-DD); 2026-03-11 when absent. If an older one is set, the position
    /// `start` still uses 2026-03-11.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

/// A position among existing blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The names are self-explanatory.
#[schemars(extend("x-obvious" = true))]
pub enum BlockPosition {
    /// Before all others.
    Start,
    /// After all others.
    End,
}

/// The new blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AppendedBlocks {
    /// The blocks in order, without those below them.
    pub results: Vec<SavedBlock>,
}

impl Tool for AppendBlocks {
    const NAME: &'static str = "workspace_append_blocks";
    const EFFECT: Effect = Effect::Write;
    type Output = AppendedBlocks;
    const READABLE: Option<ReadableView> = ReadableView::some::<BlocksView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Notion API, "Append block children".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let (parent, blocks, place) = self.read()?;
        let version = Version::of(self.workspace_version.as_ref())
            .or_of(call)
            .or_newest();
        let version = match place {
            Place::Start => version.with_positions(),
            Place::End | Place::After(_) => version,
        };
        let target = Target {
            io,
            version,
            parent: &parent,
        };
        target.append(&blocks, place).await
    }
}

impl AppendBlocks {
    /// The page or block, the new blocks, and their position.
    fn read(&self) -> Result<(String, Vec<Block>, Place)> {
        let mut violations = Violations::default();
        let parent = violations.read(self.block_id.block("/block_id"));
        let after = self.after_block_id.as_ref();
        let after = after.and_then(|id| violations.read(id.block("/after_block_id")));
        if self.position.is_some() && self.after_block_id.is_some() {
            let message = "set position or after_block_id, not both";
            violations.add("/after_block_id", "oneOf", message);
        }
        let mut blocks = blocks::read(Some(&self.blocks));
        blocks::split_texts(&mut blocks);
        blocks::check("blocks", &blocks, &mut violations);
        violations.finish()?;
        let place = match (after, self.position) {
            (Some(id), _) => Place::After(id),
            (None, Some(BlockPosition::Start)) => Place::Start,
            (None, _) => Place::End,
        };
        Ok((parent.unwrap_or_default(), blocks, place))
    }
}

/// The page or block that gets the blocks.
struct Target<'a> {
    io: Io<'a>,
    version: Version<'a>,
    parent: &'a str,
}

impl Target<'_> {
    /// Appends one piece after the other, each after the last block of the previous one.
    ///
    /// # Errors
    /// Returns the product's error. If blocks were written before, `partial` counts them and names the last one.
    async fn append(&self, blocks: &[Block], mut place: Place) -> Result<Output> {
        let pieces = blocks::pieces(blocks);
        let mut list = Value::Null;
        let mut results: Vec<Value> = Vec::with_capacity(blocks.len());
        let mut written = 0;
        let mut was_read_back = false;
        for (index, piece) in pieces.iter().enumerate() {
            let request = append::request(self.version, self.parent, piece, &place);
            let request = match index + 1 < pieces.len() {
                true => request.then("appends the other blocks after these in order"),
                false => request,
            };
            let saved = match self.io.send(request).await {
                Ok(response) => response.json::<Value>(),
                Err(error) if write::committed(&error).is_some() => {
                    was_read_back = true;
                    self.read_back(piece.len(), error).await
                }
                Err(error) => Err(error),
            };
            let last = |blocks: &[Value]| text_of(&blocks.last()?["id"]);
            let named = saved.and_then(|saved| match last(items_of(&saved["results"])) {
                Some(id) => Ok((saved, id)),
                None => Err(Error::new(
                    ErrorKind::ProductProtocolError,
                    "the product saved the blocks, but its response doesn't name them",
                )),
            });
            let (mut saved, id) = named.map_err(|error| {
                let error = needs(error, scopes::INSERT_CONTENT);
                match last(&results) {
                    Some(id) => error.with_partial(json!({
                        "block_id": self.parent,
                        "blocks_written": written,
                        "blocks_left": blocks.len() - written,
                        "last_block_id": id,
                    })),
                    None => error,
                }
            })?;
            place = Place::After(id);
            if let Value::Array(saved) = saved["results"].take() {
                results.extend(saved);
            }
            written += piece.len();
            list = saved;
        }
        list["results"] = Value::Array(results);
        let output = Output::from(list);
        Ok(match was_read_back {
            true => output.warn(
                "read_back",
                "the product saved this but failed afterwards, so the result was read separately",
            ),
            false => output,
        })
    }

    /// Reads the blocks that the product may have saved although it returned an error, in the form of its response.
    async fn read_back(&self, wanted: usize, error: Error) -> Result<Value> {
        let ids = write::committed_children(&error);
        if ids.len() != wanted {
            return Err(write::unconfirmed(&error));
        }
        let mut found = Vec::with_capacity(wanted);
        let mut cursor: Option<String> = None;
        loop {
            let list = ApiRequest::get(["blocks", self.parent, "children"])
                .query("page_size", 100)
                .query("start_cursor", &cursor);
            let Ok(response) = self.io.send(self.version.on(list)).await else {
                return Err(write::unconfirmed(&error));
            };
            let mut list: Value = response.json()?;
            let is_new = |block: &&Value| ids.iter().any(|id| block["id"] == *id.as_str());
            found.extend(items_of(&list["results"]).iter().filter(is_new).cloned());
            cursor = text_of(&list["next_cursor"]);
            if found.len() == wanted {
                list["results"] = Value::Array(found);
                list["next_cursor"] = Value::Null;
                list["has_more"] = json!(false);
                return Ok(list);
            }
            if cursor.is_none() {
                return Err(write::unconfirmed(&error));
            }
        }
    }
}
