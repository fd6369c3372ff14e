//! Faults on demand, and records that are added and deleted by hand.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stead_sandbox::Fault;

use crate::client::{CONTACTS, GMAIL_READ, Reply, Stage, value};

const ADA: &str = "ada@example.com";

impl Stage {
    async fn add_faults(&self, body: &Value) -> Reply {
        let request = self
            .http
            .post(self.url("/sandbox/faults"))
            .body(body.to_string());
        self.send(request).await
    }
}

#[tokio::test]
async fn the_admin_route_reads_strictly() {
    let stage = Stage::new().await;
    for bad in [
        json!({"kind": "unknown"}),
        json!({"kind": "unauthorized", "time": 1}),
        json!({"kind": "delete_message", "id": "nothing"}),
        json!({"kind": "revoke", "user": "eve@example.com"}),
        json!("unauthorized"),
        json!([{"kind": "unauthorized"}, {"kind": "unknown"}]),
    ] {
        let reply = stage.add_faults(&bad).await;
        assert_eq!(reply.status, 400, "{bad}");
        assert!(reply.json()["error"].is_string());
    }
    let two = json!([
        {"kind": "unauthorized"},
        {"kind": "error", "status": 503, "reason": "backendError", "times": 2},
    ]);
    assert_eq!(stage.add_faults(&two).await.status, 204);
    let waiting = stage
        .send(stage.http.get(stage.url("/sandbox/faults")))
        .await;
    assert_eq!(waiting.json().as_array().unwrap().len(), 2);
    let reset = stage
        .send(stage.http.post(stage.url("/sandbox/reset")))
        .await;
    assert_eq!(reset.status, 204);
    let waiting = stage
        .send(stage.http.get(stage.url("/sandbox/faults")))
        .await;
    assert_eq!(waiting.json(), json!([]));
    let world = stage
        .send(stage.http.get(stage.url("/sandbox/world")))
        .await;
    assert_eq!(world.json(), stage.sandbox().world());
    let home = stage.send(stage.http.get(stage.url("/"))).await;
    assert!(home.text.contains("Stead sandbox"));
}

#[tokio::test]
async fn tokens_expire_and_permissions_end_on_demand() {
    let stage = Stage::new().await;
    let ada = stage.tokens(ADA, &[GMAIL_READ]).await;
    let grace = stage.tokens("grace@example.com", &[GMAIL_READ]).await;
    let user = Some(ADA.to_owned());
    stage
        .sandbox()
        .fault(Fault::ExpireAccessTokens { user: user.clone() });
    assert_eq!(stage.mail("profile", &ada.access).await.status, 401);
    assert_eq!(stage.mail("profile", &grace.access).await.status, 200);
    let renewed = stage.refresh(&ada.refresh).await.ok();
    let access = renewed["access_token"].as_str().unwrap();
    assert_eq!(stage.mail("profile", access).await.status, 200);
    stage.sandbox().fault(Fault::Revoke { user });
    assert_eq!(stage.mail("profile", access).await.status, 401);
    let refused = stage.refresh(&ada.refresh).await;
    assert_eq!(refused.status, 400);
    assert_eq!(
        refused.json(),
        json!({
            "error": "invalid_grant",
            "error_description": "Token has been expired or revoked.",
        })
    );
    assert_eq!(stage.refresh(&grace.refresh).await.status, 200);
}

#[tokio::test]
async fn one_consent_loses_a_scope() {
    let stage = Stage::new().await;
    stage.cause(json!({ "kind": "drop_scope", "scope": CONTACTS }));
    let tokens = stage.tokens(ADA, &[GMAIL_READ, CONTACTS]).await;
    assert_eq!(tokens.response["scope"], GMAIL_READ);
    let tokens = stage.tokens(ADA, &[GMAIL_READ, CONTACTS]).await;
    assert_eq!(tokens.response["scope"], format!("{CONTACTS} {GMAIL_READ}"));
    // The user consents to the dropped scope only, so no scope remains.
    stage.cause(json!({ "kind": "drop_scope", "scope": CONTACTS }));
    let response = [("user", ADA), ("action", "allow"), ("scope", "all")];
    let back = stage.consent(&[("scope", CONTACTS)], &response).await;
    assert_eq!(value(&back, "error"), "access_denied");
}

