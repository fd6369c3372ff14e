//! What the three lists share: parameters, filters, pages.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::search::Search;
use crate::google::{
    ApiError, Call, Kind, Parameter, paging,
    world::{Mailbox, mime::Message},
};

/// Parameters of messages.list and threads.list.
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::one("includeSpamTrash", Kind::Flag),
    Parameter::many("labelIds", Kind::Text),
    Parameter::one("maxResults", Kind::Uint32),
    Parameter::one("pageToken", Kind::Text),
    Parameter::one("q", Kind::Text),
];

/// Items of a page when nothing is said.
const DEFAULT_RESULTS: i64 = 100;
/// Items of a page at most.
const MAX_RESULTS: i64 = 500;

/// Labels that Gmail has by itself.
pub(super) const SYSTEM_LABELS: [&str; 14] = [
    "CHAT",
    "SENT",
    "INBOX",
    "IMPORTANT",
    "TRASH",
    "DRAFT",
    "SPAM",
    "CATEGORY_FORUMS",
    "CATEGORY_UPDATES",
    "CATEGORY_PERSONAL",
    "CATEGORY_PROMOTIONS",
    "CATEGORY_SOCIAL",
    "STARRED",
    "UNREAD",
];

/// The messages that the call's filters leave, newest first.
pub(super) fn matching<'mailbox>(
    mailbox: &'mailbox Mailbox,
    call: &Call,
    now: Timestamp,
) -> Result<Vec<&'mailbox Message>, ApiError> {
    let search = Search::parse(call.text("q").unwrap_or_default(), now)?;
    let labels: Vec<&str> = call.query.all("labelIds").collect();
    for label in &labels {
        let known =
            SYSTEM_LABELS.contains(label) || mailbox.labels.iter().any(|user| user.id == *label);
        if !known {
            return Err(ApiError::invalid(format!("Invalid label: {label}")));
        }
    }
    let hidden_too = call.flag("includeSpamTrash")
        || search.searches_everywhere()
        || labels
            .iter()
            .any(|label| matches!(*label, "SPAM" | "TRASH"));
    Ok(mailbox
        .messages
        .iter()
        .filter(|message| hidden_too || !(message.has_label("SPAM") || message.has_label("TRASH")))
        .filter(|message| labels.iter().all(|label| message.has_label(label)))
        .filter(|message| search.matches(message, mailbox))
        .collect())
}

/// One page as a response: `name` is absent when there is nothing.
pub(super) fn respond(
    call: &Call,
    method: &str,
    name: &str,
    items: Vec<Value>,
) -> Result<Value, ApiError> {
    let size = call.number("maxResults").unwrap_or(DEFAULT_RESULTS);
    if !(1..=MAX_RESULTS).contains(&size) {
        return Err(ApiError::invalid(format!(
            "Invalid value for maxResults: {size}. It must be between 1 and {MAX_RESULTS}."
        )));
    }
    let size = usize::try_from(size).unwrap_or_default();
    let page = paging::page(call, method, items, size, &["maxResults"])?;
    let mut response = Map::new();
    if !page.items.is_empty() {
        response.insert(name.to_owned(), Value::Array(page.items));
    }
    if let Some(next) = page.next {
        response.insert("nextPageToken".to_owned(), json!(next));
    }
    response.insert("resultSizeEstimate".to_owned(), json!(page.total));
    Ok(Value::Object(response))
}
