//! The readable view of a page of threads.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, items_of, text_of};

use crate::{content::plain, message::unescape};

/// A page of threads, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ThreadsView {
    /// The threads, newest first.
    threads: Vec<ListedView>,
    /// Token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    /// The product's estimate of the total number.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_size_estimate: Option<u64>,
}

/// A thread without its mails.
#[derive(Debug, Serialize, JsonSchema)]
struct ListedView {
    /// Id of the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// First words of its last mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

impl Readable for ThreadsView {
    const UNTRUSTED: &'static [&'static str] = &["threads[].snippet"];

    fn of(result: Value) -> Self {
        let listed = |thread: &Value| ListedView {
            id: text_of(&thread["id"]),
            snippet: text_of(&thread["snippet"]).map(|snippet| plain(&unescape(&snippet)).text),
        };
        Self {
            threads: items_of(&result["threads"]).iter().map(listed).collect(),
            next_page_token: text_of(&result["next_page_token"]),
            result_size_estimate: result["result_size_estimate"].as_u64(),
        }
    }
}
