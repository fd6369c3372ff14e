//! The Gmail API's methods that write and send.

use base64::{Engine as _, engine::general_purpose::URL_SAFE};
use serde_json::{Value, json};

use crate::client::{GMAIL_READ, Reply, Stage, decode};

const ALL: &str = "https://mail.google.com/";
const MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
const SEND: &str = "https://www.googleapis.com/auth/gmail.send";
const BASE: &str = "/gmail.googleapis.com/gmail/v1/users/me/";

/// A sandbox with a token of Ada.
struct Mail {
    stage: Stage,
    token: String,
}

impl Mail {
    async fn of(scope: &str) -> Self {
        let stage = Stage::new().await;
        let token = stage.tokens("ada@example.com", &[scope]).await.access;
        Self { stage, token }
    }

    async fn get(&self, path: &str) -> Value {
        self.stage.mail(path, &self.token).await.ok()
    }

    async fn post(&self, path: &str, body: &Value) -> Reply {
        let path = format!("{BASE}{path}");
        self.stage.json("POST", &path, &self.token, body).await
    }

    async fn delete(&self, path: &str) -> Reply {
        let request = self
            .stage
            .http
            .delete(self.stage.url(&format!("{BASE}{path}")));
        self.stage.send(request.bearer_auth(&self.token)).await
    }

    /// Ids of the messages that a search finds.
    async fn found(&self, query: &str) -> Vec<String> {
        let list = self.get(&format!("messages?q={query}")).await;
        let ids = list["messages"].as_array().into_iter().flatten();
        ids.map(|one| one["id"].as_str().expect("an id").to_owned())
            .collect()
    }
}

fn raw(text: &str) -> Value {
    json!({"raw": URL_SAFE.encode(text)})
}

fn header<'a>(message: &'a Value, name: &str) -> &'a str {
    let headers = message["payload"]["headers"].as_array().expect("headers");
    let found = headers.iter().find(|header| header["name"] == name);
    found.map_or("", |header| header["value"].as_str().expect("text"))
}

const TEA: &str = "To: Grace <grace@example.com>, someone@else.example\nBcc: ada@example.com\n\
    Subject: =?UTF-8?Q?Tea_at_f=C3=BCnf?=\nContent-Type: text/plain; charset=utf-8\n\nBring the brass kettle.\n";

#[tokio::test]
async fn a_mail_that_was_sent_is_found_read_and_arrives() {
    let mail = Mail::of(MODIFY).await;
    let sent = mail.post("messages/send", &raw(TEA)).await.ok();
    assert_eq!(sent["labelIds"], json!(["UNREAD", "SENT", "INBOX"]));
    assert_eq!(sent["threadId"], sent["id"]);
    let id = sent["id"].as_str().unwrap();
    assert_eq!(mail.found("in:sent%20kettle").await, [id]);
    let message = mail.get(&format!("messages/{id}")).await;
    assert_eq!(header(&message, "Subject"), "Tea at fünf");
    assert_eq!(header(&message, "From"), "Ada Lovelace <ada@example.com>");
    assert_eq!(header(&message, "Date"), "Mon, 04 May 2026 09:00:00 +0000");
    assert_eq!(message["snippet"], "Bring the brass kettle.");
    let text = decode(&message["payload"]["body"]["data"]);
    assert_eq!(text, b"Bring the brass kettle.\r\n");
    let whole = mail.get(&format!("messages/{id}?format=raw")).await;
    let whole = String::from_utf8(decode(&whole["raw"])).unwrap();
    assert!(
        whole.contains("Bcc: ada@example.com\r\nSubject: =?UTF-8?Q?"),
        "{whole}"
    );
    // Grace gets a copy without the hidden recipients. The other recipient isn't a user of the
    // sandbox.
    let grace = mail
        .stage
        .tokens("grace@example.com", &[GMAIL_READ])
        .await
        .access;
    let list = mail.stage.mail("messages?q=kettle", &grace).await.ok();
    let id = list["messages"][0]["id"].as_str().unwrap();
    let copy = mail
        .stage
        .mail(&format!("messages/{id}"), &grace)
        .await
        .ok();
    assert_eq!(header(&copy, "Bcc"), "");
    assert_eq!(
        copy["labelIds"],
        json!(["UNREAD", "CATEGORY_PERSONAL", "INBOX"])
    );
    let world = mail.stage.sandbox().world();
    assert_eq!(world["users"][1]["messages"][0]["subject"], "Tea at fünf");
}

