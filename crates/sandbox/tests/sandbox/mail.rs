//! Gmail's methods that read, with the parts of messages and their bytes.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use stead_sandbox::Fault;

use crate::client::{GMAIL_READ, Stage, decode};

fn ids(list: &Value, name: &str) -> Vec<String> {
    let items = list[name].as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .map(|item| item["id"].as_str().expect("an id").to_owned())
        .collect()
}

/// All pages of a list.
async fn pages(stage: &Stage, token: &str, path: &str, name: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut next = String::new();
    loop {
        let list = stage.mail(&format!("{path}{next}"), token).await.ok();
        pages.push(ids(&list, name));
        match list["nextPageToken"].as_str() {
            Some(token) => next = format!("&pageToken={token}"),
            None => return pages,
        }
    }
}

#[tokio::test]
async fn messages_are_listed_newest_first_without_spam_and_trash() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let list = stage.mail("messages", &ada).await.ok();
    assert_eq!(ids(&list, "messages").len(), 14);
    assert_eq!(list["resultSizeEstimate"], 14);
    assert_eq!(list.get("nextPageToken"), None);
    let first = &list["messages"][0];
    assert_eq!(
        first["id"],
        stage.message(0, "Re: Lunch on Thursday?")["id"]
    );
    assert_eq!(first.as_object().unwrap().len(), 2);
    let all = stage
        .mail("messages?includeSpamTrash=true", &ada)
        .await
        .ok();
    assert_eq!(ids(&all, "messages").len(), 16);
    let spam = stage.mail("messages?labelIds=SPAM", &ada).await.ok();
    assert_eq!(ids(&spam, "messages").len(), 1);
}

#[tokio::test]
async fn nothing_found_means_no_list_at_all() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for path in ["messages", "threads", "drafts"] {
        let list = stage.mail(&format!("{path}?q=nosuchword"), &ada).await.ok();
        assert_eq!(list, json!({"resultSizeEstimate": 0}), "{path}");
    }
}

#[tokio::test]
async fn filters_combine() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for (query, count) in [
        ("labelIds=INBOX&labelIds=UNREAD", 3),
        ("labelIds=INBOX&labelIds=STARRED", 1),
        ("labelIds=Label_1", 5),
        ("labelIds=Label_1&q=has:attachment", 2),
        ("q=in:inbox%20is:unread%20-from:grace", 2),
        ("q=in:anywhere", 16),
        ("q=", 14),
    ] {
        let list = stage.mail(&format!("messages?{query}"), &ada).await.ok();
        assert_eq!(ids(&list, "messages").len(), count, "{query}");
    }
    let unknown = stage.mail("messages?q=larger:1M", &ada).await;
    assert_eq!(unknown.status, 501);
}

#[tokio::test]
async fn pages_cover_everything_once() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let all = ids(&stage.mail("messages", &ada).await.ok(), "messages");
    let paged = pages(&stage, &ada, "messages?maxResults=5", "messages").await;
    assert_eq!(paged.iter().map(Vec::len).collect::<Vec<_>>(), [5, 5, 4]);
    assert_eq!(paged.concat(), all);
    let exact = pages(&stage, &ada, "messages?maxResults=14", "messages").await;
    assert_eq!(exact.len(), 1);
    let threads = pages(&stage, &ada, "threads?maxResults=4", "threads").await;
    assert_eq!(threads.concat().len(), 11);
}

