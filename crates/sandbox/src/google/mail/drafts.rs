//! Drafts.

use serde_json::{Value, json};

use super::{
    mailbox_mut, mailbox_owner,
    messages::{matching, page},
    outgoing::{self, Written},
    render::{Format, message},
};
use crate::google::{ApiError, Call, Members as _, State};

/// `drafts.list`: searches drafts and lists their ids in pages.
pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let fitting = matching(mailbox, call, state.now)?;
    let items = mailbox.drafts.iter().filter_map(|draft| {
        let mut fitting = fitting.iter();
        let message = fitting.find(|message| message.id == draft.message_id)?;
        Some(json!({
            "id": draft.id,
            "message": {"id": message.id, "threadId": message.thread_id},
        }))
    });
    page(call, "drafts", items.collect())
}

/// `drafts.get`: one draft with its message.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let format = Format::of(call)?;
    let id = call.variable(1);
    let held = mailbox_owner(state, call)?.mailbox.draft(id).cloned();
    let held = held.ok_or_else(ApiError::not_found)?;
    Ok(json!({"id": id, "message": message(state, &held, &format)}))
}

/// `drafts.create`: keeps a mail as a draft.
pub(super) fn create(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    mailbox_owner(state, call)?;
    let message = written(call)?
        .ok_or_else(outgoing::missing)?
        .keep(state, call)?;
    shown(state, call, &message)
}

/// `drafts.update`: the draft stays, its message is another one.
pub(super) fn update(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let id = call.variable(1);
    let before = mailbox_owner(state, call)?.mailbox.draft(id);
    let before = before.ok_or_else(ApiError::not_found)?.id.clone();
    let message = written(call)?
        .ok_or_else(outgoing::missing)?
        .keep(state, call)?;
    let mailbox = mailbox_mut(state, call)?;
    mailbox.delete(&before);
    for draft in &mut mailbox.drafts {
        if draft.message_id == message {
            id.clone_into(&mut draft.id);
        }
    }
    shown(state, call, &message)
}

/// `drafts.send`: sends a draft, which is one no longer.
pub(super) fn send(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let given = written(call)?;
    let Some(id) = call.body.text("id").filter(|id| !id.is_empty()) else {
        // A mail that was no draft is sent all the same.
        return given.ok_or_else(outgoing::missing)?.send(state, call);
    };
    let kept = mailbox.draft(id).ok_or_else(ApiError::not_found)?;
    let before = kept.id.clone();
    let kept = outgoing::of_draft(kept);
    let sent = given.unwrap_or(kept).send(state, call)?;
    mailbox_mut(state, call)?.delete(&before);
    Ok(sent)
}

/// `drafts.delete`: takes a draft away for good.
pub(super) fn delete(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = mailbox_mut(state, call)?;
    let message = mailbox.draft(call.variable(1));
    let id = message.ok_or_else(ApiError::not_found)?.id.clone();
    mailbox.delete(&id);
    Ok(Value::Null)
}

/// The message of the `Draft` that is the body.
fn written(call: &Call) -> Result<Option<Written>, ApiError> {
    Written::read(call, call.body.object("message"))
}

/// `Draft` of a message.
fn shown(state: &State, call: &Call, message_id: &str) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let mut drafts = mailbox.drafts.iter();
    let draft = drafts.find(|draft| draft.message_id == message_id);
    match (draft, mailbox.message(message_id)) {
        (Some(draft), Some(message)) => {
            Ok(json!({"id": draft.id, "message": outgoing::reference(message)}))
        }
        _ => Err(ApiError::not_found()),
    }
}
