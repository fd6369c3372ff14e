//! Gmail API v1: reading, writing, sending. A folder is an API, a file is a method.

mod attachments_get;
mod drafts_create;
mod drafts_delete;
mod drafts_get;
mod drafts_list;
mod drafts_send;
mod drafts_update;
mod label_changes;
mod labels_get;
mod labels_list;
mod list;
mod messages_delete;
mod messages_get;
mod messages_list;
mod messages_modify;
mod messages_send;
mod messages_trash;
mod messages_untrash;
mod outgoing;
mod profile;
mod render;
mod search;
mod threads_get;
mod threads_list;

use serde_json::{Value, json};

use crate::google::{
    Api, ApiError, Call, State,
    errors::ErrorShape,
    world::{Mailbox, User},
};

/// `https://gmail.googleapis.com`.
pub(crate) static GMAIL_API: Api = Api {
    service: "gmail.googleapis.com",
    errors: ErrorShape::Mixed,
    methods: &[
        &messages_list::METHOD,
        // Before the methods of one message, whose id may be anything.
        &messages_send::METHOD,
        &messages_get::METHOD,
        &messages_modify::METHOD,
        &messages_trash::METHOD,
        &messages_untrash::METHOD,
        &messages_delete::METHOD,
        &attachments_get::METHOD,
        &threads_list::METHOD,
        &threads_get::METHOD,
        &drafts_list::METHOD,
        &drafts_create::METHOD,
        &drafts_send::METHOD,
        &drafts_get::METHOD,
        &drafts_update::METHOD,
        &drafts_delete::METHOD,
        &labels_list::METHOD,
        &labels_get::METHOD,
        &profile::METHOD,
    ],
    downloads: &[],
    uploads: &[
        &messages_send::UPLOAD,
        &drafts_create::UPLOAD,
        &drafts_send::UPLOAD,
        &drafts_update::UPLOAD,
    ],
    batch_paths: &["/batch", "/batch/gmail/v1"],
};

/// Scopes as Gmail's methods name them.
mod scope {
    pub(super) const ALL: &str = "https://mail.google.com/";
    pub(super) const MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
    pub(super) const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
    pub(super) const METADATA: &str = "https://www.googleapis.com/auth/gmail.metadata";
    pub(super) const COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
    pub(super) const SEND: &str = "https://www.googleapis.com/auth/gmail.send";
    pub(super) const LABELS: &str = "https://www.googleapis.com/auth/gmail.labels";
    /// Of the methods that change and send drafts (discovery, `scopes`).
    pub(super) const WRITE_DRAFTS: &[&str] = &[
        ALL,
        "https://www.googleapis.com/auth/gmail.addons.current.action.compose",
        COMPOSE,
        MODIFY,
    ];
    /// Of the methods that give one mail or thread.
    pub(super) const READ_CONTENT: &[&str] = &[
        ALL,
        "https://www.googleapis.com/auth/gmail.addons.current.message.action",
        "https://www.googleapis.com/auth/gmail.addons.current.message.metadata",
        "https://www.googleapis.com/auth/gmail.addons.current.message.readonly",
        METADATA,
        MODIFY,
        READONLY,
    ];
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

/// The same user's mailbox, to change it.
fn mailbox_mut<'state>(
    state: &'state mut State,
    call: &Call,
) -> Result<&'state mut Mailbox, ApiError> {
    mailbox_owner(state, call)?;
    let user = state.world.user_mut(&call.user);
    user.map(|user| &mut user.mailbox)
        .ok_or_else(ApiError::not_found)
}

/// `Draft` of a message.
fn draft(state: &State, call: &Call, message_id: &str) -> Result<Value, ApiError> {
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
