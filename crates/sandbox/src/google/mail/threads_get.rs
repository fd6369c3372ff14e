//! `users.threads.get`: one thread with its messages.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    mailbox_owner,
    render::{Format, message},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State, world::mime::Message};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.threads.get",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/threads/{id}",
    parameters: &[
        // Unlike a message, a thread has no raw format.
        Parameter::one("format", Kind::OneOf(&["full", "metadata", "minimal"])),
        Parameter::many("metadataHeaders", Kind::Text),
    ],
    scopes: scope::READ_CONTENT,
    schema: "Thread",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let id = call.variable(1);
    // Oldest first within a thread.
    let found: Vec<Message> = mailbox_owner(state, call)?
        .mailbox
        .messages
        .iter()
        .rev()
        .filter(|message| message.thread_id == id)
        .cloned()
        .collect();
    let newest = found.last().ok_or_else(ApiError::not_found)?;
    let history = newest.history_id.to_string();
    let messages: Vec<Value> = found
        .iter()
        .map(|found| message(state, found, &format))
        .collect();
    Ok(json!({"id": id, "historyId": history, "messages": messages}))
}