#[tokio::test]
async fn a_page_token_belongs_to_its_list() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let grace = stage
        .tokens("grace@example.com", &[GMAIL_READ])
        .await
        .access;
    let list = stage
        .mail("messages?maxResults=2&q=in:inbox", &ada)
        .await
        .ok();
    let next = list["nextPageToken"].as_str().unwrap();
    for (list, token, status) in [
        ("messages?maxResults=2&q=in:inbox", &ada, 200),
        ("messages?maxResults=9&q=in:inbox", &ada, 200),
        ("messages?maxResults=2&q=in:sent", &ada, 400),
        ("messages?maxResults=2", &ada, 400),
        ("threads?maxResults=2&q=in:inbox", &ada, 400),
        ("messages?maxResults=2&q=in:inbox", &grace, 400),
    ] {
        let path = format!("{list}&pageToken={next}");
        assert_eq!(stage.mail(&path, token).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn the_four_formats() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let known = stage.message(0, "Lunch on Thursday?");
    let id = known["id"].as_str().unwrap();
    let get = async |query: &str| {
        stage
            .mail(&format!("messages/{id}{query}"), &ada)
            .await
            .ok()
    };

    let full = get("").await;
    assert_eq!(full["threadId"], known["thread_id"]);
    assert_eq!(full["internalDate"], "1777882329000");
    assert!(full["historyId"].is_string());
    let snippet = full["snippet"].as_str().unwrap();
    assert!(
        snippet.contains("Don&#39;t bring the engine &amp; its cards"),
        "{snippet}"
    );
    let payload = &full["payload"];
    assert_eq!(payload["mimeType"], "text/plain");
    assert_eq!(payload["partId"], "");
    assert_eq!(payload["filename"], "");
    assert_eq!(payload.get("parts"), None);
    assert_eq!(
        decode(&payload["body"]["data"]),
        known["text"].as_str().unwrap().as_bytes()
    );
    assert_eq!(full.get("raw"), None);

    let minimal = get("?format=minimal").await;
    assert_eq!(minimal.get("payload"), None);
    assert_eq!(minimal["labelIds"], full["labelIds"]);

    let some = get("?format=metadata&metadataHeaders=subject&metadataHeaders=From").await;
    let headers = some["payload"]["headers"].as_array().unwrap();
    let names: Vec<&str> = headers
        .iter()
        .map(|header| header["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["From", "Subject"]);
    assert_eq!(some["payload"].get("body"), None);
    let every = get("?format=metadata").await;
    assert_eq!(every["payload"]["headers"], payload["headers"]);

    let raw = decode(&get("?format=raw").await["raw"]);
    assert_eq!(json!(raw.len()), full["sizeEstimate"]);
    let raw = String::from_utf8(raw).unwrap();
    let (head, body) = raw.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("\r\nSubject: Lunch on Thursday?\r\n"));
    assert_eq!(body, known["text"].as_str().unwrap());
}

#[tokio::test]
async fn threads_hold_their_messages_oldest_first() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let first = stage.message_id(0, "Review of chapter 3");
    let thread = stage.mail(&format!("threads/{first}"), &ada).await.ok();
    assert_eq!(thread["messages"].as_array().unwrap().len(), 3);
    assert_eq!(thread["messages"][0]["id"], first.as_str());
    assert!(thread["messages"][2]["payload"]["parts"].is_array());
    let small = stage
        .mail(&format!("threads/{first}?format=minimal"), &ada)
        .await
        .ok();
    assert_eq!(small["messages"][0].get("payload"), None);
    assert_eq!(stage.mail("threads/nothing", &ada).await.status, 404);

    let list = stage.mail("threads?q=is:starred", &ada).await.ok();
    assert_eq!(ids(&list, "threads"), [first]);
    let entry = list["threads"][0].as_object().unwrap();
    assert_eq!(
        entry.keys().collect::<Vec<_>>(),
        ["historyId", "id", "snippet"]
    );
}

#[tokio::test]
async fn drafts_labels_and_profile() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let drafts = stage.mail("drafts", &ada).await.ok();
    let listed = ids(&drafts, "drafts");
    assert_eq!(listed.len(), 2);
    let draft = stage
        .mail(&format!("drafts/{}", listed[1]), &ada)
        .await
        .ok();
    assert_eq!(draft["message"]["id"], drafts["drafts"][1]["message"]["id"]);
    assert_eq!(draft["message"]["labelIds"], json!(["DRAFT"]));
    let raw = stage
        .mail(&format!("drafts/{}?format=raw", listed[0]), &ada)
        .await
        .ok();
    assert!(raw["message"]["raw"].is_string());
    assert_eq!(stage.mail("drafts/r1", &ada).await.status, 404);

    let labels = stage.mail("labels", &ada).await.ok();
    let labels = labels["labels"].as_array().unwrap();
    assert!(labels.contains(&json!({"id": "Label_1", "name": "Engine", "type": "user"})));
    assert!(labels.contains(&json!({"id": "INBOX", "name": "INBOX", "type": "system"})));
    let inbox = stage.mail("labels/INBOX", &ada).await.ok();
    assert_eq!(inbox["messagesUnread"], 3);

    let profile = stage.mail("profile", &ada).await.ok();
    assert_eq!(profile["emailAddress"], "ada@example.com");
    assert_eq!(profile["messagesTotal"], 16);
    assert_eq!(profile["threadsTotal"], 13);
    assert!(profile["historyId"].is_string());
}

#[tokio::test]
async fn mailboxes_are_apart() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let grace = stage
        .tokens("grace@example.com", &[GMAIL_READ])
        .await
        .access;
    let of = async |token: &str| ids(&stage.mail("messages", token).await.ok(), "messages");
    let (ada, grace) = (of(&ada).await, of(&grace).await);
    assert_eq!(grace.len(), 4);
    assert!(grace.iter().all(|id| !ada.contains(id)));
}

#[tokio::test]
async fn a_deleted_message_is_gone() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let id = stage.message_id(0, "Lunch on Thursday?");
    stage
        .sandbox()
        .fault(Fault::DeleteMessage { id: id.clone() });
    let reply = stage.mail(&format!("messages/{id}"), &ada).await;
    assert_eq!(reply.status, 404);
    let error = &reply.json()["error"];
    assert_eq!(error["message"], "Requested entity was not found.");
    assert_eq!(error["status"], "NOT_FOUND");
    assert_eq!(error["errors"][0]["reason"], "notFound");
    stage.sandbox().reset();
    assert_eq!(stage.message_id(0, "Lunch on Thursday?"), id);
}

