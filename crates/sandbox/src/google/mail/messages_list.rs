//! `users.messages.list`: searches messages and lists their ids in pages.

use axum::http::Method;
use serde_json::{Value, json};

use super::{check_search_allowed, list, mailbox_owner, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.list",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/messages",
    parameters: list::PARAMETERS,
    scopes: &[scope::ALL, scope::METADATA, scope::MODIFY, scope::READONLY],
    schema: "ListMessagesResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    check_search_allowed(call)?;
    let user = mailbox_owner(state, call)?;
    let items = list::matching(&user.mailbox, call, state.now)?
        .into_iter()
        .map(|message| json!({"id": message.id, "threadId": message.thread_id}))
        .collect();
    list::respond(call, METHOD.id, "messages", items)
}
