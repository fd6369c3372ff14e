//! `users.drafts.delete`: takes a draft away for good.

use axum::http::Method;
use serde_json::Value;

use super::{mailbox_mut, mailbox_owner, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.drafts.delete",
    verb: Method::DELETE,
    path: "gmail/v1/users/{userId}/drafts/{id}",
    parameters: &[],
    scopes: scope::WRITE_DRAFTS,
    schema: "Draft",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let message = mailbox.draft(call.variable(1));
    let id = message.ok_or_else(ApiError::not_found)?.id.clone();
    mailbox_mut(state, call)?.delete(&id);
    Ok(Value::Null)
}
