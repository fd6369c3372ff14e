//! A mailbox: messages, drafts, labels, and what has happened to them.

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
    /// What has happened, oldest first; ids grow.
    pub(crate) history: Vec<Record>,
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

/// Something that happened to a message.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) id: u64,
    pub(crate) message_id: String,
    pub(crate) thread_id: String,
    /// Labels of the message afterwards.
    pub(crate) labels: Vec<String>,
    pub(crate) change: Change,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Deleted,
    LabelsAdded(Vec<String>),
    LabelsRemoved(Vec<String>),
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
        let mut history: Vec<Record> = messages
            .iter()
            .map(|message| Record::of(message, message.history_id, Change::Added))
            .collect();
        history.sort_by_key(|record| record.id);
        Self {
            messages,
            drafts,
            labels,
            history,
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

    /// The newest id of its history.
    pub(crate) fn history_id(&self) -> u64 {
        self.history.last().map_or(1, |record| record.id)
    }

    /// Puts a message in its place by time.
    pub(crate) fn add(&mut self, mut message: Message) {
        message.history_id = self.history_id() + 1;
        let record = Record::of(&message, message.history_id, Change::Added);
        self.history.push(record);
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
        let record = Record::of(&message, self.history_id() + 1, Change::Deleted);
        self.history.push(record);
        Some(message)
    }

    /// Adds and removes labels of a message.
    pub(crate) fn change_labels(
        &mut self,
        id: &str,
        added: &[String],
        removed: &[String],
    ) -> Option<&Message> {
        let place = self.messages.iter().position(|message| message.id == id)?;
        let labels = self.messages[place].labels.clone();
        let new: Vec<String> = added
            .iter()
            .filter(|id| !labels.contains(id))
            .cloned()
            .collect();
        let gone: Vec<String> = removed
            .iter()
            .filter(|id| labels.contains(id))
            .cloned()
            .collect();
        self.messages[place]
            .labels
            .retain(|label| !gone.contains(label));
        self.messages[place].labels.extend(new.iter().cloned());
        let changes = [
            (new.is_empty(), Change::LabelsAdded(new)),
            (gone.is_empty(), Change::LabelsRemoved(gone)),
        ];
        for (is_empty, change) in changes {
            if !is_empty {
                let history_id = self.history_id() + 1;
                self.messages[place].history_id = history_id;
                let record = Record::of(&self.messages[place], history_id, change);
                self.history.push(record);
            }
        }
        self.messages.get(place)
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

impl Record {
    fn of(message: &Message, id: u64, change: Change) -> Self {
        Self {
            id,
            message_id: message.id.clone(),
            thread_id: message.thread_id.clone(),
            labels: message.labels.clone(),
            change,
        }
    }
}
