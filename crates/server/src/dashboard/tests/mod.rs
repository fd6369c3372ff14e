//! Rules for every page: who may open it, which headers it has, and that foreign content is shown as text.

mod roles;

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{body::Body, extract::ConnectInfo};
use http::{Request, StatusCode, header};
use serde_json::json;
use stead_core::{
    api::Paging,
    resource::{
        KeyCount, ListAccounts, ListAppCredentials, ListExecutions, ListKeys, NewMcpSession,
        NewMember, NewWebhook, Policy, ReadAccount, ReadConnection, Role, SetPolicy, TestWebhook,
    },
};
use url::form_urlencoded;

use super::{Door, routes};
use crate::{
    Access, DashboardAccess, DashboardOptions, Sample, SandboxControl, SandboxField, SandboxRecord,
    SandboxRequest, SandboxSection, ServerOptions, Trial, router_with, table,
    testing::{TestResponse, TestService, json_response},
};

/// Actions of members on their own session, password and second factor.
pub(super) const OWN: [&str; 6] = [
    "/dashboard/sign-out",
    "/dashboard/confirm",
    "/dashboard/you/password",
    "/dashboard/you/second-factor",
    "/dashboard/you/second-factor/confirm",
    "/dashboard/you/second-factor/remove",
];
/// An identifier that contains markup and has to be escaped in a path.
pub(super) const ODD: &str = r#"<b>"'&/ü"#;
pub(super) const ODD_AS_TEXT: &str = "&lt;b&gt;&quot;&#x27;&amp;&#x2f;ü";
/// The same as a segment of a path.
pub(super) const ODD_IN_PATH: &str = "%3Cb%3E%22%27%26%2F%C3%BC";
pub(super) const SCRIPT: &str = "<script>alert(1)</script>";
pub(super) const SCRIPT_AS_TEXT: &str = "&lt;script&gt;alert(1)&lt;&#x2f;script&gt;";
const HERE: &str = "127.0.0.1:5000";

/// A browser's view of a service's dashboard, with something to try.
pub(super) struct Browser(pub(super) TestService, pub(super) Arc<Notebook>);

impl Browser {
    pub(super) fn new(service: TestService) -> Self {
        let notebook = Arc::new(Notebook::default());
        let mut options = Self::options();
        options.dashboard.sandbox = Some(Arc::clone(&notebook) as _);
        let browser = Self::with(service, &options);
        Self(browser.0, notebook)
    }

    pub(super) fn options() -> ServerOptions {
        let mut sample = Sample::new("mail", "mail_fetch_mails", json!({}));
        sample.list = String::from("/messages");
        sample.columns = vec![String::from("/readable/subject")];
        ServerOptions {
            dashboard: DashboardOptions {
                access: DashboardAccess::SignedInOnLoopback,
                trial: Some(Trial::new(ODD, "Ada", vec![sample])),
                sandbox: None,
            },
            ..ServerOptions::default()
        }
    }

    pub(super) fn with(service: TestService, options: &ServerOptions) -> Self {
        let router = router_with(&service.platform, options);
        Self(service.within(|_| router), Arc::default())
    }

    async fn send(
        &self,
        request: http::request::Builder,
        peer: &str,
        host: &str,
        body: String,
    ) -> TestResponse {
        let peer: SocketAddr = peer.parse().unwrap();
        let request = request
            .extension(ConnectInfo(peer))
            .header(header::HOST, host)
            .header(header::ACCEPT, "text/html");
        self.0.send(request.body(Body::from(body)).unwrap()).await
    }

    pub(super) async fn get(&self, path: &str) -> TestResponse {
        let request = Request::builder().uri(path);
        self.send(request, HERE, "127.0.0.1", String::new()).await
    }

    /// Sends a form of the start page. `own` in `csrf` is replaced by the page's own CSRF token.
    pub(super) async fn post(&self, path: &str, origin: &str, csrf: &str) -> TestResponse {
        self.send_form(path, origin, |own| csrf.replace("own", own))
            .await
    }

