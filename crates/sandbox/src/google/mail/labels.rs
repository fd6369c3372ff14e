//! Labels, and the addresses that a user sends from.

use std::collections::BTreeSet;

use serde_json::json;

use super::{mailbox_mut, mailbox_owner};
use crate::{
    google::{
        ApiError, Call, Members as _, State,
        collection::{Collection, Item, Store},
        world::mime::Message,
    },
    users,
};

/// `users.labels`: those that Gmail has by itself, and the user's.
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
    required: &[],
    new_id: |_| String::new(),
    check: |_, _, _| Ok(()),
    more: |_, _, _| {},
};

/// Names are the user's own, and differ; what Gmail made stays.
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

/// `labels.get` counts what has the label.
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
    let own = json!({
        "sendAsEmail": email,
        "displayName": users::find(email).map(|user| user.name),
        "replyToAddress": "",
        "signature": "",
        "isPrimary": true,
        "isDefault": true,
    });
    Ok(own.as_object().cloned().into_iter().collect())
}
