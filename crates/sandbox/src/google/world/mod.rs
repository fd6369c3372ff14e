//! The users' data at Google. Each API has a file for its data.

pub(crate) mod calendars;
mod compose;
pub(crate) mod files;
pub(crate) mod mailbox;
pub(crate) mod mime;

use std::{collections::BTreeSet, sync::LazyLock};

use calendars::Calendars;
use compose::SeedMessage;
use files::Files;
use mime::{Message, Part};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{google::collection::Item, shared::hex, users::parse_seed};

pub(crate) use mailbox::Mailbox;
pub(crate) use mime::parse;

/// The seed is created once. Every sandbox starts with a copy.
static SEED: LazyLock<World> = LazyLock::new(|| World {
    users: vec![
        parse_seed(include_str!("ada.json")),
        parse_seed(include_str!("grace.json")),
    ],
    files: Files::seeded(),
    calendars: Calendars::seeded(),
    searched: BTreeSet::new(),
    attachment_generation: 0,
});

/// All users and what they own.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) users: Vec<User>,
    pub(crate) files: Files,
    pub(crate) calendars: Calendars,
    /// Contact searches whose cache is warm, by user and method.
    pub(crate) searched: BTreeSet<(String, &'static str)>,
    /// Attachment IDs with an older number are refused.
    pub(crate) attachment_generation: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(from = "SeedUser")]
pub(crate) struct User {
    pub(crate) email: &'static str,
    pub(crate) mailbox: Mailbox,
    pub(crate) contacts: Vec<Person>,
    pub(crate) other_contacts: Vec<Person>,
}

/// A seeded user.
#[derive(Deserialize)]
struct SeedUser {
    email: &'static str,
    messages: Vec<SeedMessage>,
    labels: Vec<Item>,
    contacts: Vec<Person>,
    other_contacts: Vec<Person>,
}

impl From<SeedUser> for User {
    fn from(seed: SeedUser) -> Self {
        let messages = seed.messages.into_iter().map(Message::from).collect();
        Self {
            email: seed.email,
            mailbox: Mailbox::new(messages, &seed.labels),
            contacts: seed.contacts,
            other_contacts: seed.other_contacts,
        }
    }
}

impl World {
    /// A copy of the seed.
    pub(crate) fn seeded() -> Self {
        SEED.clone()
    }

    /// The user with this email address.
    pub(crate) fn user(&self, email: &str) -> Option<&User> {
        self.users.iter().find(|user| user.email == email)
    }

    /// The same, to change the user's data.
    pub(crate) fn user_mut(&mut self, email: &str) -> Option<&mut User> {
        self.users.iter_mut().find(|user| user.email == email)
    }

    /// Deletes a message and its draft. Returns whether there was one.
    pub(crate) fn delete_message(&mut self, id: &str) -> bool {
        self.users
            .iter_mut()
            .any(|user| user.mailbox.delete(id).is_some())
    }
}

/// A contact, or a person to whom the user once wrote.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Person {
    /// `people/c…` or `otherContacts/c…`.
    pub(crate) resource_name: String,
    pub(crate) given: &'static str,
    pub(crate) family: &'static str,
    pub(crate) nickname: &'static str,
    /// The address and its type.
    #[serde(borrow)]
    pub(crate) emails: Vec<(&'static str, &'static str)>,
    /// The number as written, the number in canonical form, and the type.
    #[serde(borrow)]
    pub(crate) phones: Vec<(&'static str, &'static str, &'static str)>,
    /// The name and the title.
    #[serde(borrow)]
    pub(crate) organization: Option<(&'static str, &'static str)>,
    pub(crate) biography: &'static str,
    /// In RFC 3339 and UTC.
    pub(crate) modified: &'static str,
}

impl Person {
    /// The given name and the family name. Empty if there's neither.
    pub(crate) fn display_name(&self) -> String {
        [self.given, self.family]
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Adds the messages, drafts, labels, contacts, files and calendars of each user.
pub(crate) fn describe(owned: &World, world: &mut Value) {
    for shown in world["users"].as_array_mut().into_iter().flatten() {
        let email = shown["email"].as_str().unwrap_or_default().to_owned();
        if let Some(user) = owned.user(&email) {
            describe_user(user, shown);
        }
        shown["files"] = files::files(&owned.files, &email);
        shown["spreadsheets"] = files::spreadsheets(&owned.files, &email);
        shown["calendars"] = calendars::calendars(&owned.calendars, &email);
    }
    world["notices"] = calendars::notices(&owned.calendars);
}

fn describe_user(user: &User, shown: &mut Value) {
    let mailbox = &user.mailbox;
    shown["messages"] = mailbox.messages.iter().map(message).collect();
    let drafts = mailbox.drafts.iter();
    shown["drafts"] = drafts
        .map(|draft| json!({"id": draft.id, "message_id": draft.message_id}))
        .collect();
    let labels = mailbox.user_labels();
    shown["labels"] = labels
        .map(|(id, name)| json!({"id": id, "name": name}))
        .collect();
    shown["contacts"] = user.contacts.iter().map(person).collect();
    shown["other_contacts"] = user.other_contacts.iter().map(person).collect();
}

fn message(message: &Message) -> Value {
    let files: Vec<Value> = message
        .leaves()
        .into_iter()
        .filter(|part| part.is_file())
        .map(file)
        .collect();
    json!({
        "id": message.id,
        "thread_id": message.thread_id,
        "received": message.received.to_string(),
        "labels": message.labels,
        "from": message.header("From"),
        "to": message.header("To"),
        "cc": message.header("Cc"),
        "subject": message.header("Subject"),
        "text": message.text(),
        "size": message.size,
        "attachments": files,
    })
}

fn file(part: &Part) -> Value {
    json!({
        "part_id": part.id,
        "filename": part.filename,
        "mime_type": part.mime_type,
        "inline": !part.is_attachment(),
        "size": part.bytes().len(),
        "sha256": hex(&Sha256::digest(part.bytes())),
    })
}

fn person(person: &Person) -> Value {
    let emails: Vec<&str> = person.emails.iter().map(|(address, _)| *address).collect();
    let phones: Vec<&str> = person.phones.iter().map(|(_, number, _)| *number).collect();
    json!({
        "resource_name": person.resource_name,
        "name": person.display_name(),
        "emails": emails,
        "phones": phones,
        "organization": person.organization.map(|(name, _)| name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_no_two_messages_share_a_moment() {
        let world = World::seeded();
        let messages: Vec<&Message> = world
            .users
            .iter()
            .flat_map(|user| &user.mailbox.messages)
            .collect();
        let ids: BTreeSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
        assert_eq!(ids.len(), messages.len());
        for user in &world.users {
            for pair in user.mailbox.messages.windows(2) {
                assert!(
                    pair[0].received > pair[1].received,
                    "{} {}",
                    pair[0].id,
                    pair[1].id
                );
            }
        }
    }
}
