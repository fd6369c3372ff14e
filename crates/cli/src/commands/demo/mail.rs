use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::case::{Case, World, list, same, same_texts};

/// Every mail tool.
pub(super) const CASES: &[Case] = &[
    Case {
        tool: "mail_fetch_mails",
        input: |_| json!({ "max_results": 100 }),
        check: |world, data| {
            let mails = list(data, "messages");
            let seen = mails.iter().map(|mail| &mail["message"]["id"]);
            let count = same_texts("mails", ordinary(world).map(|mail| &mail["id"]), seen)?;
            for (mail, known) in mails
                .iter()
                .filter_map(|mail| Some((mail, known(world, mail)?)))
            {
                same_mail(known, mail)?;
            }
            Ok(format!("{count} mails"))
        },
    },
    Case {
        tool: "mail_get_message_by_id",
        input: |world| json!({ "message_id": with_files(world)["id"] }),
        check: |world, mail| {
            same_mail(with_files(world), mail)?;
            Ok(format!("\"{}\"", text(&mail["readable"]["subject"])))
        },
    },
    Case {
        tool: "mail_get_attachment_by_id",
        input: |world| {
            let (mail, file) = largest_file(world);
            let part = format!("part:{}", text(&file["part_id"]));
            json!({ "message_id": mail["id"], "attachment_id": part })
        },
        check: |world, data| {
            let (_, file) = largest_file(world);
            let bytes = STANDARD
                .decode(text(&data["data"]))
                .map_err(|_| "no base64 came")?;
            let digest: String = Sha256::digest(&bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            same("file name", &file["filename"], &data["file_name"])?;
            same("type", &file["mime_type"], &data["mime_type"])?;
            same("size", &file["size"], &json!(bytes.len()))?;
            same("SHA-256", &file["sha256"], &json!(digest))?;
            Ok(format!("{} bytes, SHA-256 as in the sandbox", bytes.len()))
        },
    },
    Case {
        tool: "mail_list_threads",
        input: |_| json!({ "max_results": 500 }),
        check: |world, data| {
            let mut expected: Vec<&Value> =
                ordinary(world).map(|mail| &mail["thread_id"]).collect();
            expected.sort_unstable_by_key(|id| text(id));
            expected.dedup();
            let seen = list(data, "threads").iter().map(|thread| &thread["id"]);
            let count = same_texts("threads", expected.into_iter(), seen)?;
            Ok(format!("{count} threads"))
        },
    },
    Case {
        tool: "mail_get_thread_by_id",
        input: |world| json!({ "thread_id": longest_thread(world) }),
        check: |world, data| {
            let thread = longest_thread(world);
            let expected = world
                .list("messages")
                .iter()
                .filter(|mail| mail["thread_id"] == *thread);
            let seen = list(data, "messages")
                .iter()
                .map(|mail| &mail["message"]["id"]);
            let count = same_texts("mails", expected.map(|mail| &mail["id"]), seen)?;
            Ok(format!("{count} mails"))
        },
    },
    Case {
        tool: "mail_list_drafts",
        input: |_| json!({}),
        check: |world, data| {
            let expected = world.list("drafts").iter().map(|draft| &draft["id"]);
            let seen = list(data, "drafts").iter().map(|draft| &draft["id"]);
            let count = same_texts("drafts", expected, seen)?;
            Ok(format!("{count} drafts"))
        },
    },
    Case {
        tool: "mail_get_contacts",
        input: |_| json!({ "max_results": 1000 }),
        check: |world, data| {
            let expected = world
                .list("contacts")
                .iter()
                .map(|person| &person["resource_name"]);
            let seen = list(data, "contacts")
                .iter()
                .map(|person| &person["resourceName"]);
            let count = same_texts("contacts", expected, seen)?;
            Ok(format!("{count} contacts"))
        },
    },
    Case {
        tool: "mail_search_people",
        input: |world| {
            let name = text(&someone(world)["name"]);
            json!({ "query": name, "other_contacts": true })
        },
        check: |world, data| {
            let someone = someone(world);
            let found = list(data, "people").iter().map(|found| &found["person"]);
            let mut found =
                found.filter(|person| person["resourceName"] == someone["resource_name"]);
            match found.next() {
                Some(_) => Ok(format!("found {}", text(&someone["name"]))),
                None => Err(format!("{} is not in {data}", someone["name"])),
            }
        },
    },
];

/// Mails outside spam and trash.
fn ordinary(world: &World) -> impl Iterator<Item = &Value> {
    let hidden = |mail: &Value| {
        list(mail, "labels")
            .iter()
            .any(|label| label == "SPAM" || label == "TRASH")
    };
    world
        .list("messages")
        .iter()
        .filter(move |mail| !hidden(mail))
}

/// The sandbox's side of a mail that came.
fn known<'a>(world: &'a World, mail: &Value) -> Option<&'a Value> {
    let id = &mail["message"]["id"];
    world
        .list("messages")
        .iter()
        .find(|known| known["id"] == *id)
}

/// Subject, sender's address, files, and the text where the mail has one.
fn same_mail(known: &Value, mail: &Value) -> Result<(), String> {
    let readable = &mail["readable"];
    same("id", &known["id"], &readable["id"])?;
    same("subject", &known["subject"], &readable["subject"])?;
    let sender = text(&readable["from"]["email"]);
    if !text(&known["from"]).contains(sender) {
        return Err(format!(
            "sender: {sender} came, the sandbox has {}",
            known["from"]
        ));
    }
    let (expected, seen) = (text(&known["text"]), text(&readable["text"]));
    let from_html = readable["html"].is_string() && words_occur(expected, seen);
    if expected.trim() == seen.trim() || from_html {
        Ok(())
    } else {
        Err(format!("text: {seen:?} came, the sandbox has {expected:?}"))
    }
}

/// Whether these words occur in this order. A text that was made from HTML has more: the links' addresses.
fn words_occur(expected: &str, seen: &str) -> bool {
    let mut seen = seen.split_whitespace();
    expected
        .split_whitespace()
        .all(|word| seen.any(|other| other == word))
}

fn with_files(world: &World) -> &Value {
    largest_file(world).0
}

/// The largest file of the mailbox, with its mail.
fn largest_file(world: &World) -> (&Value, &Value) {
    let files = ordinary(world).flat_map(|mail| {
        list(mail, "attachments")
            .iter()
            .map(move |file| (mail, file))
    });
    files
        .max_by_key(|(_, file)| file["size"].as_u64())
        .unwrap_or((&Value::Null, &Value::Null))
}

/// The thread with the most mails.
fn longest_thread(world: &World) -> &Value {
    let of_thread = |thread: &Value| {
        ordinary(world)
            .filter(|mail| mail["thread_id"] == *thread)
            .count()
    };
    ordinary(world)
        .map(|mail| &mail["thread_id"])
        .max_by_key(|thread| of_thread(thread))
        .unwrap_or(&Value::Null)
}

fn someone(world: &World) -> &Value {
    world.list("contacts").first().unwrap_or(&Value::Null)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_have_others_between_them_and_none_may_be_missing() {
        assert!(words_occur(
            "read more now",
            "read\nmore (https://x.example) now"
        ));
        assert!(!words_occur("read more", "more read"));
        assert!(!words_occur("read more", "read"));
    }

    #[test]
    fn every_mail_tool_is_shown() {
        let product = stead::core::catalogue::Catalogue::new([&stead::mail::PRODUCT]);
        for tool in product.newest() {
            let name = tool.entry().name();
            assert!(CASES.iter().any(|case| case.tool == name), "{name}");
        }
    }
}
