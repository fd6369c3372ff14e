//! Gmail API v1: reads, writes and sends mails.

mod messages;
mod outgoing;
mod search;

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    google::{
        Api, ApiError, Call, Members as _, State,
        collection::{Collection, Item, Store},
        errors::ErrorShape,
        world::{Mailbox, User, mime::Message},
    },
    users,
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
    collections: &[&LABELS, &SEND_AS, &FILTERS],
    downloads: &[],
    uploads: (36_700_160, "message/"),
    batch_paths: &["/batch", "/batch/gmail/v1"],
};

/// The owner of the requested mailbox, which must be `me` or the caller's own address.
fn mailbox_owner<'state>(state: &'state State, call: &Call) -> Result<&'state User, ApiError> {
    check_owner(call)?;
    state.world.user(&call.user).ok_or_else(ApiError::not_found)
}

/// The mailbox of that user, to change it.
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

/// `users.labels`: Gmail's own labels, and the user's.
pub(super) static LABELS: Collection = Collection {
    id: "users.labels",
    items: "labels",
    key: "id",
    store: Store::Kept(|state, call| Ok(&mut mailbox_mut(state, call)?.labels)),
    required: &["name"],
    new_id: |state| format!("Label_{}", state.ids.fresh("label", 6)),
    check,
    more: count,
};

/// `users.settings.sendAs`: the user's own address.
pub(super) static SEND_AS: Collection = Collection {
    id: "users.settings.sendAs",
    items: "sendAs",
    key: "sendAsEmail",
    store: Store::Made(send_as),
    ..Collection::PLAIN
};

/// `users.settings.filters`: the sandbox stores them, and doesn't apply them to mails.
pub(super) static FILTERS: Collection = Collection {
    id: "users.settings.filters",
    items: "filter",
    store: Store::Kept(|state, call| Ok(&mut mailbox_mut(state, call)?.filters)),
    required: &["criteria", "action"],
    ..Collection::PLAIN
};

/// Names must be unique, and Gmail's own labels can't be changed.
fn check(labels: &[Item], new: Option<&mut Item>, before: Option<&Item>) -> Result<(), ApiError> {
    if before.is_some_and(|before| before.text("type") == Some("system")) {
        return Err(ApiError::invalid("Invalid delete or update request"));
    }
    let Some(new) = new else {
        return Ok(());
    };
    let (id, name) = (new.text("id"), new.text("name").unwrap_or_default());
    let taken = labels.iter().any(|label| {
        let other = label.text("name").unwrap_or_default();
        label.text("id") != id && other.eq_ignore_ascii_case(name)
    });
    if taken {
        let message = "Label name exists or conflicts";
        return Err(ApiError::of(409, "aborted", message));
    }
    new.insert("type".to_owned(), json!("user"));
    Ok(())
}

/// `labels.get` counts the messages with the label.
fn count(state: &State, call: &Call, label: &mut Item) {
    let Ok(user) = mailbox_owner(state, call) else {
        return;
    };
    let id = call.variable(1);
    let all = user.mailbox.messages.iter();
    let all: Vec<&Message> = all.filter(|message| message.has_label(id)).collect();
    let unread = all
        .iter()
        .copied()
        .filter(|message| message.has_label("UNREAD"));
    for (name, messages) in [("Total", all.clone()), ("Unread", unread.collect())] {
        let threads = messages.iter().map(|message| message.thread_id.as_str());
        let threads: BTreeSet<&str> = threads.collect();
        label.insert(format!("messages{name}"), json!(messages.len()));
        label.insert(format!("threads{name}"), json!(threads.len()));
    }
}

fn send_as(state: &State, call: &Call) -> Result<Vec<Item>, ApiError> {
    let email = mailbox_owner(state, call)?.email;
    let name = users::find(email).map(|user| user.name);
    let own = json!({
        "sendAsEmail": email,
        "displayName": name,
        "replyToAddress": "",
        "signature": name.map(|name| format!("<div dir=\"ltr\">{name}</div>")),
        "isPrimary": true,
        "isDefault": true,
    });
    Ok(own.as_object().cloned().into_iter().collect())
}
