//! Permissions: the requested ones, the missing ones, and the error that leads to a missing one.

use serde_json::{Value, json};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Fault};

use crate::{
    browser::Browser,
    http_client::Reply,
    stage::{ADA, Stage},
    tampering::database,
};

const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
const CONTACTS: &str = "https://www.googleapis.com/auth/contacts.readonly";

/// Ada lets the application read her mails, and nothing else.
async fn mails_only() -> Stage {
    let stage = Stage::new().await;
    let link = stage.link("user-1").await;
    let mut browser = Browser::new();
    let product = browser.open(&link).await;
    browser
        .visit(&stage.consent(&product, ADA, &["openid", READONLY]))
        .await;
    stage
}

/// Follows a link of this request and allows everything.
async fn follow(stage: &Stage, request: &Value) {
    let made = stage.post("/v1/authorization-links", request).await.json();
    let link = made["link"].as_str().unwrap_or_else(|| panic!("{made}"));
    let done = Browser::new().connect(stage, link, ADA).await;
    assert_eq!(done.status, 200, "{}", done.text());
}

async fn contacts(stage: &Stage) -> Reply {
    stage
        .execute("mail_get_contacts", "user-1", json!({}))
        .await
}

/// How many authorizations the database holds.
async fn authorizations(stage: &Stage) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM \"authorization\"")
        .fetch_one(&mut database(stage).await)
        .await
        .unwrap()
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|text| text.as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_request_of_a_missing_scope_error_makes_both_tools_work() {
    let stage = mails_only().await;
    let before = authorizations(&stage).await;
    let reply = contacts(&stage).await;
    assert_eq!(reply.kind(), "scope_missing");
    let request = reply.json()["authorization_request"].take();
    assert_eq!(
        (&request["connection_name"], &request["identifier"]),
        (&json!("mail"), &json!("user-1"))
    );
    let scopes = texts(&request["scopes"]);
    assert!(
        scopes.contains(&READONLY) && scopes.contains(&CONTACTS),
        "{scopes:?}"
    );
    assert_eq!(
        authorizations(&stage).await,
        before,
        "the call makes no link"
    );

    follow(&stage, &request).await;
    assert_eq!(contacts(&stage).await.status, 200);
    assert_eq!(stage.drafts("user-1").await.status, 200);
    assert_eq!(stage.account("user-1").await["missing_scopes"], json!([]));
}

#[tokio::test]
async fn a_link_for_one_more_scope_keeps_those_that_were_granted() {
    let stage = mails_only().await;
    let more = json!({
        "connection_name": "mail", "identifier": "user-1", "scopes": ["contacts.readonly"],
    });
    follow(&stage, &more).await;
    assert_eq!(contacts(&stage).await.status, 200);
    assert_eq!(stage.drafts("user-1").await.status, 200);
}

/// Gmail rejects searches and bodies once `gmail.metadata` is granted, even if a wider scope is granted too.
#[tokio::test]
async fn the_link_of_an_error_drops_a_scope_that_blocks_the_tool() {
    const METADATA: &str = "https://www.googleapis.com/auth/gmail.metadata";
    let stage = Stage::new().await;
    let ask = |scopes: &[&str]| json!({ "connection_name": "mail", "identifier": "user-1", "scopes": scopes });
    let both = stage
        .post(
            "/v1/authorization-links",
            &ask(&["gmail.readonly", "gmail.metadata"]),
        )
        .await;
    assert_eq!(both.kind(), "invalid_request");
    assert!(
        both.text()
            .contains("gmail.metadata restricts what gmail.readonly allows")
    );

    follow(&stage, &ask(&["gmail.metadata"])).await;
    let account = stage.account("user-1").await;
    assert!(texts(&account["granted_scopes"]).contains(&METADATA));
    let mails = async |input| stage.execute("mail_fetch_mails", "user-1", input).await;
    let headers = mails(json!({})).await.json();
    assert_eq!(headers["warnings"][0]["code"], "headers_only", "{headers}");
    assert_eq!(
        headers["data"]["messages"][0]["readable"]["subject"]
            .as_str()
            .map(str::is_empty),
        Some(false)
    );

    let refused = mails(json!({ "query": "is:unread" })).await;
    assert_eq!(refused.kind(), "scope_missing");
    let request = refused.json()["authorization_request"].take();
    let scopes = texts(&request["scopes"]);
    assert!(
        scopes.contains(&READONLY) && !scopes.contains(&METADATA),
        "{scopes:?}"
    );
    follow(&stage, &request).await;
    assert_eq!(mails(json!({ "query": "is:unread" })).await.status, 200);
}

/// A browser that is signed in to several Google accounts offers them all.
#[tokio::test]
async fn authorizing_again_preselects_the_previous_account() {
    let stage = mails_only().await;
    let hint = async || {
        let link = stage.link("user-1").await;
        let product = Browser::new().open(&link).await;
        let hint = product
            .split('&')
            .find_map(|pair| pair.strip_prefix("login_hint="));
        hint.map(str::to_owned)
    };
    let subject = hint().await.expect("a hint");
    assert!(
        subject.bytes().all(|byte| byte.is_ascii_digit()),
        "whoever holds the link learns no address: {subject}"
    );
    let link = stage.link("user-2").await;
    let product = Browser::new().open(&link).await;
    assert!(!product.contains("login_hint"), "{product}");
}

