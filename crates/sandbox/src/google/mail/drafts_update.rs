//! `users.drafts.update`: replaces the mail of a draft.

use axum::http::Method;
use serde_json::Value;

use super::{
    draft, mailbox_mut, mailbox_owner,
    outgoing::{self, GivenDraft},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, State, Upload};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.drafts.update",
    verb: Method::PUT,
    path: "gmail/v1/users/{userId}/drafts/{id}",
    parameters: &[],
    scopes: scope::WRITE_DRAFTS,
    schema: "Draft",
    run,
};

pub(super) static UPLOAD: Upload = Upload {
    method: &METHOD,
    path: "upload/gmail/v1/users/{userId}/drafts/{id}",
    max_bytes: outgoing::MAX_BYTES,
    accepts: outgoing::ACCEPTS,
    check: |_, _| Ok(()),
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let id = call.variable(1);
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let before = mailbox.draft(id).ok_or_else(ApiError::not_found)?;
    let before = before.id.clone();
    let message = GivenDraft::of(call)?.message()?.keep(state, call)?;
    // The draft stays, its message is another one.
    let mailbox = mailbox_mut(state, call)?;
    mailbox.delete(&before);
    for draft in &mut mailbox.drafts {
        if draft.message_id == message {
            id.clone_into(&mut draft.id);
        }
    }
    draft(state, call, &message)
}