#[tokio::test]
async fn refusals_are_counted_down() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    stage.sandbox().fault(Fault::Unauthorized { times: 2 });
    for status in [401, 401, 200] {
        assert_eq!(stage.mail("profile", &ada).await.status, status);
    }
}

#[tokio::test]
async fn errors_have_the_products_shape() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let told = json!({
        "kind": "error",
        "status": 403,
        "reason": "userRateLimitExceeded",
        "message": "User-rate limit exceeded.  Retry after 2026-05-04T09:00:03.000Z",
        "retry_after": 3,
        "path_contains": "/messages",
    });
    assert_eq!(stage.add_faults(&told).await.status, 204);
    // The fault doesn't affect other paths.
    assert_eq!(stage.mail("profile", &ada).await.status, 200);
    let reply = stage.mail("messages", &ada).await;
    assert_eq!(reply.status, 403);
    assert_eq!(reply.header("retry-after"), "3");
    let error = &reply.json()["error"];
    assert_eq!(error["errors"][0]["reason"], "userRateLimitExceeded");
    assert_eq!(error["errors"][0]["domain"], "usageLimits");
    assert_eq!(stage.mail("messages", &ada).await.status, 200);

    let newer = json!({
        "kind": "error",
        "host": "people.googleapis.com",
        "status": 429,
        "reason": "RATE_LIMIT_EXCEEDED",
    });
    stage.add_faults(&newer).await;
    assert_eq!(stage.mail("messages", &ada).await.status, 200);
    let reply = stage
        .people("people/me/connections?personFields=names", &ada)
        .await;
    assert_eq!(reply.status, 429);
    let error = &reply.json()["error"];
    assert_eq!(error["status"], "RESOURCE_EXHAUSTED");
    assert_eq!(error["details"][0]["reason"], "RATE_LIMIT_EXCEEDED");
    assert_eq!(error.get("errors"), None);
}

#[tokio::test]
async fn the_token_endpoint_fails_on_demand() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    stage
        .cause(json!({ "kind": "token_error", "error": "temporarily_unavailable", "status": 503 }));
    let reply = stage.refresh(&tokens.refresh).await;
    assert_eq!(reply.status, 503);
    assert_eq!(reply.json()["error"], "temporarily_unavailable");
    assert_eq!(stage.refresh(&tokens.refresh).await.status, 200);
    assert_eq!(stage.sandbox().token_requests_of("refresh_token"), 2);
}

#[tokio::test]
async fn a_stalled_response_is_sent_after_a_reset() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    stage.cause(json!({ "kind": "stall" }));
    let url = stage.url("/gmail.googleapis.com/gmail/v1/users/me/profile");
    let request = stage.http.get(url).bearer_auth(&ada);
    let waiting = tokio::spawn(async move { request.send().await.unwrap().status() });
    while stage.sandbox().received().last().unwrap().host != "gmail.googleapis.com" {
        tokio::task::yield_now().await;
    }
    let last = stage.sandbox().received().pop().unwrap();
    assert_eq!(last.status, None);
    assert!(!waiting.is_finished());
    // Other requests get responses in the meantime.
    assert_eq!(stage.mail("profile", &ada).await.status, 200);
    stage.sandbox().reset();
    assert_eq!(waiting.await.unwrap(), 200);
}

#[tokio::test]
async fn a_response_breaks_off() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let cut = |path: &str| Fault::Cut {
        host: None,
        path_contains: Some(path.to_owned()),
        times: 1,
    };
    let report = stage.message_id(0, "Quarterly report & figures");
    for path in [
        "profile".to_owned(),
        format!("messages/{report}?format=raw"),
    ] {
        stage.sandbox().fault(cut(path.split('?').next().unwrap()));
        let url = stage.url(&format!("/gmail.googleapis.com/gmail/v1/users/me/{path}"));
        let response = stage.http.get(url).bearer_auth(&ada).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.headers().contains_key("content-length"));
        assert!(response.text().await.is_err(), "{path}");
        assert_eq!(stage.mail(&path, &ada).await.status, 200);
    }
}