#[tokio::test]
async fn a_reply_joins_its_thread() {
    let mail = Mail::of(MODIFY).await;
    let lunch = mail.stage.message(0, "Lunch on Thursday?");
    let thread = &lunch["thread_id"];
    let reply = "To: grace@example.com\r\nSubject: Re: Lunch on Thursday?\r\n\
        In-Reply-To: <ada.lunch@mail.example.com>\r\n\r\nYes.";
    let sent = mail.post("messages/send", &raw(reply)).await.ok();
    assert_eq!(sent["threadId"], *thread);
    // To join a thread, a mail needs its `threadId`, a reference to one of its mails, and its
    // subject.
    let named = "In-Reply-To: <ada.lunch@mail.example.com>";
    for (headers, joins) in [
        ("X-Nothing: 1".to_owned(), false),
        (format!("{named}\r\nSubject: Tea"), false),
        (format!("{named}\r\nSubject: RE: lunch on Thursday?"), true),
    ] {
        let mut body = raw(&format!(
            "To: grace@example.com\r\n{headers}\r\n\r\nAnd tea."
        ));
        body["threadId"] = thread.clone();
        let sent = mail.post("messages/send", &body).await.ok();
        assert_eq!(sent["threadId"] == *thread, joins, "{headers}");
    }
    let path = format!("threads/{}?format=minimal", thread.as_str().unwrap());
    assert_eq!(
        mail.get(&path).await["messages"].as_array().unwrap().len(),
        4
    );
    let mut body = raw(reply);
    body["threadId"] = json!("none");
    assert_eq!(mail.post("messages/send", &body).await.status, 404);
}

#[tokio::test]
async fn attachments_that_were_sent_are_read() {
    let mail = Mail::of(MODIFY).await;
    let text = "To: ada@example.com\r\nMIME-Version: 1.0\r\nSubject: Plan\r\n\
        Content-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee there.\r\n\
        --b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n\
        Content-Disposition: attachment; filename=plan.pdf\r\n\r\nJVBERi0=\r\n--b--\r\n";
    // A simple upload of the mail's bytes.
    let path = "/gmail.googleapis.com/upload/gmail/v1/users/me/messages/send?uploadType=media";
    let request = mail
        .stage
        .http
        .post(mail.stage.url(path))
        .bearer_auth(&mail.token);
    let request = request.header("content-type", "message/rfc822").body(text);
    let sent = mail.stage.send(request).await.ok();
    let id = sent["id"].as_str().unwrap();
    assert_eq!(mail.found("filename:plan%20has:attachment").await, [id]);
    let message = mail.get(&format!("messages/{id}")).await;
    let part = &message["payload"]["parts"][1];
    assert_eq!(
        (&part["filename"], &part["body"]["size"]),
        (&json!("plan.pdf"), &json!(5))
    );
    let attachment = part["body"]["attachmentId"].as_str().unwrap();
    let got = mail
        .get(&format!("messages/{id}/attachments/{attachment}"))
        .await;
    assert_eq!(decode(&got["data"]), b"%PDF-");
    // A multipart upload, and an upload that isn't a mail.
    let text = text.replace(
        "Subject: Plan",
        &format!("Subject: Re: Plan\r\nIn-Reply-To: <CA{id}@mail.gmail.com>"),
    );
    let both = format!(
        "--x\r\nContent-Type: application/json\r\n\r\n{}\r\n--x\r\nContent-Type: message/rfc822\r\n\r\n{text}\r\n--x--",
        json!({"threadId": id})
    );
    let path = path.replace("media", "multipart");
    let request = mail
        .stage
        .http
        .post(mail.stage.url(&path))
        .bearer_auth(&mail.token);
    let request = request
        .header("content-type", "multipart/related; boundary=x")
        .body(both);
    assert_eq!(mail.stage.send(request).await.ok()["threadId"], id);
    let request = mail
        .stage
        .http
        .post(mail.stage.url(&path.replace("multipart", "media")));
    let request = request
        .bearer_auth(&mail.token)
        .header("content-type", "text/plain")
        .body("x");
    mail.stage
        .send(request)
        .await
        .refused(400, "badContent", "message/*");
}