#[tokio::test]
async fn a_scope_that_stead_does_not_know_can_be_asked_for() {
    const NEW: &str = "https://www.googleapis.com/auth/gmail.addons.current.message.readonly";
    let stage = Stage::new().await;
    let change = json!({ "settings": { "more_scopes": [NEW] } });
    let changed = stage.patch("/v1/connections/mail", &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let link = stage.link("user-1").await;
    let product = Browser::new().open(&link).await;
    let encoded = NEW.replace(':', "%3A").replace('/', "%2F");
    assert!(product.contains(&encoded), "{product}");
}

#[tokio::test]
async fn every_error_for_the_user_has_an_authorization_request() {
    let stage = mails_only().await;
    let never = stage.drafts("user-2").await.json();
    assert_eq!(never["kind"], "authorization_required");
    assert_eq!(never["authorization_request"]["identifier"], "user-2");
    assert!(texts(&never["authorization_request"]["scopes"]).contains(&READONLY));

    stage.fault(Fault::Revoke { user: None });
    assert_eq!(
        stage.drafts("user-1").await.kind(),
        "authorization_required"
    );
    let revoked = contacts(&stage).await.json();
    assert_eq!(revoked["kind"], "authorization_required");
    let scopes = texts(&revoked["authorization_request"]["scopes"]);
    assert!(
        scopes.contains(&READONLY) && scopes.contains(&CONTACTS),
        "{scopes:?}"
    );

    let raw = stage
        .get("/proxy/mail/user-1/gmail/v1/users/me/profile")
        .await
        .json();
    assert_eq!(raw["kind"], "authorization_required");
    follow(&stage, &raw["authorization_request"]).await;
    assert_eq!(contacts(&stage).await.status, 200);
}

#[tokio::test]
async fn a_raw_request_with_a_missing_scope_has_an_authorization_request() {
    let stage = mails_only().await;
    let mail = json!({
        "connection_name": "mail", "identifier": "user-1", "method": "POST",
        "path": "/gmail/v1/users/me/messages/send",
        "body": { "raw": "VG86IGFkYUBleGFtcGxlLmNvbQ0KU3ViamVjdDogSGkNCg0KSGVsbG8" },
    });
    let refused = stage.post("/v1/proxy", &mail).await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    let send = "https://www.googleapis.com/auth/gmail.send";
    let hint = refused.header("stead-hint");
    assert!(hint.starts_with("scope_missing; scopes=\""), "{hint}");
    assert!(hint.contains(send), "{hint}");
    // The connection doesn't request this scope, so a link wouldn't help.
    assert_eq!(refused.header("stead-authorization-request"), "");

    let permissions = json!({ "permissions": [READONLY, send] });
    let changed = stage.patch("/v1/connections/mail", &permissions).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let refused = stage.post("/v1/proxy", &mail).await;
    let request = refused.header("stead-authorization-request");
    let request: Value = serde_json::from_str(request).unwrap();
    assert!(texts(&request["scopes"]).contains(&send), "{request}");
    follow(&stage, &request).await;
    let sent = stage.post("/v1/proxy", &mail).await;
    assert_eq!(sent.status, 200, "{}", sent.text());
    assert_eq!(sent.header("stead-hint"), "");
    let tool = stage.execute("mail_send_mail", "user-1", json!({})).await;
    assert_eq!(tool.kind(), "unknown_tool");
    assert!(
        tool.text().contains("docs/build/raw-requests.md"),
        "{}",
        tool.text()
    );
}

#[tokio::test]
async fn the_client_reads_the_request_and_makes_the_link_of_it() {
    let stage = mails_only().await;
    let actions = stage.platform.actions();
    let error = actions
        .execute_tool("mail_get_contacts", "mail", "user-1", json!({}))
        .await
        .unwrap_err();
    let request = error.authorization_request().unwrap().clone();
    let link = actions
        .authorization_link_with(request.into())
        .await
        .unwrap();
    assert!(link.link.starts_with(&stage.url));
}

#[tokio::test]
async fn permissions_are_those_of_the_product_and_may_be_short() {
    let stage = Stage::new().await;
    let new = |name: &str, permissions: Value| {
        json!({
            "connection_name": name, "product": "mail", "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET, "permissions": permissions,
        })
    };
    for (permission, said) in [
        ("gmail.readonl", "did you mean gmail.readonly"),
        (
            "https://www.googleapis.com/auth/drive.readonly",
            "isn't a scope of mail",
        ),
    ] {
        let refused = stage
            .post("/v1/connections", &new("other", json!([permission])))
            .await;
        assert_eq!(refused.kind(), "invalid_request");
        assert_eq!(refused.json()["violations"][0]["path"], "/permissions/0");
        assert!(refused.text().contains(said), "{}", refused.text());
        let link = json!({
            "connection_name": "mail", "identifier": "user-1", "scopes": [permission],
        });
        let refused = stage.post("/v1/authorization-links", &link).await;
        assert_eq!(refused.json()["violations"][0]["path"], "/scopes/0");
        assert!(refused.text().contains(said), "{}", refused.text());
    }
    let short = json!(["gmail.readonly", "email", "profile"]);
    let made = stage
        .post("/v1/connections", &new("short", short))
        .await
        .json();
    assert_eq!(texts(&made["permissions"])[0], READONLY);

    let link = json!({ "connection_name": "short", "identifier": "user-1" });
    follow(&stage, &link).await;
    let account = stage.get("/v1/accounts/short/user-1").await.json();
    assert_eq!(account["missing_scopes"], json!([]), "{account}");
}

#[tokio::test]
async fn a_warehouse_connection_takes_and_shows_no_permissions() {
    let stage = Stage::new().await;
    let mut new = json!({
        "connection_name": "warehouse", "product": "warehouse", "permissions": ["read"],
        "settings": { "account": "myorg-account1" },
    });
    let refused = stage.post("/v1/connections", &new).await;
    assert_eq!(refused.kind(), "invalid_request");
    assert_eq!(refused.json()["violations"][0]["path"], "/permissions");
    // An empty list is accepted.
    new["permissions"] = json!([]);
    let made = stage.post("/v1/connections", &new).await;
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.json().get("permissions"), None);
}
