//! `users.messages.get`: one message in the format that the call asks for.

use axum::http::Method;
use serde_json::Value;

use super::{
    mailbox_owner,
    render::{Format, message},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.get",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/messages/{id}",
    parameters: &[
        Parameter::one(
            "format",
            Kind::OneOf(&["minimal", "full", "raw", "metadata"]),
        ),
        Parameter::many("metadataHeaders", Kind::Text),
    ],
    scopes: scope::READ_CONTENT,
    schema: "Message",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let found = mailbox_owner(state, call)?
        .mailbox
        .message(call.variable(1))
        .cloned()
        .ok_or_else(ApiError::not_found)?;
    Ok(message(state, &found, &format))
}