    /// Sends a form of the start page with these fields.
    pub(super) async fn act(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let body = |csrf: &str| {
            let mut body = form_urlencoded::Serializer::new(String::new());
            body.append_pair("csrf", csrf).extend_pairs(fields).finish()
        };
        self.send_form(path, "http://127.0.0.1", body).await
    }

    async fn send_form(
        &self,
        path: &str,
        origin: &str,
        body: impl FnOnce(&str) -> String,
    ) -> TestResponse {
        let page = self.get("/dashboard").await;
        let (_, rest) = page.text().split_once("name=\"csrf\" value=\"").unwrap();
        let body = body(rest.split_once('"').unwrap().0);
        let session = page.header("set-cookie").split(';').next().unwrap();
        let request = Request::builder()
            .method("POST")
            .uri(path)
            .header(header::ORIGIN, origin)
            .header(header::COOKIE, session);
        self.send(request, HERE, "127.0.0.1", body).await
    }
}

/// A sandbox that records its requests and contains markup.
#[derive(Debug, Default)]
pub(super) struct Notebook(Mutex<Vec<String>>);

impl Notebook {
    pub(super) fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn note(&self, asked: String) -> Result<(), String> {
        self.0.lock().unwrap().push(asked);
        Ok(())
    }
}

impl SandboxControl for Notebook {
    fn users(&self) -> Vec<(String, String)> {
        vec![(String::from("ada"), String::from(SCRIPT))]
    }

    fn sections(&self, _: &str) -> Vec<SandboxSection> {
        let text = || String::from(SCRIPT);
        vec![SandboxSection {
            name: String::from("mails"),
            title: text(),
            columns: vec![text()],
            records: vec![SandboxRecord {
                id: text(),
                cells: vec![text()],
            }],
            fields: vec![SandboxField {
                name: String::from("subject"),
                label: text(),
                value: text(),
                is_long: false,
            }],
        }]
    }

    fn add(
        &self,
        user: &str,
        section: &str,
        fields: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        self.note(format!("add {user} {section} {fields:?}"))
    }

    fn delete(&self, user: &str, section: &str, id: &str) -> Result<(), String> {
        self.note(format!("delete {user} {section} {id}"))
    }

    fn received(&self, _: usize) -> (Vec<SandboxRequest>, usize) {
        let request = SandboxRequest {
            method: String::from("GET"),
            host: String::from(SCRIPT),
            path: String::from("/gmail/v1"),
            query: Some(String::from("q=1")),
            status: Some(429),
        };
        (vec![request], 1)
    }

    fn faults(&self) -> Vec<(String, String, String)> {
        vec![("stall", SCRIPT, SCRIPT)]
            .into_iter()
            .map(|(word, title, about)| (word.to_owned(), title.to_owned(), about.to_owned()))
            .collect()
    }

    fn waiting(&self) -> Vec<String> {
        vec![String::from(SCRIPT)]
    }

    fn fault(&self, word: &str) -> Result<(), String> {
        match word {
            "stall" => self.note(format!("fault {word}")),
            other => Err(format!("there is no fault {other}")),
        }
    }

    fn reset(&self) {
        let _ = self.note(String::from("reset"));
    }
}

/// A service whose one mail has markup as its subject.
pub(super) async fn with_markup() -> TestService {
    let service = TestService::with_products(|received| {
        let part = json!({ "headers": [{ "name": "Subject", "value": SCRIPT }], "mimeType": "text/plain", "body": { "size": 0 } });
        let of_one = json!({ "id": "1", "threadId": "1", "labelIds": [], "payload": part });
        json_response(&match received.uri.contains("/messages/") {
            true => of_one,
            false => json!({ "messages": [{ "id": "1", "threadId": "1" }] }),
        })
    });
    service.await.with_account(ODD).await
}

