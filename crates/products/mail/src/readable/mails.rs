//! The readable view of several mails.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, text_of};
use stead_google::items;

use super::mail::MailView;

/// Most bytes of each mail's text in a search.
const FOUND_TEXT: usize = 500;
/// Most bytes of each mail's text in a thread.
const THREAD_TEXT: usize = 2_000;

/// A page of mails, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MailsView {
    /// The mails, newest first, with the beginning of each text.
    messages: Vec<MailView>,
    /// Token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    /// The product's estimate of the total number.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_size_estimate: Option<u64>,
}

impl Readable for MailsView {
    const UNTRUSTED: &'static [&'static str] = &[
        "messages[].from",
        "messages[].to",
        "messages[].cc",
        "messages[].reply_to",
        "messages[].subject",
        "messages[].text",
        "messages[].calendar_invite",
        "messages[].headers",
        "messages[].raw",
        "messages[].attachments[].name",
    ];

    fn of(mut result: Value) -> Self {
        Self {
            messages: views(&mut result, FOUND_TEXT),
            next_page_token: text_of(&result["next_page_token"]),
            result_size_estimate: result["result_size_estimate"].as_u64(),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        wholes(&self.messages)
    }
}

/// A thread, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ThreadView {
    /// Id of the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<String>,
    /// The mails, oldest first, without the mail that a reply quotes at its end.
    messages: Vec<MailView>,
}

impl Readable for ThreadView {
    const UNTRUSTED: &'static [&'static str] = MailsView::UNTRUSTED;

    fn of(mut result: Value) -> Self {
        Self {
            thread_id: text_of(&result["thread_id"]).or_else(|| text_of(&result["id"])),
            messages: views(&mut result, THREAD_TEXT),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        wholes(&self.messages)
    }
}

fn views(result: &mut Value, text_bytes: usize) -> Vec<MailView> {
    let mails = items(result, "messages").into_iter();
    mails.map(|mail| MailView::of(mail, text_bytes)).collect()
}

fn wholes(mails: &[MailView]) -> Vec<Whole> {
    let mails = mails.iter().enumerate();
    mails
        .flat_map(|(index, mail)| {
            let pointer = format!("/messages/{index}");
            mail.wholes_at(&pointer).collect::<Vec<_>>()
        })
        .collect()
}
