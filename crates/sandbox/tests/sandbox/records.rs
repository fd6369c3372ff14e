//! Records that are added and deleted by hand, as the products show them.

use serde_json::{Value, json};

use crate::client::{GMAIL_READ, Reply, Stage};

const ADA: &str = "ada@example.com";

impl Stage {
    async fn change(&self, path: &str, body: &Value) -> Reply {
        let request = self.http.post(self.url(path)).body(body.to_string());
        self.send(request).await
    }

    /// Ids and first cells of a section.
    async fn section(&self, name: &str) -> Vec<(String, String)> {
        let path = format!("/sandbox/records?user={ADA}");
        let sections = self.send(self.http.get(self.url(&path))).await.json();
        let sections = sections.as_array().expect("a list");
        let section = sections
            .iter()
            .find(|one| one["name"] == name)
            .expect("the section");
        let records = section["records"].as_array().expect("records").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        records
            .map(|record| (text(&record["id"]), text(&record["cells"][0])))
            .collect()
    }
}

#[tokio::test]
async fn a_mail_that_is_added_comes_in_and_one_that_is_deleted_is_gone() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    let mail = json!({ "user": ADA, "section": "mails", "fields": {
        "from": "Mary <mary@example.com>", "subject": "Grüße\r\nBcc: eve@example.com", "text": "One\nTwo",
    } });
    let added = stage.change("/sandbox/records", &mail).await;
    assert_eq!(added.status, 204, "{}", added.text);
    let records = stage.section("mails").await;
    let (id, subject) = records
        .iter()
        .find(|(_, subject)| subject.starts_with("Grüße"))
        .unwrap();
    assert_eq!(subject, "Grüße  Bcc: eve@example.com");
    let found = stage
        .mail("messages?q=from:mary is:unread", &tokens.access)
        .await
        .json();
    assert!(
        found["messages"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["id"] == **id),
        "{found}"
    );
    let deleted = json!({ "user": ADA, "section": "mails", "id": id });
    let path = "/sandbox/records/delete";
    assert_eq!(stage.change(path, &deleted).await.status, 204);
    let gone = stage.mail(&format!("messages/{id}"), &tokens.access).await;
    assert_eq!(gone.status, 404);
    for (path, refused) in [
        (path, &deleted),
        (
            path,
            &json!({ "user": "eve@example.com", "section": "mails", "id": "1" }),
        ),
        (
            "/sandbox/records",
            &json!({ "user": ADA, "section": "events", "fields": { "summary": "x", "start": "soon" } }),
        ),
        (
            "/sandbox/records",
            &json!({ "user": ADA, "section": "table_rows", "fields": { "table": "x; DROP TABLE y", "values": "1" } }),
        ),
        ("/sandbox/records", &json!({ "user": ADA })),
    ] {
        let reply = stage.change(path, refused).await;
        assert_eq!(reply.status, 400, "{refused}");
        assert!(reply.json()["error"].is_string());
    }
}

#[tokio::test]
async fn a_user_does_not_delete_what_belongs_to_another() {
    let stage = Stage::new().await;
    for section in ["mails", "events", "files"] {
        let (id, _) = stage.section(section).await.remove(0);
        let other = json!({ "user": "eve@example.com", "section": section, "id": id });
        let refused = stage.change("/sandbox/records/delete", &other).await;
        assert_eq!(refused.status, 400, "{section}");
    }
}