/// Values for the parameters of paths: IDs of things that exist.
pub(super) async fn parameters(service: &TestService) -> Vec<(&'static str, String)> {
    let environment = service.platform.environment();
    let credentials = environment
        .send(ListAppCredentials::new().page(Paging::new(None, 1)))
        .await
        .unwrap()
        .items;
    let webhook = NewWebhook::new("https://app.example.com/hooks");
    let webhook = environment.send(webhook).await.unwrap().webhook;
    environment
        .send(TestWebhook::new(webhook.id))
        .await
        .unwrap();
    let member = NewMember::new("ada@example.com", Role::Operator);
    let member = environment.send(member).await.unwrap().member;
    let session = NewMcpSession::new("ada").verify_url("https://app.example.com/connected");
    let session = environment.send(session).await.unwrap().session;
    let key = environment
        .send(ListKeys::new().count(KeyCount::rows(false)))
        .await
        .unwrap()
        .data_keys
        .remove(0);
    let policy = environment
        .send(SetPolicy::from(Policy::new("rules")))
        .await
        .unwrap();
    let approval = match environment.send(ReadConnection::new("mail")).await {
        Ok(_) => service.asked_for_approval(ODD).await,
        Err(_) => String::from("appr_none"),
    };
    vec![
        ("{connection_name}", String::from("mail")),
        ("{product}", String::from("mail")),
        ("{identifier}", String::from(ODD_IN_PATH)),
        ("{execution_id}", executed(service).await),
        ("{name}", String::from("mail_fetch_mails")),
        ("{client_id}", credentials[0].client_id.clone()),
        ("{secret_id}", credentials[0].secrets[0].secret_id.clone()),
        ("{webhook_id}", webhook.id.to_string()),
        ("{member_id}", member.member_id.to_string()),
        ("{session_id}", session.session_id.to_string()),
        ("{key_id}", key.key_id),
        ("{approval_id}", approval),
        ("{policy_name}", policy.name),
    ]
}

/// The ID of a call by the user whose identifier is markup, as soon as it's in the history.
pub(super) async fn executed(service: &TestService) -> String {
    let body = json!({ "connection_name": "mail", "identifier": ODD, "input": {} });
    service
        .post("/v1/tools/mail_list_drafts/execute", body)
        .await;
    // Waits for the call to appear in the history. The service's clock doesn't wait.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let environment = service.platform.environment();
    let filter = stead_core::resource::ExecutionFilter::default();
    let found = environment
        .send(
            ListExecutions::new()
                .filter(filter.clone())
                .page(Paging::new(None, 1)),
        )
        .await
        .unwrap();
    found.items[0].execution_id.to_string()
}

#[tokio::test(start_paused = true)]
async fn every_page_is_complete_with_and_without_data() {
    for (service, has_data) in [
        (TestService::new().await, false),
        (with_markup().await, true),
    ] {
        let parameters = parameters(&service).await;
        let browser = Browser::new(service);
        let pages = routes();
        for page in pages.iter().filter(|page| page.route.method == "GET") {
            // This route is a stream and has no page of its own.
            if page.route.path == "/dashboard/activity/live" {
                continue;
            }
            let fill = |path: String, (name, value): &(&str, String)| path.replace(name, value);
            let path = parameters.iter().fold(page.route.path.to_owned(), fill);
            let shown = browser.get(&path).await;
            // A page may say that a thing doesn't exist yet.
            let of_data = ["{connection_name}", "{approval_id}"];
            let is_there = has_data || !of_data.iter().any(|one| page.route.path.contains(one));
            let expected = match is_there {
                true => StatusCode::OK,
                false => StatusCode::NOT_FOUND,
            };
            assert_eq!(shown.status, expected, "{path}: {}", shown.text());
            assert!(shown.body.len() < 100_000, "{path}: {}", shown.body.len());
            assert!(shown.text().trim_end().ends_with("</html>"), "{path}");
            for (name, value) in [
                ("content-type", "text/html; charset=utf-8"),
                ("cache-control", "no-store"),
                ("referrer-policy", "no-referrer"),
                ("x-content-type-options", "nosniff"),
                ("x-frame-options", "DENY"),
            ] {
                assert_eq!(shown.header(name), value, "{path}");
            }
            let policy = shown.header("content-security-policy");
            // The preview shows the page for end users, which has its own policy.
            if path == super::settings::PREVIEW {
                let mut all = shown.headers.get_all("content-security-policy").iter();
                assert!(all.any(|one| one == "form-action 'none'"), "{all:?}");
                continue;
            }
            assert!(
                policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"),
                "{policy}"
            );
            assert!(
                !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
                "{policy}"
            );
            // Content that the policy would block.
            for inline in [" style=", "<style", "<script>", " onclick=", "javascript:"] {
                assert!(!shown.text().contains(inline), "{path}: {inline}");
            }
        }
    }
}

