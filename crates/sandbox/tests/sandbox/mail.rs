//! Gmail's methods.

use serde_json::{Value, json};
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
    for (path, token, status) in [
        (
            format!("messages?maxResults=2&q=in:inbox&pageToken={next}"),
            &ada,
            200,
        ),
        (
            format!("messages?maxResults=9&q=in:inbox&pageToken={next}"),
            &ada,
            200,
        ),
        (
            format!("messages?maxResults=2&q=in:sent&pageToken={next}"),
            &ada,
            400,
        ),
        (format!("messages?maxResults=2&pageToken={next}"), &ada, 400),
        (
            format!("threads?maxResults=2&q=in:inbox&pageToken={next}"),
            &ada,
            400,
        ),
        (
            format!("messages?maxResults=2&q=in:inbox&pageToken={next}"),
            &grace,
            400,
        ),
    ] {
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
