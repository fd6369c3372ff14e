//! What the users own at Google. Each API keeps its things in a file of its own.

pub(crate) mod calendars;
mod compose;
mod contacts;
pub(crate) mod files;
pub(crate) mod mailbox;
pub(crate) mod mime;
mod readable;

use std::{collections::BTreeSet, sync::LazyLock};

use serde::Deserialize;

pub(crate) use contacts::Person;
pub(crate) use mailbox::Mailbox;
pub(crate) use mime::parse;
pub(crate) use readable::describe;

use calendars::Calendars;
use compose::SeedMessage;
use files::Files;
use mime::Message;

use crate::{google::collection::Item, users::parse_seed};

/// The seed is made once; every sandbox starts from its own copy.
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
    /// Searches of contacts whose cache is filled, by user and method.
    pub(crate) searched: BTreeSet<(String, &'static str)>,
    /// Attachment ids that were made under an older number are refused.
    pub(crate) attachment_generation: u64,
}

/// One user.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "SeedUser")]
pub(crate) struct User {
    pub(crate) email: &'static str,
    pub(crate) mailbox: Mailbox,
    pub(crate) contacts: Vec<Person>,
    pub(crate) other_contacts: Vec<Person>,
}

/// A user of the seed.
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
            mailbox: Mailbox::new(messages, seed.labels),
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

    /// The same, to change what is the user's.
    pub(crate) fn user_mut(&mut self, email: &str) -> Option<&mut User> {
        self.users.iter_mut().find(|user| user.email == email)
    }

    /// Deletes a message, and the draft that held it; false if there is none.
    pub(crate) fn delete_message(&mut self, id: &str) -> bool {
        self.users
            .iter_mut()
            .any(|user| user.mailbox.delete(id).is_some())
    }
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
