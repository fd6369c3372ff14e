//! `users.labels.get`: one label with its counts.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};

use super::{labels_list::labels, mailbox_owner, scope};
use crate::google::{ApiError, ApiMethod, Call, State, world::mime::Message};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.labels.get",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/labels/{id}",
    parameters: &[],
    scopes: &[
        scope::ALL,
        scope::LABELS,
        scope::METADATA,
        scope::MODIFY,
        scope::READONLY,
    ],
    schema: "Label",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let id = call.variable(1);
    let mut label = labels(mailbox)
        .into_iter()
        .find(|label| label["id"] == id)
        .ok_or_else(ApiError::not_found)?;
    let all: Vec<&Message> = mailbox
        .messages
        .iter()
        .filter(|message| message.has_label(id))
        .collect();
    let unread: Vec<&Message> = all
        .iter()
        .copied()
        .filter(|message| message.has_label("UNREAD"))
        .collect();
    label["messagesTotal"] = json!(all.len());
    label["messagesUnread"] = json!(unread.len());
    label["threadsTotal"] = json!(count_threads(&all));
    label["threadsUnread"] = json!(count_threads(&unread));
    Ok(label)
}

fn count_threads(messages: &[&Message]) -> usize {
    let threads: BTreeSet<&str> = messages
        .iter()
        .map(|message| message.thread_id.as_str())
        .collect();
    threads.len()
}
