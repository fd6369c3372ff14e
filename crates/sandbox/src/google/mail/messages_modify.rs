//! `users.messages.modify`: adds and removes labels of a message.

use axum::http::Method;
use serde_json::Value;

use super::{
    label_changes::{self, LabelChanges},
    scope,
};
use crate::google::{ApiError, ApiMethod, Body, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.modify",
    verb: Method::POST,
    path: "gmail/v1/users/{userId}/messages/{id}/modify",
    parameters: &[],
    scopes: &[scope::ALL, scope::MODIFY],
    schema: "Message",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let object = call.object()?;
    let body = Body::new(&object, "modify_message_request", label_changes::MEMBERS)?;
    LabelChanges::read(&body)?.apply(state, call, call.variable(1))
}