#[tokio::test]
async fn a_draft_is_kept_changed_sent_and_thrown_away() {
    let mail = Mail::of(MODIFY).await;
    let draft = mail
        .post(
            "drafts",
            &json!({"message": raw("Subject: Plans\r\n\r\nOne")}),
        )
        .await
        .ok();
    assert_eq!(draft["message"]["labelIds"], json!(["DRAFT"]));
    let id = draft["id"].as_str().unwrap();
    assert_eq!(
        mail.get("drafts?q=subject:plans").await["drafts"][0]["id"],
        id
    );
    // A draft without a recipient can be saved, but not sent.
    let reply = mail.post("drafts/send", &json!({"id": id})).await;
    reply.refused(400, "badRequest", "Recipient address required");
    let path = format!("{BASE}drafts/{id}");
    let body = json!({"message": raw("To: grace@example.com\r\nSubject: Plans\r\n\r\nTwo")});
    let changed = mail.stage.json("PUT", &path, &mail.token, &body).await.ok();
    assert_eq!(changed["id"], id);
    assert_ne!(changed["message"]["id"], draft["message"]["id"]);
    let sent = mail.post("drafts/send", &json!({"id": id})).await.ok();
    assert_eq!(sent["labelIds"], json!(["SENT"]));
    assert_eq!(
        mail.stage
            .mail(&format!("drafts/{id}"), &mail.token)
            .await
            .status,
        404
    );
    assert_eq!(
        mail.found("subject:plans").await,
        [sent["id"].as_str().unwrap()]
    );
    let draft = mail
        .post("drafts", &json!({"message": raw("Subject: Gone\r\n\r\n")}))
        .await
        .ok();
    let path = format!("drafts/{}", draft["id"].as_str().unwrap());
    assert_eq!(mail.delete(&path).await.status, 204);
    assert_eq!(mail.delete(&path).await.status, 404);
    assert!(mail.found("subject:gone").await.is_empty());
}

#[tokio::test]
async fn labels_are_changed_and_messages_are_deleted() {
    let mail = Mail::of(MODIFY).await;
    let id = mail.stage.message_id(0, "Lunch on Thursday?");
    let path = format!("messages/{id}/modify");
    let body =
        json!({"addLabelIds": ["STARRED", "Label_1"], "removeLabelIds": ["UNREAD", "INBOX"]});
    let changed = mail.post(&path, &body).await.ok();
    let labels = changed["labelIds"].as_array().unwrap();
    assert!(
        labels.contains(&json!("Label_1")) && !labels.contains(&json!("INBOX")),
        "{changed}"
    );
    assert!(mail.found("label:engine%20is:starred").await.contains(&id));
    for (body, says) in [
        (json!({}), "No label"),
        (json!({"addLabelIds": ["NOPE"]}), "Invalid label: NOPE"),
        (json!({"addLabelIds": ["SENT"]}), "Invalid label: SENT"),
        (
            json!({"addLabelIds": ["SPAM"], "removeLabelIds": ["SPAM"]}),
            "both",
        ),
        (json!({"addLabelIds": "SPAM"}), "add"),
        (json!({"labels": []}), "Unknown name"),
    ] {
        mail.post(&path, &body)
            .await
            .refused(400, "badRequest", says);
    }
    let trashed = mail
        .post(&format!("messages/{id}/trash"), &json!({}))
        .await
        .ok();
    assert!(
        trashed["labelIds"]
            .as_array()
            .unwrap()
            .contains(&json!("TRASH"))
    );
    assert!(!mail.found("harbour").await.contains(&id));
    mail.post(&format!("messages/{id}/untrash"), &json!({}))
        .await
        .ok();
    assert!(mail.found("harbour").await.contains(&id));
    // Deleting permanently needs the full scope.
    let path = format!("messages/{id}");
    mail.delete(&path)
        .await
        .refused(403, "insufficientPermissions", "scopes");
    let all = Mail::of(ALL).await;
    assert_eq!(all.delete(&path).await.status, 204);
    assert_eq!(all.delete(&path).await.status, 404);
}

