//! Gmail API v1, reading. A folder is an API, a file is a method.

mod attachments_get;
mod drafts_get;
mod drafts_list;
mod labels_get;
mod labels_list;
mod list;
mod messages_get;
mod messages_list;
mod profile;
mod render;
mod search;
mod threads_get;
mod threads_list;

use crate::google::{Api, ApiError, Call, State, errors::ErrorShape, world::User};

/// `https://gmail.googleapis.com`.
pub(crate) static GMAIL_API: Api = Api {
    service: "gmail.googleapis.com",
    errors: ErrorShape::Mixed,
    methods: &[
        &messages_list::METHOD,
        &messages_get::METHOD,
        &attachments_get::METHOD,
        &threads_list::METHOD,
        &threads_get::METHOD,
        &drafts_list::METHOD,
        &drafts_get::METHOD,
        &labels_list::METHOD,
        &labels_get::METHOD,
        &profile::METHOD,
    ],
    downloads: &[],
    uploads: &[],
    batch_paths: &["/batch", "/batch/gmail/v1"],
};

/// Scopes as Gmail's methods name them.
mod scope {
    pub(super) const ALL: &str = "https://mail.google.com/";
    pub(super) const MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
    pub(super) const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
    pub(super) const METADATA: &str = "https://www.googleapis.com/auth/gmail.metadata";
    pub(super) const COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
    pub(super) const LABELS: &str = "https://www.googleapis.com/auth/gmail.labels";
}

/// The user whose mailbox is asked for: `me`, or the caller's own address.
fn mailbox_owner<'state>(state: &'state State, call: &Call) -> Result<&'state User, ApiError> {
    let asked = call.variable(0);
    if asked != "me" && !asked.eq_ignore_ascii_case(&call.user) {
        return Err(ApiError::forbidden(format!(
            "Delegation denied for {}",
            call.user
        )));
    }
    state.world.user(&call.user).ok_or_else(ApiError::not_found)
}

/// With gmail.metadata in the token, even together with a wider scope, there is no search
/// (users.messages.list, `q`).
fn check_search_allowed(call: &Call) -> Result<(), ApiError> {
    let searches = call.text("q").is_some_and(|query| !query.is_empty());
    if searches && call.has_scope("gmail.metadata") {
        return Err(ApiError::forbidden(
            "Metadata scope does not support 'q' parameter",
        ));
    }
    Ok(())
}
