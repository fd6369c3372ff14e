//! Lists drafts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Tool},
};

use crate::{Message, page::page, scopes};

/// List the ids of the user's drafts. To read a draft, call `mail_get_message_by_id` with the id of its message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct ListDrafts {
    /// Most drafts to return; 100 when absent.
    #[schemars(range(min = 1, max = 500))]
    pub max_results: Option<u32>,
    /// `next_page_token` of the previous page; keep the other parameters.
    pub page_token: Option<String>,
}

/// A page of drafts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Drafts {
    /// The drafts, as the product returns them.
    pub drafts: Vec<Draft>,
    /// Token of the next page; `null` on the last page.
    pub next_page_token: Option<String>,
    /// The product's estimate of the total number.
    pub result_size_estimate: Option<u64>,
}

/// A draft (Gmail API, `Draft`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Draft {
    /// Id of the draft.
    pub id: String,
    /// Its message, with only the ids of the mail and its thread.
    pub message: Option<Message>,
}

impl Tool for ListDrafts {
    const NAME: &'static str = "mail_list_drafts";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::DRAFTS;
    type Output = Drafts;

    /// Gmail API, `users.drafts.list`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["drafts"])
            .query("maxResults", self.max_results)
            .query("pageToken", &self.page_token);
        page("drafts", &io.send(request).await?)
    }
}
