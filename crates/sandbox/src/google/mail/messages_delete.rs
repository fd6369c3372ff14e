//! `users.messages.delete`: takes a message away for good, past the trash.

use axum::http::Method;
use serde_json::Value;

use super::{mailbox_mut, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.delete",
    verb: Method::DELETE,
    path: "gmail/v1/users/{userId}/messages/{id}",
    parameters: &[],
    scopes: &[scope::ALL],
    schema: "Message",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let deleted = mailbox_mut(state, call)?.delete(call.variable(1));
    deleted.map(|_| Value::Null).ok_or_else(ApiError::not_found)
}
