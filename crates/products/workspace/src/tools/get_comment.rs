//! Reads a comment.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Id, SavedComment,
    errors::needs,
    readable::CommentView,
    scopes,
    version::{PATTERN, Version},
};

/// Read a comment with its text, author, discussion and parent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetComment {
    /// Id of the comment.
    pub comment_id: Id,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for GetComment {
    const NAME: &'static str = "workspace_get_comment";
    const EFFECT: Effect = Effect::Read;
    type Output = SavedComment;
    const READABLE: Option<ReadableView> = ReadableView::some::<CommentView>();

    fn check(&self) -> Result<()> {
        self.comment_id.comment("/comment_id").map(drop)
    }

    /// Notion API, "Retrieve a comment".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let id = self.comment_id.comment("/comment_id")?;
        let version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let response = io
            .send(version.on(ApiRequest::get(["comments", &id])))
            .await;
        Ok(response
            .map_err(|error| needs(error, scopes::READ_COMMENTS))?
            .into())
    }
}
