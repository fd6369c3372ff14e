//! What the users own in words, to compare responses with.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    Person, User, World, calendars, files,
    mime::{Message, Part},
};
use crate::shared::hex;

/// Adds messages, drafts, labels, contacts, files and calendars of each user.
pub(crate) fn describe(owned: &World, world: &mut Value) {
    for shown in world["users"].as_array_mut().into_iter().flatten() {
        let email = shown["email"].as_str().unwrap_or_default().to_owned();
        if let Some(user) = owned.user(&email) {
            describe_user(user, shown);
        }
        shown["files"] = files::readable::files(&owned.files, &email);
        shown["spreadsheets"] = files::readable::spreadsheets(&owned.files, &email);
        shown["calendars"] = calendars::readable::calendars(&owned.calendars, &email);
    }
    world["notices"] = calendars::readable::notices(&owned.calendars);
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
