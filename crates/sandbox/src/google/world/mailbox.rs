//! A mailbox: messages, drafts and labels.

use serde_json::json;

use super::mime::Message;
use crate::google::{Members as _, collection::Item};

#[derive(Debug, Clone)]
pub(crate) struct Mailbox {
    /// All messages, newest first, including drafts, spam and trash.
    pub(crate) messages: Vec<Message>,
    /// The drafts, newest first.
    pub(crate) drafts: Vec<Draft>,
    /// Gmail's own labels, and the user's.
    pub(crate) labels: Vec<Item>,
    pub(crate) filters: Vec<Item>,
    /// It grows with every change.
    pub(crate) history_id: u64,
}

/// A draft and its message.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) id: String,
    pub(crate) message_id: String,
}

/// Gmail's own labels.
const SYSTEM_LABELS: &str = "CHAT SENT INBOX IMPORTANT TRASH DRAFT SPAM CATEGORY_FORUMS CATEGORY_UPDATES \
    CATEGORY_PERSONAL CATEGORY_PROMOTIONS CATEGORY_SOCIAL STARRED UNREAD";

impl Mailbox {
    /// Sorts the messages, and gives an ID to each draft.
    pub(super) fn new(mut messages: Vec<Message>, user_labels: &[Item]) -> Self {
        messages.sort_by_key(|message| std::cmp::Reverse(message.received));
        let drafts = messages
            .iter()
            .filter(|message| message.has_label("DRAFT"))
            .map(Draft::of)
            .collect();
        let history_id = messages.iter().map(|message| message.history_id).max();
        let system = SYSTEM_LABELS
            .split_whitespace()
            .map(|id| (id, id, "system"));
        let own = user_labels.iter().map(|label| {
            let text = |name| label.text(name).unwrap_or_default();
            (text("id"), text("name"), "user")
        });
        let label = |(id, name, kind)| {
            [("id", id), ("name", name), ("type", kind)]
                .map(|(name, value): (&str, &str)| (name.to_owned(), json!(value)))
        };
        let labels = system
            .chain(own)
            .map(|one| Item::from_iter(label(one)))
            .collect();
        Self {
            messages,
            drafts,
            labels,
            filters: Vec::new(),
            history_id: history_id.unwrap_or(1),
        }
    }

    pub(crate) fn has_label(&self, id: &str) -> bool {
        self.labels.iter().any(|label| label.text("id") == Some(id))
    }

    /// The IDs and names of the user's own labels.
    pub(crate) fn user_labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self
            .labels
            .iter()
            .filter(|label| label.text("type") == Some("user"));
        own.filter_map(|label| Some((label.text("id")?, label.text("name")?)))
    }

    pub(crate) fn message(&self, id: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.id == id)
    }

    /// The message of a draft.
    pub(crate) fn draft(&self, id: &str) -> Option<&Message> {
        let draft = self.drafts.iter().find(|draft| draft.id == id)?;
        self.message(&draft.message_id)
    }

    /// Inserts a message by its time.
    pub(crate) fn add(&mut self, mut message: Message) {
        self.history_id += 1;
        message.history_id = self.history_id;
        if message.has_label("DRAFT") {
            self.drafts.insert(0, Draft::of(&message));
        }
        let place = self
            .messages
            .iter()
            .position(|known| known.received <= message.received);
        self.messages
            .insert(place.unwrap_or(self.messages.len()), message);
    }

    /// Permanently deletes a message and its draft.
    pub(crate) fn delete(&mut self, id: &str) -> Option<Message> {
        let place = self.messages.iter().position(|message| message.id == id)?;
        let message = self.messages.remove(place);
        self.drafts.retain(|draft| draft.message_id != id);
        self.history_id += 1;
        Some(message)
    }

    /// Adds and removes labels of a message.
    pub(crate) fn change_labels(
        &mut self,
        id: &str,
        added: &[String],
        removed: &[String],
    ) -> Option<&Message> {
        let message = self.messages.iter_mut().find(|message| message.id == id)?;
        let before = message.labels.clone();
        message.labels.retain(|label| !removed.contains(label));
        let new = added.iter().filter(|label| !before.contains(label));
        message.labels.extend(new.cloned());
        if message.labels != before {
            self.history_id += 1;
            message.history_id = self.history_id;
        }
        Some(message)
    }
}

impl Draft {
    /// The ID of a draft is `r` and a number, which is derived from the message's hexadecimal ID.
    pub(crate) fn of(message: &Message) -> Self {
        let number = u64::from_str_radix(&message.id, 16).unwrap_or_default();
        Self {
            id: format!("r{number}"),
            message_id: message.id.clone(),
        }
    }
}
