//! Gmail API v1: reading, writing, sending.

mod labels;
mod messages;
mod outgoing;
mod render;
mod search;

use crate::google::{
    Api, ApiError, Call, State,
    errors::ErrorShape,
    world::{Mailbox, User},
};

/// `https://gmail.googleapis.com`.
pub(crate) static GMAIL_API: Api = Api {
    name: "gmail",
    service: "gmail.googleapis.com",
    errors: ErrorShape::Mixed,
    refuses_read_only: None,
    plays: &[
        ("users.getProfile", messages::profile),
        ("users.messages.list", messages::list),
        ("users.messages.get", messages::get),
        ("users.messages.send", messages::send),
        ("users.messages.modify", messages::modify),
        ("users.messages.trash", messages::trash),
        ("users.messages.untrash", messages::untrash),
        ("users.messages.delete", messages::delete),
        ("users.messages.attachments.get", messages::attachment),
        ("users.threads.list", messages::list_threads),
        ("users.threads.get", messages::get_thread),
        ("users.drafts.list", messages::list_drafts),
        ("users.drafts.get", messages::get_draft),
        ("users.drafts.create", messages::create_draft),
        ("users.drafts.update", messages::update_draft),
        ("users.drafts.send", messages::send_draft),
        ("users.drafts.delete", messages::delete_draft),
    ],
    collections: &[&labels::LABELS, &labels::SEND_AS],
    downloads: &[],
    uploads: (36_700_160, "message/"),
    batch_paths: &["/batch", "/batch/gmail/v1"],
};

/// The user whose mailbox is asked for: `me`, or the caller's own address.
fn mailbox_owner<'state>(state: &'state State, call: &Call) -> Result<&'state User, ApiError> {
    check_owner(call)?;
    state.world.user(&call.user).ok_or_else(ApiError::not_found)
}

/// The same user's mailbox, to change it.
fn mailbox_mut<'state>(
    state: &'state mut State,
    call: &Call,
) -> Result<&'state mut Mailbox, ApiError> {
    check_owner(call)?;
    let user = state.world.user_mut(&call.user);
    user.map(|user| &mut user.mailbox)
        .ok_or_else(ApiError::not_found)
}

fn check_owner(call: &Call) -> Result<(), ApiError> {
    let asked = call.variable(0);
    if asked == "me" || asked.eq_ignore_ascii_case(&call.user) {
        return Ok(());
    }
    let message = format!("Delegation denied for {}", call.user);
    Err(ApiError::forbidden(message))
}
