//! Several requests in one.

use serde_json::{Value, json};

use crate::client::{Reply, Stage};

/// A response within a batch's response.
#[derive(Debug)]
struct Inner {
    id: String,
    status: u16,
    body: Value,
}

/// Sends a batch of these requests, with ids from 1 on.
async fn send(stage: &Stage, path: &str, token: &str, requests: &[&str]) -> Reply {
    let mut body = String::new();
    for (place, request) in (1..).zip(requests) {
        body.push_str(&format!(
            "--b\r\nContent-Type: application/http\r\nContent-ID: <x + {place}>\r\n\r\n{request}\r\n"
        ));
    }
    body.push_str("--b--\r\n");
    let request = stage
        .http
        .post(stage.url(path))
        .bearer_auth(token)
        .header("content-type", "multipart/mixed; boundary=b")
        .body(body);
    stage.send(request).await
}

fn read(reply: &Reply) -> Vec<Inner> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let kind = reply.header("content-type");
    let boundary = kind.strip_prefix("multipart/mixed; boundary=").expect(kind);
    let delimiter = format!("--{boundary}");
    let parts = reply.text.split(&delimiter).skip(1);
    let parts = parts.take_while(|part| !part.starts_with("--"));
    let read = parts.map(|part| {
        let mut pieces = part.splitn(3, "\r\n\r\n");
        let (outer, head) = (
            pieces.next().expect("headers"),
            pieces.next().expect("a response"),
        );
        assert!(outer.contains("Content-Type: application/http"), "{outer}");
        let id = outer.split("Content-ID: ").nth(1).unwrap_or_default();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        let body = pieces.next().unwrap_or_default().trim();
        Inner {
            id: id.trim().to_owned(),
            status,
            body: serde_json::from_str(body).unwrap_or_default(),
        }
    });
    read.collect()
}

const GMAIL: &str = "/gmail.googleapis.com/batch/gmail/v1";

#[tokio::test]
async fn each_part_gets_its_own_response() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let id = stage.message_id(0, "Note G");
    let one = format!(
        "GET /gmail/v1/users/me/messages/{id}?format=minimal HTTP/1.1\r\nAccept: application/json\r\n"
    );
    let requests = [
        one.as_str(),
        "GET /gmail/v1/users/me/profile",
        "GET /gmail/v1/users/me/messages/none\r\nHost: gmail.googleapis.com\r\ncontent-length: 0\r\n\r\n",
        "GET /gmail/v1/users/me/messages?colour=red",
        "DELETE /gmail/v1/users/me/profile HTTP/1.1\r\n\r\n",
        "GET /drive/v3/files",
        "GET /gmail/v1/users/me/messages?alt=media",
        "POST /upload/gmail/v1/users/me/messages/send?uploadType=media",
        "not a request",
        "GET /gmail/v1/users/me/profile\r\nAuthorization: Bearer made-up\r\n",
    ];
    let read = read(&send(&stage, GMAIL, &ada, &requests).await);
    let statuses: Vec<u16> = read.iter().map(|part| part.status).collect();
    assert_eq!(statuses, [200, 200, 404, 400, 405, 404, 400, 400, 400, 401]);
    assert_eq!(read[0].id, "<response-x + 1>");
    assert_eq!(read[9].id, "<response-x + 10>");
    assert_eq!(read[0].body["id"], id);
    assert_eq!(read[1].body["emailAddress"], "ada@example.com");
    assert_eq!(read[2].body["error"]["status"], "NOT_FOUND");
}

#[tokio::test]
async fn a_batch_changes_what_its_parts_change() {
    let stage = Stage::new().await;
    let scope = "https://www.googleapis.com/auth/calendar.events";
    let ada = stage.tokens("ada@example.com", &[scope]).await.access;
    let event = json!({
        "summary": "Tea",
        "start": {"dateTime": "2026-05-06T15:00:00Z"},
        "end": {"dateTime": "2026-05-06T15:30:00Z"},
    });
    let insert = format!(
        "POST /calendar/v3/calendars/primary/events HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{event}",
        event.to_string().len()
    );
    let list = "GET /calendar/v3/calendars/primary/events?q=Tea&fields=items(id,summary)";
    let path = "/www.googleapis.com/batch/calendar/v3";
    let read = read(&send(&stage, path, &ada, &[&insert, list]).await);
    assert_eq!(read[0].body["summary"], "Tea");
    assert_eq!(
        read[1].body["items"][0],
        json!({"id": read[0].body["id"], "summary": "Tea"})
    );
}

#[tokio::test]
async fn parameters_of_the_batch_count_for_its_parts() {
    let stage = Stage::new().await;
    let scope = "https://www.googleapis.com/auth/drive";
    let ada = stage.tokens("ada@example.com", &[scope]).await.access;
    let path = "/www.googleapis.com/batch/drive/v3?fields=kind";
    let requests = [
        "GET /www.googleapis.com/drive/v3/files",
        "GET /drive/v3/files?fields=incompleteSearch",
    ];
    let read = read(&send(&stage, path, &ada, &requests).await);
    assert_eq!(read[0].body, json!({"kind": "drive#fileList"}));
    assert_eq!(read[1].body, json!({"incompleteSearch": false}));
}

#[tokio::test]
async fn an_invalid_batch_is_refused() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let profile = "GET /gmail/v1/users/me/profile";
    assert_eq!(
        read(&send(&stage, GMAIL, &ada, &[profile; 100]).await).len(),
        100
    );
    let many = send(&stage, GMAIL, &ada, &[profile; 101]).await;
    many.refused(400, "badRequest", "limit of 100");
    let none = send(&stage, GMAIL, &ada, &[]).await;
    none.refused(400, "badRequest", "batch request");
    let json = stage.json("POST", GMAIL, &ada, &json!({})).await;
    json.refused(400, "badRequest", "multipart/mixed");
    // Without a valid token, the batch is accepted but each part is rejected.
    let outer = send(&stage, "/gmail.googleapis.com/batch", "made-up", &[profile]).await;
    assert_eq!(read(&outer)[0].status, 401);
    for path in [
        "/www.googleapis.com/batch",
        "/gmail.googleapis.com/batch/drive/v3",
    ] {
        assert_eq!(
            send(&stage, path, &ada, &[profile]).await.status,
            404,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_long_get_may_be_sent_as_a_post() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let send = async |verb: &str, body: &str| {
        let path = "/gmail.googleapis.com/gmail/v1/users/me/messages";
        let request = stage
            .http
            .post(stage.url(path))
            .bearer_auth(&ada)
            .header("x-http-method-override", verb)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.to_owned());
        stage.send(request).await
    };
    let query = format!(
        "q=subject%3Agears&quotaUser=u&maxResults=1{}",
        "&labelIds=INBOX".repeat(300)
    );
    let list = send("GET", &query).await.ok();
    assert_eq!(list["resultSizeEstimate"], 1);
    send("GET", "q=a&colour=red")
        .await
        .refused(400, "badRequest", "Cannot bind query parameter");
    assert_eq!(send("DELETE", "").await.status, 405);
}
