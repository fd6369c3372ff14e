//! Lists threads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};

use crate::{page::page, readable::ThreadsView, scopes};

/// List or search threads, newest first. Returns only ids and first words. To read the mails of a thread, use
/// `mail_get_thread_by_id`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new = query)]
#[serde(deny_unknown_fields)]
pub struct ListThreads {
    /// Search in Gmail's syntax, such as `subject:invoice has:attachment`.
    pub query: Option<String>,
    /// Ids, not names, of labels that a thread must have, such as `INBOX` or `Label_12`.
    #[schemars(inner(length(min = 1)))]
    #[schemars(extend("x-commas" = true))]
    pub label_ids: Option<Vec<String>>,
    /// Include spam and trash.
    pub include_spam_trash: Option<bool>,
    /// Most threads to return; 100 when absent.
    #[schemars(range(min = 1, max = 500))]
    pub max_results: Option<u32>,
    /// `next_page_token` of the previous page; keep the other parameters.
    pub page_token: Option<String>,
}

/// A page of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Threads {
    /// The threads, newest first, as the product returns them.
    pub threads: Vec<ListedThread>,
    /// Token of the next page; `null` on the last page.
    pub next_page_token: Option<String>,
    /// The product's estimate of the total number.
    pub result_size_estimate: Option<u64>,
}

/// A thread without its mails (Gmail API, `Thread`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedThread {
    /// Id of the thread.
    pub id: String,
    /// First words of its last mail, escaped for HTML.
    pub snippet: Option<String>,
    /// Number of its last change, as a decimal string.
    pub history_id: Option<String>,
}

impl Tool for ListThreads {
    const NAME: &'static str = "mail_list_threads";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::MESSAGES;
    type Output = Threads;
    const READABLE: Option<ReadableView> = ReadableView::some::<ThreadsView>();

    /// Gmail API, `users.threads.list`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["threads"])
            .query("q", &self.query)
            .query("labelIds", &self.label_ids)
            .query("includeSpamTrash", self.include_spam_trash)
            .query("maxResults", self.max_results)
            .query("pageToken", &self.page_token);
        page("threads", &io.send(request).await?)
    }
}
