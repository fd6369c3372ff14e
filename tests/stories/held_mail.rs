//! A mail waits for a person's approval. The person sees the mail as Stead will send it. Then it's
//! sent once.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use stead::{
    Stead,
    resource::{ApprovalDecision, Policy},
};
use stead_core::resource::{ApproveCall, ReadApproval, SetPolicy};

use crate::stage::{ADA, Setting, Stage};

#[tokio::test]
async fn an_approver_sees_the_mail_that_is_sent() {
    let stage = Stage::set(Setting::default()).await;
    let permissions = json!({ "permissions": ["read", "send"] });
    let changed = stage.patch("/v1/connections/mail", &permissions).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    stage.connect("u1", ADA).await;
    let owner: Stead = stage.platform.clone().into();
    let policy: Policy = serde_json::from_value(json!({
        "name": "hold", "environment": true, "requires_approval": { "tools": ["mail_reply_*"] },
    }))
    .unwrap();
    owner.send(SetPolicy::from(policy)).await.unwrap();

    let found = stage
        .execute(
            "mail_fetch_mails",
            "u1",
            json!({ "query": "subject:lunch from:grace" }),
        )
        .await;
    let mail = &found.json()["data"]["messages"][0]["message"]["id"];
    let input = json!({ "message_id": mail, "body": "Yes, gladly.\n\nAda" });
    let reply = || stage.execute("mail_reply_to_message", "u1", input.clone());
    let asked = reply().await;
    assert_eq!(asked.status, 409, "{}", asked.text());
    let id = asked.json()["context"]["approval_id"]
        .as_str()
        .unwrap()
        .to_owned();

    let approval = owner.send(ReadApproval::new(&id)).await.unwrap();
    let preview = approval.preview.unwrap();
    let fields: Vec<(&str, &str)> = preview
        .fields
        .iter()
        .map(|field| (field.name.as_str(), field.value.as_str()))
        .collect();
    let expected = [
        ("To", "Grace Hopper <grace@example.com>"),
        ("Subject", "Re: Lunch on Thursday?"),
    ];
    assert_eq!(fields, expected);
    assert!(
        preview.text.starts_with("Yes, gladly.\n\nAda\n\nOn "),
        "{}",
        preview.text
    );
    assert!(
        preview.text.contains("> shall we have lunch"),
        "{}",
        preview.text
    );
    let decision = ApprovalDecision::because("the user asked for it");
    owner.send(ApproveCall::new(&id, decision)).await.unwrap();

    let sent = reply().await;
    assert_eq!(sent.status, 200, "{}", sent.text());
    // Gmail adds headers. All other bytes are those that the person saw.
    let approved: Value = serde_json::from_str(&approval.request.unwrap().body.unwrap()).unwrap();
    let approved = URL_SAFE_NO_PAD
        .decode(approved["raw"].as_str().unwrap())
        .unwrap();
    let read = json!({ "message_id": sent.json()["data"]["id"], "format": "raw" });
    let read = stage
        .execute("mail_get_message_by_id", "u1", read)
        .await
        .json();
    let received = read["data"]["raw"].as_str().unwrap().trim_end_matches('=');
    let received = URL_SAFE_NO_PAD.decode(received).unwrap();
    assert!(
        received.ends_with(&approved),
        "{}",
        String::from_utf8_lossy(&received)
    );

    let again = reply().await;
    assert_eq!(again.status, 409, "it's sent once");
    assert_ne!(again.json()["context"]["approval_id"], json!(id));
}