#[tokio::test]
async fn raw_messages_have_their_own_character_sets() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let raw = async |subject: &str| {
        let id = stage.message_id(0, subject);
        let message = stage
            .mail(&format!("messages/{id}?format=raw"), &ada)
            .await
            .ok();
        decode(&message["raw"])
    };
    let japanese = raw("会議の議事録").await;
    assert!(japanese.is_ascii());
    assert!(japanese.windows(3).any(|bytes| bytes == b"\x1b$B"));
    let german = raw("Grüße aus Köln").await;
    assert!(german.windows(4).any(|bytes| bytes == b"Gr\xfc\xdf"));
    let russian = raw("Протокол встречи в Санкт-Петербурге и приложения к нему").await;
    assert!(russian.is_ascii());
}

#[tokio::test]
async fn parts_are_numbered_and_decoded() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let get = async |subject: &str| {
        let id = stage.message_id(0, subject);
        stage.mail(&format!("messages/{id}"), &ada).await.ok()["payload"].clone()
    };
    let pictures = get("Pictures of the workshop").await;
    assert_eq!(pictures["mimeType"], "multipart/related");
    assert_eq!(pictures["body"], json!({"size": 0}));
    let html = &pictures["parts"][0]["parts"][1];
    assert_eq!(html["partId"], "0.1");
    let picture = &pictures["parts"][1];
    assert_eq!(picture["filename"], "workshop.png");
    assert!(
        picture["headers"]
            .to_string()
            .contains("<workshop@engine.example>")
    );
    assert!(picture["body"]["attachmentId"].is_string());
    assert_eq!(picture["body"].get("data"), None);

    // The text is UTF-8, but the header declares another charset.
    let minutes = get("会議の議事録").await;
    assert!(
        minutes["headers"]
            .to_string()
            .contains("charset=iso-2022-jp")
    );
    let text = String::from_utf8(decode(&minutes["body"]["data"])).unwrap();
    assert!(text.starts_with("エイダさん"));

    let invitation = get("Invitation: Engine demonstration @ Mon 11 May 2026").await;
    let object = &invitation["parts"][0]["parts"][2];
    assert_eq!(object["mimeType"], "text/calendar");
    assert!(decode(&object["body"]["data"]).starts_with(b"BEGIN:VCALENDAR"));

    let forwarded = get("Fwd: Offer for 200 gears").await;
    let attached = &forwarded["parts"][1];
    assert_eq!(attached["mimeType"], "message/rfc822");
    assert_eq!(attached["parts"][0]["partId"], "1.0");
    assert!(
        attached["parts"][0]["headers"]
            .to_string()
            .contains("Gear Works")
    );
}

#[tokio::test]
async fn attachments_have_their_bytes_under_ids_that_change() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let known = stage.message(0, "Quarterly report & figures");
    let id = known["id"].as_str().unwrap();
    let attachment = async || {
        let message = stage.mail(&format!("messages/{id}"), &ada).await.ok();
        let body = &message["payload"]["parts"][1]["body"];
        body["attachmentId"].as_str().unwrap().to_owned()
    };
    let (first, second) = (attachment().await, attachment().await);
    assert_ne!(first, second);
    assert!(first.len() > 200);
    for attachment in [&first, &second] {
        let got = stage
            .mail(&format!("messages/{id}/attachments/{attachment}"), &ada)
            .await
            .ok();
        assert_eq!(got["size"], 1_048_576);
        assert_eq!(got.as_object().unwrap().len(), 2);
        let digest = Sha256::digest(decode(&got["data"]));
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(known["attachments"][0]["sha256"], hex);
    }
    assert_eq!(
        known["attachments"][0]["filename"],
        "Bericht für Q1 – Übersicht.pdf"
    );

    let other = stage.message_id(0, "Pictures of the workshop");
    let path = format!("messages/{other}/attachments/{first}");
    assert_eq!(stage.mail(&path, &ada).await.status, 400);
    assert_eq!(
        stage
            .mail(&format!("messages/x/attachments/{first}"), &ada)
            .await
            .status,
        404
    );

    stage.sandbox().fault(Fault::StaleAttachments);
    let stale = stage
        .mail(&format!("messages/{id}/attachments/{first}"), &ada)
        .await;
    assert_eq!(stale.status, 400);
    assert_eq!(stale.json()["error"]["message"], "Invalid attachment token");
    let fresh = attachment().await;
    let path = format!("messages/{id}/attachments/{fresh}?fields=size");
    assert_eq!(
        stage.mail(&path, &ada).await.ok(),
        json!({"size": 1_048_576})
    );
}

#[tokio::test]
async fn an_attached_message_is_fetched_completely() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let id = stage.message_id(0, "Fwd: Offer for 200 gears");
    let message = stage.mail(&format!("messages/{id}"), &ada).await.ok();
    let body = &message["payload"]["parts"][1]["body"];
    let attachment = body["attachmentId"].as_str().unwrap();
    let got = stage
        .mail(&format!("messages/{id}/attachments/{attachment}"), &ada)
        .await
        .ok();
    assert_eq!(got["size"], body["size"]);
    let bytes = String::from_utf8(decode(&got["data"])).unwrap();
    assert!(
        bytes.contains("Subject: Offer for 200 gears\r\n"),
        "{bytes}"
    );
}
