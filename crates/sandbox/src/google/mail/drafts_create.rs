//! `users.drafts.create`: keeps a mail as a draft.

use axum::http::Method;
use serde_json::Value;

use super::{
    draft, mailbox_owner,
    outgoing::{self, GivenDraft},
    scope,
};
use crate::google::{ApiError, ApiMethod, Call, State, Upload};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.drafts.create",
    verb: Method::POST,
    path: "gmail/v1/users/{userId}/drafts",
    parameters: &[],
    scopes: scope::WRITE_DRAFTS,
    schema: "Draft",
    run,
};

pub(super) static UPLOAD: Upload = Upload {
    method: &METHOD,
    path: "upload/gmail/v1/users/{userId}/drafts",
    max_bytes: outgoing::MAX_BYTES,
    accepts: outgoing::ACCEPTS,
    check: |_, _| Ok(()),
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    mailbox_owner(state, call)?;
    let message = GivenDraft::of(call)?.message()?.keep(state, call)?;
    draft(state, call, &message)
}
