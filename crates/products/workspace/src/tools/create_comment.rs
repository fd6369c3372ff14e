use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result,
    tool::{ApiRequest, Call, Effect, Io, Output, Tool},
};

use super::PageParent;
use crate::{
    Id, RichText,
    check::Check,
    errors::needs,
    rich_text, scopes,
    version::{PATTERN, Version},
    write,
};

/// Write a comment: on a page as a whole, or as a reply in a discussion that exists.
///
/// Give `parent` for a new comment on a page, or `discussion_id` for a reply; exactly one of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateComment {
    /// What the comment says.
    pub comment: Comment,
    /// Page to comment on; not beside `discussion_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<PageParent>,
    /// Discussion to reply in, as `workspace_list_comments` gives it; not beside `parent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discussion_id: Option<Id>,
    /// Version of the product's API for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = PATTERN))]
    pub workspace_version: Option<String>,
}

/// What a comment says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Text in pieces, at most 100: `[{"type": "text", "text": {"content": "Looks good"}}]`.
    pub rich_text: Vec<RichText>,
}

impl Tool for CreateComment {
    const NAME: &'static str = "workspace_create_comment";
    const EFFECT: Effect = Effect::Write;

    fn check(&self, _: &Call) -> Result<()> {
        let mut check = Check::default();
        rich_text::check(&self.comment.rich_text, "/comment/rich_text", &mut check);
        match (&self.parent, &self.discussion_id) {
            (Some(parent), None) => check.part(parent.page_id.page("/parent/page_id")),
            (None, Some(discussion)) => check.part(discussion.discussion("/discussion_id")),
            (None, None) => check.refuse(
                "/parent",
                "required",
                "give parent for a new comment, or discussion_id for a reply",
            ),
            (Some(_), Some(_)) => check.refuse(
                "/discussion_id",
                "oneOf",
                "give parent or discussion_id, not both",
            ),
        }
        check.end()
    }

    /// Notion API, "Create a comment".
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let mut body = json!({ "rich_text": self.comment.rich_text });
        if let Some(parent) = &self.parent {
            body["parent"] = json!({ "page_id": parent.page_id.page("/parent/page_id")? });
        }
        if let Some(discussion) = &self.discussion_id {
            body["discussion_id"] = json!(discussion.discussion("/discussion_id")?);
        }
        let version = Version::of(self.workspace_version.as_ref());
        let create = version.on(ApiRequest::post(["comments"])).json(&body);
        let read = |id: &str| version.on(ApiRequest::get(["comments", id]));
        let saved = write::save(io, create, read).await;
        Ok(saved
            .map_err(|error| needs(error, scopes::INSERT_COMMENTS))?
            .into())
    }
}
