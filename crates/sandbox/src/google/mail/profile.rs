//! `users.getProfile`: the mailbox's address and totals.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};

use super::{mailbox_owner, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.getProfile",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/profile",
    parameters: &[],
    scopes: &[
        scope::ALL,
        scope::COMPOSE,
        scope::METADATA,
        scope::MODIFY,
        scope::READONLY,
    ],
    schema: "Profile",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let user = mailbox_owner(state, call)?;
    let messages = &user.mailbox.messages;
    let threads: BTreeSet<&str> = messages
        .iter()
        .map(|message| message.thread_id.as_str())
        .collect();
    Ok(json!({
        "emailAddress": user.email,
        "messagesTotal": messages.len(),
        "threadsTotal": threads.len(),
        "historyId": user.mailbox.history_id.to_string(),
    }))
}
