//! The settings, as members use them in a browser.

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::json;
use stead::core::resource::{MemberChange, NewAppCredential, NewMember, NewWebhook, Role};
use url::form_urlencoded;

use crate::{
    dashboard::session::session_of,
    testing::{TestResponse, TestService, json_response},
};

const MARKUP: &str = "<i>\"'&";
const AS_TEXT: &str = "&lt;i&gt;&quot;&#x27;&amp;";
const CREDENTIALS: &str = "/dashboard/settings/credentials";
const MEMBERS: &str = "/dashboard/settings/members";
const WEBHOOKS: &str = "/dashboard/settings/webhooks";
const KEYS: &str = "/dashboard/settings/keys";

/// A member's browser.
struct Browser<'a> {
    service: &'a TestService,
    cookie: String,
    csrf: String,
}

impl<'a> Browser<'a> {
    async fn of(service: &'a TestService, role: Role) -> Self {
        let (id, csrf) = session_of(service.platform.environment(), role).await;
        Self {
            service,
            cookie: format!("stead={id}"),
            csrf,
        }
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.service.browse("GET", path, Some(&self.cookie)).await
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let body = form_urlencoded::Serializer::new(String::new())
            .append_pair("csrf", &self.csrf)
            .extend_pairs(fields)
            .finish();
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .header(header::COOKIE, &self.cookie);
        self.service
            .send(request.body(Body::from(body)).unwrap())
            .await
    }

    /// Sends a form that is taken, and opens the page to which it leads, which says so.
    async fn done(&self, path: &str, fields: &[(&str, &str)], said: &str) -> TestResponse {
        let sent = self.post(path, fields).await;
        assert_eq!(
            sent.status,
            StatusCode::SEE_OTHER,
            "{path}: {}",
            sent.text()
        );
        let page = self.get(sent.header("location")).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.text());
        page.assert_contains(said);
        page
    }
}

/// A text of a page as it was before it was escaped.
fn plain(text: &str) -> String {
    text.replace("&#x2f;", "/").replace("&amp;", "&")
}

/// What stands between two texts.
fn between(page: &TestResponse, before: &str, after: &str) -> String {
    let text = plain(page.text());
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("{before}: {text}"));
    rest.split_once(after).unwrap().0.to_owned()
}