#[tokio::test]
async fn invalid_mails_are_refused() {
    let mail = Mail::of(SEND).await;
    for (body, says) in [
        (json!({}), "'raw' RFC822 payload"),
        (json!({"raw": "***"}), "Base64"),
        (json!({"raw": 1}), "message.raw"),
        (json!({"text": "x"}), "Unknown name \"text\""),
        (
            raw("Subject: to no one\r\n\r\n"),
            "Recipient address required",
        ),
        (raw("To: nowhere\r\n\r\n"), "Invalid To header"),
    ] {
        let reply = mail.post("messages/send", &body).await;
        reply.refused(400, "badRequest", says);
    }
    assert_eq!(mail.post("messages/send", &raw(TEA)).await.status, 200);
    for path in ["drafts", "drafts/send", "messages/x/modify"] {
        let reply = mail.post(path, &json!({})).await;
        reply.refused(403, "insufficientPermissions", "scopes");
    }
    let path = "/gmail.googleapis.com/gmail/v1/users/grace@example.com/messages/send";
    let other = mail.stage.json("POST", path, &mail.token, &raw(TEA)).await;
    other.refused(403, "forbidden", "Delegation denied");
}

#[tokio::test]
async fn labels_are_made_changed_and_deleted() {
    let mail = Mail::of(MODIFY).await;
    let made = mail
        .post(
            "labels",
            &json!({"name": "Tea", "color": {"textColor": "#000000"}}),
        )
        .await
        .ok();
    assert_eq!(made["type"], "user");
    let path = format!("{BASE}labels/{}", made["id"].as_str().unwrap());
    let send = async |verb: &str, path: &str, body: Value| {
        mail.stage.json(verb, path, &mail.token, &body).await
    };
    let changed = send("PATCH", &path, json!({"name": "Cake"})).await.ok();
    assert_eq!(
        (&changed["name"], &changed["color"]["textColor"]),
        (&json!("Cake"), &json!("#000000"))
    );
    let replaced = send("PUT", &path, json!({"name": "Pie"})).await.ok();
    assert_eq!(
        (&replaced["id"], replaced.get("color")),
        (&made["id"], None)
    );
    assert_eq!(send("GET", &path, json!({})).await.status, 400);
    assert_eq!(
        mail.get("labels").await["labels"].as_array().unwrap().len(),
        17
    );
    for (verb, id, body, status, says) in [
        ("POST", "", json!({}), 400, "name"),
        ("POST", "", json!({"name": 1}), 400, "label.name"),
        ("POST", "", json!({"title": "x"}), 400, "Cannot find field"),
        ("POST", "", json!({"name": "engine"}), 409, "conflicts"),
        ("PATCH", "/INBOX", json!({"name": "x"}), 400, "Invalid"),
        ("DELETE", "/none", json!({}), 404, "not found"),
    ] {
        let reply = send(verb, &format!("{BASE}labels{id}"), body).await;
        assert_eq!(reply.status, status, "{}", reply.text);
        assert!(reply.text.contains(says), "{}", reply.text);
    }
    assert_eq!(send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(
        mail.get("labels").await["labels"].as_array().unwrap().len(),
        16
    );
    let own = mail.get("settings/sendAs").await;
    assert_eq!(own["sendAs"][0]["sendAsEmail"], "ada@example.com");
    let signature = "<div dir=\"ltr\">Ada Lovelace</div>";
    assert_eq!(own["sendAs"][0]["signature"], signature);
}

#[tokio::test]
async fn filters_are_stored_and_not_applied() {
    let mail = Mail::of("https://www.googleapis.com/auth/gmail.settings.basic").await;
    let filter =
        json!({"criteria": {"from": "news@example.com"}, "action": {"addLabelIds": ["TRASH"]}});
    let made = mail.post("settings/filters", &filter).await.ok();
    assert_eq!(made["criteria"], filter["criteria"]);
    let path = format!("settings/filters/{}", made["id"].as_str().expect("an id"));
    assert_eq!(
        mail.get("settings/filters").await,
        json!({"filter": [made]})
    );
    assert_eq!(mail.get(&path).await, made);
    assert_eq!(mail.delete(&path).await.status, 204);
    assert_eq!(mail.get("settings/filters").await, json!({"filter": []}));
    let half = json!({"criteria": {"from": "news@example.com"}});
    assert_eq!(mail.post("settings/filters", &half).await.status, 400);
}
