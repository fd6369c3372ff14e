//! `users.messages.attachments.get`: the bytes of an attachment.

use axum::http::Method;
use base64::{Engine as _, engine::general_purpose::URL_SAFE};
use serde_json::{Value, json};

use super::{mailbox_owner, render::ATTACHMENT, scope};
use crate::{
    google::{ApiError, ApiMethod, Call, State},
    ids,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.messages.attachments.get",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/messages/{messageId}/attachments/{id}",
    parameters: &[],
    scopes: &[
        scope::ALL,
        "https://www.googleapis.com/auth/gmail.addons.current.message.action",
        "https://www.googleapis.com/auth/gmail.addons.current.message.readonly",
        scope::MODIFY,
        scope::READONLY,
    ],
    schema: "MessagePartBody",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let message = mailbox_owner(state, call)?
        .mailbox
        .message(call.variable(1))
        .ok_or_else(ApiError::not_found)?;
    let part = part_id(
        call.variable(2),
        state.world.attachment_generation,
        &message.id,
    )
    .and_then(|id| message.leaf(&id))
    .filter(|part| part.is_file())
    .ok_or_else(|| ApiError::invalid("Invalid attachment token"))?;
    Ok(json!({
        "size": part.bytes().len(),
        "data": URL_SAFE.encode(part.bytes()),
    }))
}

/// The part that an id of this message and generation means.
fn part_id(id: &str, generation: u64, message_id: &str) -> Option<String> {
    let text = ids::open(ATTACHMENT, id.strip_prefix("ANGjdJ")?)?;
    let mut words = text.split('|');
    let current = words.next()? == generation.to_string() && words.next()? == message_id;
    let part = words.next()?;
    current.then(|| part.to_owned())
}
