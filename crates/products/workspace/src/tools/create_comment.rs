//! Creates a comment or a reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Id, PageParent, RichText, SavedComment,
    errors::needs,
    readable::CommentView,
    rich_text, scopes,
    version::{PATTERN, Version},
    write,
};

/// Write a comment on a page, or a reply in a discussion.
///
/// Give exactly one of `parent` and `discussion_id`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct CreateComment {
    /// Content of the comment.
    pub comment: Comment,
    /// Page to comment on.
    pub parent: Option<PageParent>,
    /// Discussion to reply in, from `workspace_list_comments`.
    pub discussion_id: Option<Id>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

/// Content of a comment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Text in at most 100 pieces: `[{"text": {"content": "Looks good"}}]`.
    pub rich_text: Vec<RichText>,
}

impl Tool for CreateComment {
    const NAME: &'static str = "workspace_create_comment";
    const EFFECT: Effect = Effect::Write;
    type Output = SavedComment;
    const READABLE: Option<ReadableView> = ReadableView::some::<CommentView>();

    fn check(&self) -> Result<()> {
        self.body().map(drop)
    }

    /// Notion API, "Create a comment".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let create = version
            .on(ApiRequest::post(["comments"]))
            .json(&self.body()?);
        let read = |id: &str| version.on(ApiRequest::get(["comments", id]));
        let saved = write::save(io, create, read).await;
        Ok(saved
            .map_err(|error| needs(error, scopes::INSERT_COMMENTS))?
            .into())
    }
}

impl CreateComment {
    fn body(&self) -> Result<Value> {
        let mut violations = Violations::default();
        let mut body = json!({ "rich_text": self.comment.rich_text });
        rich_text::check(
            &self.comment.rich_text,
            "/comment/rich_text",
            &mut violations,
        );
        match (&self.parent, &self.discussion_id) {
            (Some(parent), None) => {
                let id = violations.read(parent.page_id.page("/parent/page_id"));
                body["parent"] = json!({ "page_id": id });
            }
            (None, Some(discussion)) => {
                let id = violations.read(discussion.discussion("/discussion_id"));
                body["discussion_id"] = json!(id);
            }
            (None, None) => violations.add(
                "/parent",
                "required",
                "set parent for a new comment, or discussion_id for a reply",
            ),
            (Some(_), Some(_)) => violations.add(
                "/discussion_id",
                "oneOf",
                "set parent or discussion_id, not both",
            ),
        }
        violations.finish()?;
        Ok(body)
    }
}
