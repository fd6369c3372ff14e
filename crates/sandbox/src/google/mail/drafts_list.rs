//! `users.drafts.list`: searches drafts and lists their ids in pages.

use axum::http::Method;
use serde_json::{Value, json};

use super::{check_search_allowed, list, mailbox_owner, scope};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.drafts.list",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/drafts",
    parameters: &[
        Parameter::one("includeSpamTrash", Kind::Flag),
        Parameter::one("maxResults", Kind::Uint32),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("q", Kind::Text),
    ],
    scopes: &[scope::ALL, scope::COMPOSE, scope::MODIFY, scope::READONLY],
    schema: "ListDraftsResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    check_search_allowed(call)?;
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let fitting = list::matching(mailbox, call, state.now)?;
    let items = mailbox
        .drafts
        .iter()
        .filter_map(|draft| {
            let message = fitting
                .iter()
                .find(|message| message.id == draft.message_id)?;
            Some(json!({
                "id": draft.id,
                "message": {"id": message.id, "threadId": message.thread_id},
            }))
        })
        .collect();
    list::respond(call, METHOD.id, "drafts", items)
}
