//! Lists comments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Id, SavedComment,
    errors::needs,
    more,
    readable::CommentsView,
    scopes,
    version::{PATTERN, Version},
};

/// List the open comments on a page or a block, oldest first. A page's comments don't include those of its blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ListComments {
    /// Id or URL of the page or block.
    pub block_id: Id,
    /// Most comments to return; 100 when absent.
    #[schemars(range(min = 1, max = 100))]
    pub page_size: Option<u32>,
    /// `next_cursor` of the previous page.
    pub start_cursor: Option<String>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

/// A page of comments.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Comments {
    /// The comments, oldest first.
    #[serde(default)]
    pub results: Vec<SavedComment>,
    /// Cursor for the next comments; `null` at the end.
    pub next_cursor: Option<String>,
    /// Whether there are more.
    #[serde(default)]
    pub has_more: bool,
}

impl Tool for ListComments {
    const NAME: &'static str = "workspace_list_comments";
    const EFFECT: Effect = Effect::Read;
    type Output = Comments;
    const READABLE: Option<ReadableView> = ReadableView::some::<CommentsView>();

    fn check(&self) -> Result<()> {
        self.block_id.block("/block_id").map(drop)
    }

    /// Notion API, "List comments".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["comments"])
            .query("block_id", self.block_id.block("/block_id")?)
            .query("page_size", self.page_size)
            .query("start_cursor", &self.start_cursor);
        let version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let response = io.send(version.on(request)).await;
        Ok(more::listed(
            response.map_err(|error| needs(error, scopes::READ_COMMENTS))?,
        ))
    }
}
