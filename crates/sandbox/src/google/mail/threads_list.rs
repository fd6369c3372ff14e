//! `users.threads.list`: searches threads and lists them in pages.

use axum::http::Method;
use serde_json::{Value, json};

use super::{check_search_allowed, list, mailbox_owner, render::snippet, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.threads.list",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/threads",
    parameters: list::PARAMETERS,
    scopes: &[scope::ALL, scope::METADATA, scope::MODIFY, scope::READONLY],
    schema: "ListThreadsResponse",
    run,
};

/// A thread is listed if one of its messages fits, in order of its newest message.
fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    check_search_allowed(call)?;
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let fitting = list::matching(mailbox, call, state.now)?;
    let mut seen = Vec::new();
    let mut items = Vec::new();
    for newest in &mailbox.messages {
        let thread = &newest.thread_id;
        let matches = fitting.iter().any(|message| message.thread_id == *thread);
        if !matches || seen.contains(&thread) {
            continue;
        }
        seen.push(thread);
        items.push(json!({
            "id": thread,
            "snippet": snippet(newest),
            "historyId": newest.history_id.to_string(),
        }));
    }
    list::respond(call, METHOD.id, "threads", items)
}
