//! The world in words, to compare responses with.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    Person, User, World, calendars, files,
    mime::{Message, Part},
    warehouse,
};
use crate::ids::hex;

/// Users with their messages, drafts, labels and contacts.
pub(crate) fn readable(world: &World) -> Value {
    let users = world.users.iter().map(|one| {
        let mut readable = user(one);
        readable["workspace"] = crate::workspace::readable(&world.workspace, one.email);
        readable["files"] = files::readable::files(&world.files, one.email);
        readable["spreadsheets"] = files::readable::spreadsheets(&world.files, one.email);
        readable["calendars"] = calendars::readable::calendars(&world.calendars, one.email);
        readable["warehouse"] = warehouse::readable::of(&world.warehouse, one.email);
        readable
    });
    json!({
        "users": users.collect::<Vec<_>>(),
        "notices": calendars::readable::notices(&world.calendars),
    })
}

fn user(user: &User) -> Value {
    let mailbox = &user.mailbox;
    json!({
        "email": user.email,
        "name": user.name,
        "subject": user.subject,
        "messages": mailbox.messages.iter().map(message).collect::<Vec<_>>(),
        "drafts": mailbox.drafts.iter().map(|draft| json!({
            "id": draft.id,
            "message_id": draft.message_id,
        })).collect::<Vec<_>>(),
        "labels": mailbox.labels.iter().map(|label| json!({
            "id": label.id,
            "name": label.name,
        })).collect::<Vec<_>>(),
        "contacts": user.contacts.iter().map(person).collect::<Vec<_>>(),
        "other_contacts": user.other_contacts.iter().map(person).collect::<Vec<_>>(),
    })
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
