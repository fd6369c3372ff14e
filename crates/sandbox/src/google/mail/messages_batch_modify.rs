//! `users.messages.batchModify`: adds and removes labels of several messages.

use axum::http::Method;
use serde_json::Value;

use super::{
    label_changes::{self, LabelChanges},
    mailbox_owner, scope,
};
use crate::google::{ApiError, ApiMethod, Body, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.batchModify",
    verb: Method::POST,
    path: "gmail/v1/users/{userId}/messages/batchModify",
    parameters: &[],
    scopes: &[scope::ALL, scope::MODIFY],
    schema: "Message",
    run,
};

/// Messages at most.
const MAX_MESSAGES: usize = 1000;

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let object = call.object()?;
    let members = [label_changes::MEMBERS, &["ids"]].concat();
    let body = Body::new(&object, "batch_modify_messages_request", &members)?;
    let ids = body.texts("ids")?.unwrap_or_default();
    if ids.is_empty() || ids.len() > MAX_MESSAGES {
        return Err(ApiError::invalid(format!(
            "ids must name 1 to {MAX_MESSAGES} messages."
        )));
    }
    let changes = LabelChanges::read(&body)?;
    // Ids of messages that are gone are passed over.
    for id in &ids {
        if mailbox_owner(state, call)?.mailbox.message(id).is_some() {
            changes.apply(state, call, id)?;
        }
    }
    Ok(Value::Null)
}