#[tokio::test]
async fn foreign_content_is_escaped() {
    let browser = Browser::new(with_markup().await);
    let accounts = browser.get("/dashboard/accounts").await;
    accounts.assert_contains(ODD_AS_TEXT);
    assert!(!accounts.text().contains("<b>\""), "{}", accounts.text());
    let ran = browser
        .post("/dashboard/try/mail/run", "http://127.0.0.1", "csrf=own")
        .await;
    assert_eq!(ran.status, StatusCode::OK);
    ran.assert_contains(&format!("<b>{SCRIPT_AS_TEXT}</b>"));
    assert!(!ran.text().contains(SCRIPT), "{}", ran.text());
    let search = browser
        .get("/dashboard/accounts?identifier=%22%3E%3Cscript%3E")
        .await;
    search.assert_contains("value=\"&quot;&gt;&lt;script&gt;\"");
}

#[tokio::test]
async fn trying_a_connection_creates_a_link_and_problems_are_pages() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let browser = Browser::new(service);
    let connect = "/dashboard/try/mail/connect";
    let link = browser.post(connect, "http://127.0.0.1", "csrf=own").await;
    assert_eq!(link.status, StatusCode::SEE_OTHER);
    assert!(
        link.header("location")
            .starts_with("http://127.0.0.1/connect/")
    );
    let account = browser
        .0
        .platform
        .environment()
        .send(ReadAccount::new("mail", ODD))
        .await
        .unwrap();
    assert_eq!(account.state.name(), "pending_authorization");
    // The user hasn't followed the link yet.
    let ran = browser
        .post("/dashboard/try/mail/run", "http://127.0.0.1", "csrf=own")
        .await;
    ran.assert_contains("authorization_required");
    let other = browser
        .post("/dashboard/try/other/run", "http://127.0.0.1", "csrf=own")
        .await;
    assert_eq!(
        (other.status, other.header("content-type")),
        (StatusCode::NOT_FOUND, "text/html; charset=utf-8")
    );
    other.assert_contains("This connection has no sample call");
    for path in [
        "/dashboard/accounts?page_size=0",
        "/dashboard/tools/nothing",
        "/dashboard/tools?effect=x",
    ] {
        let problem = browser.get(path).await;
        assert!(problem.status.is_client_error(), "{path}");
        problem.assert_contains("Who needs to act");
    }
}

#[tokio::test]
async fn forms_of_others_are_refused() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let browser = Browser::new(service);
    for (origin, csrf) in [
        ("http://127.0.0.1", ""),
        ("http://127.0.0.1", "csrf="),
        ("http://127.0.0.1", "csrf=ownx"),
        ("http://127.0.0.1", "csrf=0123456789abcdef0123456789abcdef"),
        ("http://other.example", "csrf=own"),
    ] {
        let refused = browser
            .post("/dashboard/try/mail/connect", origin, csrf)
            .await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{origin} {csrf}");
        refused.assert_contains("origin_rejected");
    }
    let filter = stead_core::resource::AccountFilter::default();
    let accounts = browser
        .0
        .platform
        .environment()
        .send(
            ListAccounts::new()
                .filter(filter.clone())
                .page(Paging::new(None, 10)),
        )
        .await
        .unwrap();
    assert!(accounts.items.is_empty());
}

#[tokio::test]
async fn style_and_script_are_cached_as_immutable() {
    let browser = Browser::new(TestService::new().await);
    let page = browser.get("/dashboard").await;
    let text = page.text().replace("&#x2f;", "/");
    let assets: Vec<&str> = text
        .split('"')
        .filter(|part| part.starts_with("/dashboard/assets/"))
        .collect();
    assert_eq!(assets.len(), 2, "{assets:?}");
    for path in assets {
        let asset = browser.get(path).await;
        assert_eq!(asset.status, StatusCode::OK, "{path}");
        assert_eq!(
            asset.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
    }
    let gone = browser.get("/dashboard/assets/style.css").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}
