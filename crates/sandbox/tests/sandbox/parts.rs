//! Parts of messages and their bytes.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use stead_sandbox::Fault;

use crate::client::{Stage, decode};

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

    // UTF-8 under a header that says otherwise.
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
async fn an_attached_message_is_fetched_as_a_whole() {
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
