//! `users.drafts.send`: sends a draft, which is one no longer.

use axum::http::Method;
use serde_json::Value;

use super::{
    mailbox_mut, mailbox_owner,
    outgoing::{self, GivenDraft},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, State, Upload};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.drafts.send",
    verb: Method::POST,
    path: "gmail/v1/users/{userId}/drafts/send",
    parameters: &[],
    scopes: scope::WRITE_DRAFTS,
    schema: "Message",
    run,
};

pub(super) static UPLOAD: Upload = Upload {
    method: &METHOD,
    path: "upload/gmail/v1/users/{userId}/drafts/send",
    max_bytes: outgoing::MAX_BYTES,
    accepts: outgoing::ACCEPTS,
    check: |_, _| Ok(()),
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let given = GivenDraft::of(call)?;
    let Some(id) = given.id.as_deref().filter(|id| !id.is_empty()) else {
        // A mail that was no draft is sent all the same.
        return given.message()?.send(state, call);
    };
    let kept = mailbox.draft(id).ok_or_else(ApiError::not_found)?;
    let before = kept.id.clone();
    let kept = outgoing::of_draft(kept);
    let sent = given.message.unwrap_or(kept).send(state, call)?;
    mailbox_mut(state, call)?.delete(&before);
    Ok(sent)
}