#[tokio::test]
async fn a_credential_is_made_shown_once_changed_rotated_and_revoked() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let browser = Browser::of(&service, Role::Owner).await;
    let form = browser.get("/dashboard/settings/credentials/new").await;
    form.assert_contains("tools:execute:mail");
    let fields = [
        ("name", "billing"),
        ("scopes", "tools:execute:mail"),
        ("scopes", "accounts:read"),
        ("connections", "mail"),
        ("rate_per_minute", "60"),
        ("expires_in", "2592000"),
    ];
    let made = browser.post(CREDENTIALS, &fields).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text());
    assert_eq!(made.header("cache-control"), "no-store");
    let secret = between(&made, "data-copy=\"stead_secret_", "\"");
    let id = between(&made, "data-copy=\"app_", "\"");
    let environment = service.platform.environment();
    let credential = environment
        .app_credential(&format!("app_{id}"))
        .await
        .unwrap();
    assert_eq!(
        credential.scopes.words(),
        ["tools:execute:mail", "accounts:read"]
    );
    assert_eq!(
        credential.connections.as_deref(),
        Some(&[String::from("mail")][..])
    );
    assert_eq!(credential.rate_per_minute, Some(60));
    assert!(credential.expires_at.is_some());
    let issued = environment
        .issue_access_token(
            &credential.client_id,
            &format!("stead_secret_{secret}"),
            None,
        )
        .await;
    assert!(issued.is_ok());

    let own = format!("{CREDENTIALS}/{}", credential.client_id);
    for path in [CREDENTIALS, &own, &format!("{own}/change")] {
        let page = browser.get(path).await;
        page.assert_contains("billing");
        assert!(!page.text().contains(&secret), "{path}");
    }
    let change = [("name", MARKUP), ("scopes", "events:read")];
    let page = browser
        .done(
            &format!("{own}/change"),
            &change,
            "The credential was changed",
        )
        .await;
    page.assert_contains(AS_TEXT);
    assert!(!page.text().contains(MARKUP));
    let changed = environment
        .app_credential(&credential.client_id)
        .await
        .unwrap();
    assert_eq!((changed.connections, changed.rate_per_minute), (None, None));

    let rotate = format!("{own}/rotate");
    let rotated = browser.post(&rotate, &[("old_expires_in", "3600")]).await;
    let newer = between(&rotated, "data-copy=\"stead_secret_", "\"");
    assert_ne!(newer, secret);
    let again = browser.post(&rotate, &[("old_expires_in", "3600")]).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    again.assert_contains("the credential has two secrets");
    let old = &credential.secrets[0].secret_id;
    let revoke = format!("{own}/secrets/{old}/revoke");
    browser
        .get(&revoke)
        .await
        .assert_contains("Revoke the secret");
    browser.done(&revoke, &[], "The secret was revoked").await;
    let revoke = format!("{own}/revoke");
    browser
        .get(&revoke)
        .await
        .assert_contains("This cannot be undone.");
    browser
        .done(&revoke, &[], "The credential was revoked")
        .await;
    assert_eq!(browser.get(&own).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_was_typed_stays_and_each_field_says_what_is_wrong() {
    let service = TestService::new().await;
    let browser = Browser::of(&service, Role::Owner).await;
    let fields = [
        ("name", MARKUP),
        ("scopes", "accounts:manage"),
        ("rate_per_minute", "many"),
    ];
    let refused = browser.post(CREDENTIALS, &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("Correct the fields that are marked.");
    refused.assert_contains("Give a whole number.");
    refused.assert_contains(&format!("value=\"{AS_TEXT}\""));
    refused.assert_contains("value=\"accounts:manage\" checked");
    assert!(!refused.text().contains("value=\"tools:execute\" checked"));
    let nothing = browser.post(CREDENTIALS, &[("name", "x")]).await;
    nothing.assert_contains("give at least one scope");
    let fields = [("email", "ada"), ("name", MARKUP), ("role", "owner")];
    let refused = browser.post(MEMBERS, &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("expected an e-mail address");
    refused.assert_contains(AS_TEXT);
    refused.assert_contains("value=\"owner\" selected");
    let fields = [
        ("url", "http://127.0.0.1/<i>"),
        ("types", "acount.activated"),
    ];
    let refused = browser.post(WEBHOOKS, &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("plain http is for hosts that the operator names");
    assert!(!refused.text().contains("<i>"));
}

#[tokio::test]
async fn a_member_is_invited_changed_kept_out_reset_and_deleted() {
    let service = TestService::new().await;
    let browser = Browser::of(&service, Role::Owner).await;
    let environment = service.platform.environment();
    let fields = [
        ("email", "bob@example.com"),
        ("name", MARKUP),
        ("role", "operator"),
    ];
    let invited = browser.post(MEMBERS, &fields).await;
    let link = between(&invited, "data-copy=\"http://127.0.0.1", "\"");
    service
        .visit(&link)
        .await
        .assert_contains("bob@example.com");
    let twice = browser.post(MEMBERS, &fields).await;
    assert_eq!(twice.status, StatusCode::CONFLICT);
    twice.assert_contains("there is a member with this e-mail address");
    let members = environment.members(None, 50).await.unwrap().items;
    let bob = members
        .iter()
        .find(|one| one.email == "bob@example.com")
        .unwrap();
    let own = format!("{MEMBERS}/{}", bob.member_id);
    for path in [MEMBERS, &own] {
        let page = browser.get(path).await;
        page.assert_contains(AS_TEXT);
        assert!(!page.text().contains(MARKUP), "{path}");
        assert!(!plain(page.text()).contains(&link), "{path}");
    }
    let change = [("name", "Bob"), ("role", "viewer")];
    browser
        .done(&format!("{own}/change"), &change, "The member was changed")
        .await;
    browser
        .done(&format!("{own}/disable"), &[], "The member is kept out")
        .await;
    let reset = browser.post(&format!("{own}/reset"), &[]).await;
    assert_eq!(reset.status, StatusCode::CONFLICT);
    reset.assert_contains("the member is disabled");
    browser
        .done(&format!("{own}/enable"), &[], "may sign in again")
        .await;
    let reset = browser.post(&format!("{own}/reset"), &[]).await;
    assert_ne!(between(&reset, "data-copy=\"http://127.0.0.1", "\""), link);
    browser
        .done(&format!("{own}/delete"), &[], "The member was deleted")
        .await;
    assert_eq!(browser.get(&own).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_last_owner_stays_an_owner() {
    let service = TestService::new().await;
    let browser = Browser::of(&service, Role::Owner).await;
    let members = service
        .platform
        .environment()
        .members(None, 50)
        .await
        .unwrap();
    let own = format!("{MEMBERS}/{}", members.items[0].member_id);
    for (verb, fields) in [
        ("change", &[("role", "viewer")][..]),
        ("disable", &[]),
        ("delete", &[]),
    ] {
        let refused = browser.post(&format!("{own}/{verb}"), fields).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{verb}");
        refused.assert_contains("this is the last active owner");
    }
    browser.get(&own).await.assert_contains("This is you.");
}

#[tokio::test]
async fn what_cannot_be_undone_asks_for_the_password_again() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let owner = Browser::of(&service, Role::Owner).await;
    let new = NewAppCredential::new("old").scopes(["events:read"]);
    let credential = environment
        .create_app_credential(new)
        .await
        .unwrap()
        .credential;
    let webhook = NewWebhook::new("https://app.example.com/hooks");
    let webhook = environment.create_webhook(webhook).await.unwrap().webhook;
    let bob = NewMember::new("bob@example.com", Role::Viewer);
    let bob = environment.invite_member(bob).await.unwrap().member;
    let key = environment.keys(false).await.unwrap().data_keys.remove(0);
    let paths = [
        format!("{CREDENTIALS}/{}/revoke", credential.client_id),
        format!(
            "{CREDENTIALS}/{}/secrets/{}/revoke",
            credential.client_id, credential.secrets[0].secret_id
        ),
        format!("{WEBHOOKS}/{}/delete", webhook.id),
        format!("{WEBHOOKS}/{}/rotate-secret", webhook.id),
        format!("{MEMBERS}/{}/delete", bob.member_id),
        format!("{MEMBERS}/{}/reset", bob.member_id),
        format!("{KEYS}/{}/retire", key.key_id),
    ];
    service.pass(std::time::Duration::from_secs(660));
    for path in paths {
        let sent = owner.post(&path, &[]).await;
        assert_eq!(sent.status, StatusCode::SEE_OTHER, "{path}");
        let to = sent.header("location");
        assert!(to.starts_with("/dashboard/confirm?next="), "{path}: {to}");
    }
    assert!(
        environment
            .app_credential(&credential.client_id)
            .await
            .is_ok()
    );
    assert!(environment.member(&bob.member_id.to_string()).await.is_ok());
}

#[tokio::test]
async fn a_webhook_is_made_tested_paused_replayed_and_deleted() {
    let service = TestService::with_products(|_| {
        let mut response = json_response(&json!(MARKUP));
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response
    })
    .await;
    let browser = Browser::of(&service, Role::Operator).await;
    let fields = [
        ("url", "https://app.example.com/hooks?a=<i>"),
        ("groups", "account.*"),
        ("types", "connection.created, connection.deleted"),
        ("description", MARKUP),
    ];
    let made = browser.post(WEBHOOKS, &fields).await;
    let secret = between(&made, "data-copy=\"whsec_", "\"");
    let environment = service.platform.environment();
    let webhook = environment
        .webhooks(None, 50)
        .await
        .unwrap()
        .items
        .remove(0);
    assert_eq!(
        webhook.events,
        ["account.*", "connection.created", "connection.deleted"]
    );
    let own = format!("{WEBHOOKS}/{}", webhook.id);
    let tested = browser
        .done(&format!("{own}/test"), &[], "A test event was sent")
        .await;
    tested.assert_contains("webhook.test");
    tested.assert_contains("status 503");
    for (path, shows) in [
        (WEBHOOKS.to_owned(), AS_TEXT),
        (own.clone(), AS_TEXT),
        (format!("{own}?state=failed"), "webhook.test"),
        (
            format!("{own}?state=waiting"),
            "No delivery here fits the filter",
        ),
        (format!("{own}/change"), "value=\"account.*\" checked"),
    ] {
        let page = browser.get(&path).await;
        page.assert_contains(shows);
        assert!(!page.text().contains("<i>"), "{path}");
        assert!(!page.text().contains(&secret), "{path}");
    }
    let change = [("url", "https://app.example.com/other")];
    let page = browser
        .done(&format!("{own}/change"), &change, "The webhook was changed")
        .await;
    page.assert_contains("<dt>Events</dt><dd>all</dd>");
    let page = browser
        .done(&format!("{own}/pause"), &[], "Deliveries are paused")
        .await;
    page.assert_contains("Resume");
    browser
        .done(&format!("{own}/resume"), &[], "Deliveries go on")
        .await;
    let replay = format!("{own}/replay");
    let refused = browser.post(&replay, &[("since", "soon")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("Give a day and a time");
    let since = [("since", "2026-01-01T00:00")];
    browser
        .done(&replay, &since, "The events are sent once more")
        .await;
    let rotated = browser.post(&format!("{own}/rotate-secret"), &[]).await;
    assert_ne!(between(&rotated, "data-copy=\"whsec_", "\""), secret);
    browser
        .done(&format!("{own}/delete"), &[], "The webhook was deleted")
        .await;
    browser
        .get(WEBHOOKS)
        .await
        .assert_contains("No webhooks yet");
}

#[tokio::test]
async fn a_data_key_is_replaced_step_by_step() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let environment = service.platform.environment();
    let browser = Browser::of(&service, Role::Owner).await;
    let page = browser.get(KEYS).await;
    page.assert_contains("Add a data key");
    assert!(!page.text().contains("Destroy the key before"));
    let page = browser.done(KEYS, &[], "A data key was added").await;
    page.assert_contains("It can be activated from");
    let added = environment.keys(false).await.unwrap().data_keys.remove(1);
    let activate = format!("{KEYS}/{}/activate", added.key_id);
    let early = browser.post(&activate, &[]).await;
    assert_eq!(early.status, StatusCode::CONFLICT);
    early.assert_contains("when every process has had the time to read it");
    environment.activate_key(&added.key_id, true).await.unwrap();
    let page = browser.get(&format!("{KEYS}?count_rows=true")).await;
    page.assert_contains("Destroy the key before");
    let first = environment.keys(false).await.unwrap().data_keys.remove(0);
    let retire = format!("{KEYS}/{}/retire", first.key_id);
    let early = browser.post(&retire, &[]).await;
    assert_eq!(early.status, StatusCode::CONFLICT);
    early.assert_contains("rows are still sealed with it");
    let reencrypt = format!("{KEYS}/reencrypt");
    browser
        .done(&reencrypt, &[], "Everything is being sealed again")
        .await;
    while environment
        .keys(false)
        .await
        .unwrap()
        .reencryption
        .unwrap()
        .running
    {
        tokio::task::yield_now().await;
    }
    browser.get(KEYS).await.assert_contains("none is left");
    let page = browser
        .done(&retire, &[], "The data key was destroyed")
        .await;
    page.assert_contains("Destroyed");
    browser
        .done(&format!("{KEYS}/rewrap"), &[], "wrapped by the first key")
        .await;
}

#[tokio::test]
async fn the_audit_log_is_filtered_and_verified() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let owner = Browser::of(&service, Role::Owner).await;
    let viewer = Browser::of(&service, Role::Viewer).await;
    let audit = "/dashboard/settings/audit";
    let page = viewer.get(audit).await;
    page.assert_contains("connection.created");
    page.assert_contains("member.invited");
    // A viewer knows members by their ids only.
    assert!(!page.text().contains("owner@example.com"));
    owner.get(audit).await.assert_contains("owner@example.com");
    let page = viewer.get(&format!("{audit}?action=connection.*")).await;
    page.assert_contains("connection name: mail");
    let changed = owner
        .post(CREDENTIALS, &[("name", "x"), ("scopes", "events:read")])
        .await;
    let id = changed.header("stead-request-id");
    let page = viewer
        .get(&format!("{audit}?action=app_credential.*"))
        .await;
    page.assert_contains(&format!("title=\"{id}\""));
    assert!(!page.text().contains("member.invited"));
    let page = viewer.get(&format!("{audit}?actor=%22%3E%3Ci%3E")).await;
    page.assert_contains("No entry fits the filter.");
    assert!(!page.text().contains("<i>"));

    let verify = format!("{audit}/verify");
    assert!(!viewer.get(&verify).await.text().contains("unbroken"));
    let verified = viewer.get(&format!("{verify}?run=true")).await;
    verified.assert_contains("entries, unbroken.");
    let found = service
        .platform
        .environment()
        .verify_audit(None)
        .await
        .unwrap();
    let head = found.head.unwrap();
    verified.assert_contains(&head.to_string());
    let again = viewer
        .get(&format!("{verify}?run=true&expect={head}"))
        .await;
    again.assert_contains("is still there");
    let cut = format!("{}:{}", head.number + 1, "0".repeat(64));
    let cut = viewer.get(&format!("{verify}?run=true&expect={cut}")).await;
    cut.assert_contains("its end was cut off");
    let wrong = viewer.get(&format!("{verify}?run=true&expect=x")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("NUMBER:HASH");
}

#[tokio::test]
async fn everyone_sees_the_sections_that_the_role_opens() {
    let service = TestService::new().await;
    for (role, seen, hidden) in [
        (
            Role::Viewer,
            &["/audit\"", "/appearance\"", "/storage\""][..],
            &["/webhooks\"", "/members\""][..],
        ),
        (
            Role::Operator,
            &["/webhooks\"", "/audit\""],
            &["/credentials\"", "/keys\"", "/members\""],
        ),
        (
            Role::Owner,
            &["/credentials\"", "/keys\"", "/members\"", "/webhooks\""],
            &[],
        ),
    ] {
        let browser = Browser::of(&service, role).await;
        for path in ["/dashboard/settings", "/dashboard/settings/audit"] {
            let text = plain(browser.get(path).await.text());
            for part in seen {
                assert!(
                    text.contains(&format!("settings{part}")),
                    "{role:?} {path} {part}"
                );
            }
            for part in hidden {
                assert!(
                    !text.contains(&format!("settings{part}")),
                    "{role:?} {path} {part}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_member_who_is_disabled_loses_the_page() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let owner = Browser::of(&service, Role::Owner).await;
    let operator = Browser::of(&service, Role::Operator).await;
    let members = environment.members(None, 50).await.unwrap().items;
    let one = members
        .iter()
        .find(|one| one.role == Role::Operator)
        .unwrap();
    let change = MemberChange::default().role(Role::Viewer);
    environment
        .change_member(&one.member_id.to_string(), change)
        .await
        .unwrap();
    assert_eq!(operator.get(WEBHOOKS).await.status, StatusCode::FORBIDDEN);
    let own = format!("{MEMBERS}/{}", one.member_id);
    owner.done(&format!("{own}/disable"), &[], "kept out").await;
    let gone = operator.get("/dashboard/settings").await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER);
}
