//! The settings, as members use them in a browser.

mod others;
use axum::body::Body;
use http::{Request, StatusCode, header};
use stead_core::{
    api::Paging,
    resource::{ListMembers, NewAppCredential, NewMember, ReadAppCredential, ReadMember, Role},
};
use url::form_urlencoded;

use crate::{
    dashboard::session::session_of,
    testing::{TestResponse, TestService},
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
            cookie: format!("stead-80={id}"),
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

    /// Sends a form, and opens the page that it leads to. Checks that the form succeeds and that the page confirms it.
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

/// A text of a page before it was escaped.
fn plain(text: &str) -> String {
    text.replace("&#x2f;", "/").replace("&amp;", "&")
}

/// The text between two others.
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
        .send(ReadAppCredential::new(format!("app_{id}")))
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
        .done(&format!("{own}/change"), &change, "Credential changed")
        .await;
    page.assert_contains(AS_TEXT);
    assert!(!page.text().contains(MARKUP));
    let changed = environment
        .send(ReadAppCredential::new(&credential.client_id))
        .await
        .unwrap();
    assert_eq!((changed.connections, changed.rate_per_minute), (None, None));

    let rotate = format!("{own}/rotate");
    let rotated = browser.post(&rotate, &[("old_expires_in", "3600")]).await;
    let newer = between(&rotated, "data-copy=\"stead_secret_", "\"");
    assert_ne!(newer, secret);
    let again = browser.post(&rotate, &[("old_expires_in", "3600")]).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    again.assert_contains("The credential already has two secrets");
    let old = &credential.secrets[0].secret_id;
    let revoke = format!("{own}/secrets/{old}/revoke");
    browser
        .get(&revoke)
        .await
        .assert_contains("Revoke the secret");
    browser.done(&revoke, &[], "Secret revoked").await;
    let revoke = format!("{own}/revoke");
    browser
        .get(&revoke)
        .await
        .assert_contains("You can’t undo this.");
    browser.done(&revoke, &[], "Credential revoked").await;
    assert_eq!(browser.get(&own).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_refused_form_keeps_its_input_and_marks_wrong_fields() {
    let service = TestService::new().await;
    let browser = Browser::of(&service, Role::Owner).await;
    let fields = [
        ("name", MARKUP),
        ("scopes", "accounts:manage"),
        ("rate_per_minute", "many"),
    ];
    let refused = browser.post(CREDENTIALS, &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("Correct the marked fields.");
    refused.assert_contains("Enter a whole number.");
    refused.assert_contains(&format!("value=\"{AS_TEXT}\""));
    refused.assert_contains("value=\"accounts:manage\" checked");
    assert!(!refused.text().contains("value=\"tools:execute\" checked"));
    let nothing = browser.post(CREDENTIALS, &[("name", "x")]).await;
    nothing.assert_contains("Give at least one scope");
    let fields = [("email", "ada"), ("name", MARKUP), ("role", "owner")];
    let refused = browser.post(MEMBERS, &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("Expected an email address");
    refused.assert_contains(AS_TEXT);
    refused.assert_contains("value=\"owner\" selected");
    let fields = [
        ("url", "http://127.0.0.1/<i>"),
        ("types", "acount.activated"),
    ];
    let refused = browser.post(WEBHOOKS, &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("http is allowed only for hosts that the operator lists");
    assert!(!refused.text().contains("<i>"));
}

#[tokio::test]
async fn a_member_is_invited_changed_disabled_reset_and_deleted() {
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
    twice.assert_contains("A member with this email address already exists");
    let members = environment
        .send(ListMembers::new().page(Paging::new(None, 50)))
        .await
        .unwrap()
        .items;
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
        .done(&format!("{own}/change"), &change, "Member changed")
        .await;
    browser
        .done(&format!("{own}/disable"), &[], "Member disabled")
        .await;
    let reset = browser.post(&format!("{own}/reset"), &[]).await;
    assert_eq!(reset.status, StatusCode::CONFLICT);
    reset.assert_contains("The member is disabled");
    browser
        .done(&format!("{own}/enable"), &[], "They can sign in again")
        .await;
    let reset = browser.post(&format!("{own}/reset"), &[]).await;
    assert_ne!(between(&reset, "data-copy=\"http://127.0.0.1", "\""), link);
    browser
        .done(&format!("{own}/delete"), &[], "Member deleted")
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
        .send(ListMembers::new().page(Paging::new(None, 50)))
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
        refused.assert_contains("This is the only active owner");
    }
    browser.get(&own).await.assert_contains("This is you.");
}

#[tokio::test]
async fn irreversible_actions_ask_for_the_password_again() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let owner = Browser::of(&service, Role::Owner).await;
    let new = NewAppCredential::new("old").scopes(["events:read"]);
    let credential = environment.send(new).await.unwrap().credential;
    let bob = NewMember::new("bob@example.com", Role::Viewer);
    let bob = environment.send(bob).await.unwrap().member;
    let paths = [
        format!("{CREDENTIALS}/{}/revoke", credential.client_id),
        format!("{MEMBERS}/{}/delete", bob.member_id),
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
            .send(ReadAppCredential::new(&credential.client_id))
            .await
            .is_ok()
    );
    assert!(
        environment
            .send(ReadMember::new(bob.member_id.to_string()))
            .await
            .is_ok()
    );
}