#[tokio::test]
async fn a_connection_closes_without_a_response_though_the_work_is_done() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    let told = json!([
        {"kind": "rotation", "mode": "strict"},
        {"kind": "cut_before_answer", "host": "oauth2.googleapis.com"},
    ]);
    assert_eq!(stage.add_faults(&told).await.status, 204);
    let request = stage
        .http
        .post(stage.url("/oauth2.googleapis.com/token"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(crate::client::form(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", &tokens.refresh),
            ("client_id", stead_sandbox::CLIENT_ID),
            ("client_secret", stead_sandbox::CLIENT_SECRET),
        ]));
    assert!(request.send().await.is_err());
    let last = stage.sandbox().received().pop().unwrap();
    assert_eq!(
        (last.host.as_str(), last.status),
        ("oauth2.googleapis.com", None)
    );
    // The refresh token was used up nevertheless.
    assert_eq!(stage.refresh(&tokens.refresh).await.status, 400);
}

#[tokio::test]
async fn strange_responses() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let told = json!([
        {"kind": "redirect", "location": "http://127.0.0.1:1/steal"},
        {"kind": "huge_body", "bytes": 1_000_000},
        {"kind": "not_json"},
    ]);
    assert_eq!(stage.add_faults(&told).await.status, 204);
    let redirect = stage.mail("profile", &ada).await;
    assert_eq!(redirect.status, 302);
    assert_eq!(redirect.header("location"), "http://127.0.0.1:1/steal");
    let huge = stage.mail("profile", &ada).await;
    assert_eq!(huge.text.len(), 1_000_000);
    assert!(huge.json().is_string());
    let html = stage.mail("profile", &ada).await;
    assert_eq!(html.status, 200);
    assert!(html.header("content-type").starts_with("text/html"));
    assert_eq!(stage.mail("profile", &ada).await.status, 200);
}

#[tokio::test]
async fn responses_carry_extra_headers() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let headers = BTreeMap::from([
        ("set-cookie".to_owned(), "a=b".to_owned()),
        ("x-foo".to_owned(), "1".to_owned()),
        ("connection".to_owned(), "x-foo".to_owned()),
    ]);
    stage.sandbox().fault(Fault::RawHeaders {
        headers,
        host: None,
        path_contains: None,
        times: Some(1),
    });
    let first = stage.mail("profile", &ada).await;
    assert_eq!(first.header("set-cookie"), "a=b");
    assert_eq!(first.header("connection"), "x-foo");
    assert_eq!(stage.mail("profile", &ada).await.header("set-cookie"), "");
}

#[tokio::test]
async fn token_responses_wait_until_released() {
    let stage = Stage::new().await;
    let tokens = stage.tokens(ADA, &[GMAIL_READ]).await;
    stage.sandbox().fault(Fault::HoldTokenRequests);
    let calls = (0..20).map(|_| stage.refresh(&tokens.refresh));
    let release = async {
        while stage.sandbox().token_requests_of("refresh_token") < 20 {
            tokio::task::yield_now().await;
        }
        stage.sandbox().fault(Fault::ReleaseTokenRequests);
    };
    let all = futures_util::future::join(futures_util::future::join_all(calls), release);
    let (replies, ()) = all.await;
    assert!(replies.iter().all(|reply| reply.status == 200));
}

#[tokio::test]
async fn a_dropped_sandbox_is_gone() {
    let stage = Stage::new().await;
    let url = stage.url("/sandbox/world");
    assert_eq!(stage.send(stage.http.get(&url)).await.status, 200);
    let http = stage.http.clone();
    drop(stage);
    // The listener closes when its task ends. The task ends the next time that it runs.
    while http.get(&url).send().await.is_ok() {
        tokio::task::yield_now().await;
    }
}

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
async fn an_added_mail_is_listed_and_a_deleted_one_is_not() {
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
async fn a_user_cannot_delete_data_of_another() {
    let stage = Stage::new().await;
    for section in ["mails", "events", "files"] {
        let (id, _) = stage.section(section).await.remove(0);
        let other = json!({ "user": "eve@example.com", "section": section, "id": id });
        let refused = stage.change("/sandbox/records/delete", &other).await;
        assert_eq!(refused.status, 400, "{section}");
    }
}
