//! Reads the addresses that a caller gives.

use mail_builder::headers::address::Address as Written;
use stead_core::error::Violations;

use crate::{Address, address::parse_addresses, classify::plain_recipients};

/// Marks that a name in an encoded word can't have, because readers disagree about them.
const MARKS: [char; 5] = ['@', '<', '>', ';', ':'];

/// An address with the name of its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mailbox {
    pub(crate) name: Option<String>,
    pub(crate) email: String,
}

impl From<Mailbox> for Written<'static> {
    fn from(mailbox: Mailbox) -> Self {
        Self::new_address(mailbox.name, mailbox.email)
    }
}

/// The addresses in a list. An item can hold several, separated by commas.
pub(super) fn list(path: &str, given: &[String], violations: &mut Violations) -> Vec<Mailbox> {
    let mut read = Vec::new();
    for (index, text) in given.iter().enumerate() {
        match mailboxes(text) {
            Ok(mailboxes) => read.extend(mailboxes),
            Err(message) => violations.add(&format!("{path}/{index}"), "format", message),
        }
    }
    read
}

/// The address in a member that has at most one.
pub(super) fn one(path: &str, given: Option<&str>, violations: &mut Violations) -> Vec<Mailbox> {
    match given.map(single) {
        None => Vec::new(),
        Some(Ok(mailbox)) => vec![mailbox],
        Some(Err(message)) => {
            violations.add(path, "format", message);
            Vec::new()
        }
    }
}

/// The one address in a text.
pub(crate) fn single(text: &str) -> Result<Mailbox, String> {
    let mut read = mailboxes(text)?;
    match (read.pop(), read.is_empty()) {
        (Some(mailbox), true) => Ok(mailbox),
        _ => Err(format!("expected one address, got several: {text:?}")),
    }
}

fn mailboxes(text: &str) -> Result<Vec<Mailbox>, String> {
    let refused = |why: &str| Err(format!("{text:?} {why}"));
    if text.chars().any(char::is_control) {
        return refused("has a line break or another control character; remove it");
    }
    let is_plain = plain_recipients(text).is_some_and(|found| !found.is_empty());
    let read: Option<Vec<Mailbox>> = parse_addresses(text)
        .into_iter()
        .map(|one| {
            Some(Mailbox {
                name: one.name,
                email: one.email?,
            })
        })
        .collect();
    match read {
        Some(read) if is_plain => {
            let is_unclear =
                |name: &String| !name.is_ascii() && name.contains(MARKS) || name.contains("=?");
            match read
                .iter()
                .filter_map(|one| one.name.as_ref())
                .any(is_unclear)
            {
                true => refused(
                    "has a name with @ < > ; : or =?, which programs read differently; remove them from the name",
                ),
                false => Ok(read),
            }
        }
        _ => refused(
            "isn't an address that every mail program reads the same way; write `ada@example.com`, `Ada <ada@example.com>`, \
             or `\"Lovelace, Ada\" <ada@example.com>`",
        ),
    }
}

/// The text of an address that another mail has, so that it can be read again. A name that readers would read differently
/// is left out. `None` if the address itself isn't plain.
pub(crate) fn address_text(address: &Address) -> Option<String> {
    let email = address.email.as_deref()?;
    let named = address.name.as_deref().map(|name| {
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{name}\" <{email}>")
    });
    [named.as_deref(), Some(email)]
        .into_iter()
        .flatten()
        .find(|text| single(text).is_ok())
        .map(str::to_owned)
}
