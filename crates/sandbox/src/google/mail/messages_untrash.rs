//! `users.messages.untrash`: takes a message out of the trash.

use axum::http::Method;
use serde_json::Value;

use super::{label_changes::LabelChanges, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.untrash",
    verb: Method::POST,
    path: "gmail/v1/users/{userId}/messages/{id}/untrash",
    parameters: &[],
    scopes: &[scope::ALL, scope::MODIFY],
    schema: "Message",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    LabelChanges::of(&[], &["TRASH"]).apply(state, call, call.variable(1))
}
