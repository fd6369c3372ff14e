//! A mailbox: messages, drafts and labels.

use serde::Deserialize;

use super::mime::Message;

/// A Gmail mailbox.
#[derive(Debug, Clone)]
pub(crate) struct Mailbox {
    /// Newest first; drafts, spam and trash included.
    pub(crate) messages: Vec<Message>,
    /// Newest first.
    pub(crate) drafts: Vec<Draft>,
    /// Labels that the user made.
    pub(crate) labels: Vec<UserLabel>,
    /// Grows with every change.
    pub(crate) history_id: u64,
}

/// A draft and the message that it holds.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) id: String,
    pub(crate) message_id: String,
}

/// A label that a user made.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct UserLabel {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
}

impl Mailbox {
    /// Sorts the messages and gives the messages that are drafts a draft id.
    pub(super) fn new(mut messages: Vec<Message>, labels: Vec<UserLabel>) -> Self {
        messages.sort_by_key(|message| std::cmp::Reverse(message.received));
        let drafts = messages
            .iter()
            .filter(|message| message.has_label("DRAFT"))
            .map(Draft::of)
            .collect();
        let history_id = messages.iter().map(|message| message.history_id).max();
        Self {
            messages,
            drafts,
            labels,
            history_id: history_id.unwrap_or(1),
        }
    }

    /// The message of this id.
    pub(crate) fn message(&self, id: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.id == id)
    }

    /// The message of a draft.
    pub(crate) fn draft(&self, id: &str) -> Option<&Message> {
        let draft = self.drafts.iter().find(|draft| draft.id == id)?;
        self.message(&draft.message_id)
    }

    /// Puts a message in its place by time.
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

    /// Takes a message away for good, and the draft that held it.
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
    /// Draft ids are `r` and a number; derived from the message's hexadecimal id.
    pub(crate) fn of(message: &Message) -> Self {
        let number = u64::from_str_radix(&message.id, 16).unwrap_or_default();
        Self {
            id: format!("r{number}"),
            message_id: message.id.clone(),
        }
    }
}
