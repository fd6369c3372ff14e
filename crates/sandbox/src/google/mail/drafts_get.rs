//! `users.drafts.get`: one draft with its message.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    mailbox_owner,
    render::{Format, message},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.drafts.get",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/drafts/{id}",
    parameters: &[Parameter::one(
        "format",
        Kind::OneOf(&["minimal", "full", "raw", "metadata"]),
    )],
    scopes: &[scope::ALL, scope::COMPOSE, scope::MODIFY, scope::READONLY],
    schema: "Draft",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let id = call.variable(1);
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let held = mailbox
        .drafts
        .iter()
        .find(|draft| draft.id == id)
        .and_then(|draft| mailbox.message(&draft.message_id))
        .cloned()
        .ok_or_else(ApiError::not_found)?;
    Ok(json!({"id": id, "message": message(state, &held, &format)}))
}
