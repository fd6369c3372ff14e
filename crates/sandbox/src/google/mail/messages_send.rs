//! `users.messages.send`: sends a mail.

use axum::http::Method;
use serde_json::Value;

use super::{
    mailbox_owner,
    outgoing::{self, Written},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, State, Upload};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.send",
    verb: Method::POST,
    path: "gmail/v1/users/{userId}/messages/send",
    parameters: &[],
    scopes: &[
        scope::ALL,
        "https://www.googleapis.com/auth/gmail.addons.current.action.compose",
        scope::COMPOSE,
        scope::MODIFY,
        scope::SEND,
    ],
    schema: "Message",
    run,
};

pub(super) static UPLOAD: Upload = Upload {
    method: &METHOD,
    path: "upload/gmail/v1/users/{userId}/messages/send",
    max_bytes: outgoing::MAX_BYTES,
    accepts: outgoing::ACCEPTS,
    check: |_, _| Ok(()),
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    mailbox_owner(state, call)?;
    Written::of(call)?.send(state, call)
}
