//! The pages of connections, as browsers of members see them.

use http::StatusCode;
use serde_json::json;
use stead_core::{
    environment::Verification,
    resource::{Connection, ConnectionState, NewConnection, ReadConnection, Role},
};

use crate::{
    dashboard::{
        session::browse_as,
        tests::{Browser, SCRIPT, SCRIPT_AS_TEXT},
    },
    testing::{READONLY, TestResponse, TestService, json_response},
};

const SECRET: &str = "CANARY-typed-secret";

async fn browser() -> Browser {
    Browser::new(TestService::new().await)
}

impl Browser {
    /// Sends a form to a path below the connections, with the session and CSRF token.
    async fn submit(&self, below: &str, fields: &str) -> TestResponse {
        let path = format!("/dashboard/connections{below}");
        let body = format!("csrf=own&{fields}");
        self.post(&path, "http://127.0.0.1", &body).await
    }

    async fn page(&self, below: &str) -> TestResponse {
        let page = self.get(&format!("/dashboard/connections{below}")).await;
        assert!(!page.text().contains(SECRET), "{below}");
        page
    }

    async fn connection(&self, name: &str) -> Connection {
        let environment = self.0.platform.environment();
        environment.send(ReadConnection::new(name)).await.unwrap()
    }
}

#[track_caller]
fn leads_to(response: &TestResponse, path: &str) {
    assert_eq!(
        response.status,
        StatusCode::SEE_OTHER,
        "{}",
        response.text()
    );
    assert_eq!(response.header("location"), path);
}

#[tokio::test]
async fn a_connection_is_set_up_in_four_steps() {
    let browser = browser().await;
    browser.page("").await.assert_contains("New connection");
    let choices = browser.page("/new/product").await;
    for product in ["mail", "sheets", "warehouse", "workspace"] {
        choices.assert_contains(&format!("/connections/new/product/{product}\""));
    }
    let made = browser
        .submit("/new/product/mail", "connection_name=news")
        .await;
    leads_to(&made, "/dashboard/connections/news/set-up");
    let connection = browser.connection("news").await;
    assert_eq!(connection.state, ConnectionState::Draft);
    let guide = browser.page("/news/set-up").await;
    let uri = connection.redirect_uri.replace('/', "&#x2f;");
    guide.assert_contains(&format!("data-copy=\"{uri}\""));
    guide.assert_contains("<em>Authorized redirect URIs</em>, enter <code>http://127.0.0.1/sso/");
    guide.assert_contains("Read your emails, their attachments and your drafts");
    guide.assert_contains("mail_fetch_mails");
    let given = format!("client_id=id&client_secret={SECRET}&permissions={READONLY}");
    let saved = browser.submit("/news/set-up", &given).await;
    leads_to(&saved, "/dashboard/connections/news?done=connection-ready");
    let connection = browser.connection("news").await;
    assert_eq!(connection.state, ConnectionState::Ready);
    assert_eq!(connection.permissions.unwrap(), [READONLY]);
    let page = browser.page("/news?done=connection-ready").await;
    page.assert_contains("The connection is ready.");
    page.assert_contains("Test connection");
    let other = browser.page("/news?done=%3Cscript%3E").await;
    assert_eq!(other.status, StatusCode::BAD_REQUEST);
    assert!(!other.text().contains("<script>"));
    browser
        .page("/news/set-up")
        .await
        .assert_contains("Client ID and client secret saved");
}

#[tokio::test]
async fn errors_are_at_their_fields_and_the_input_is_kept() {
    let browser = browser().await;
    let wrong = browser
        .submit("/new/product/mail", &format!("connection_name={SCRIPT}"))
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains(&format!("value=\"{SCRIPT_AS_TEXT}\""));
    wrong.assert_contains("A connection name has 1 to 64 letters");
    assert!(!wrong.text().contains(SCRIPT));
    browser.0.connect_mail().await;
    let taken = browser
        .submit("/new/product/mail", "connection_name=mail")
        .await;
    assert_eq!(taken.status, StatusCode::CONFLICT);
    taken.assert_contains("Another connection already has this name");

    browser
        .submit("/new/product/mail", "connection_name=news")
        .await;
    for (fields, expected) in [
        (
            format!("client_id=a b&client_secret={SECRET}&permissions={READONLY}"),
            "A client id has 1 to 512 visible characters",
        ),
        (
            format!("client_id=typed&client_secret=&permissions={READONLY}"),
            "A client secret has 1 to 1024 characters",
        ),
        (
            format!("client_id=typed&client_secret={SECRET}"),
            "Choose at least one",
        ),
        (
            format!("client_id=typed&client_secret={SECRET}&permissions=nothing"),
            "nothing isn&#x27;t a scope of mail",
        ),
    ] {
        let wrong = browser.submit("/news/set-up", &fields).await;
        assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{fields}");
        wrong.assert_contains(expected);
        assert!(!wrong.text().contains(SECRET), "{fields}");
    }
    assert_eq!(
        browser.connection("news").await.state,
        ConnectionState::Draft
    );
}

#[tokio::test]
async fn a_warehouse_needs_its_account_and_has_no_permissions() {
    let browser = browser().await;
    let wrong = browser
        .submit(
            "/new/product/warehouse",
            "connection_name=dwh&settings/role=analyst",
        )
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("id=\"settings&#x2f;account-hint\"");
    wrong.assert_contains("value=\"analyst\"");
    let made = browser
        .submit(
            "/new/product/warehouse",
            "connection_name=dwh&settings/account=myorg-acct1&settings/role=analyst",
        )
        .await;
    leads_to(&made, "/dashboard/connections/dwh/set-up");
    let guide = browser.page("/dwh/set-up").await;
    let uri = browser.connection("dwh").await.redirect_uri;
    let uri = uri.replace('/', "&#x2f;");
    guide.assert_contains(&format!("OAUTH_REDIRECT_URI = &#x27;{uri}&#x27;"));
    assert!(!guide.text().contains("<fieldset"));
    let limits = "settings/account=myorg-acct1&settings/rate_limit/concurrency";
    let wrong = browser.submit("/dwh/edit", &format!("{limits}=many")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("Expected a number from 1 to 1000");
    let saved = browser.submit("/dwh/edit", &format!("{limits}=4")).await;
    leads_to(&saved, "/dashboard/connections/dwh?done=connection-changed");
    let settings = browser.connection("dwh").await.settings;
    let expected = json!({ "account": "myorg-acct1", "rate_limit": { "concurrency": 4 } });
    assert_eq!(serde_json::Value::Object(settings), expected);
    browser
        .page("/dwh")
        .await
        .assert_contains("rate limit: concurrency");
}

#[tokio::test]
async fn dangerous_requests_are_allowed_with_checkboxes_that_explain_them() {
    let browser = browser().await;
    let new = NewConnection::drive("files").client("id", "secret");
    let environment = browser.0.platform.environment();
    environment.send(new).await.unwrap();
    let edit = browser.page("/files/edit").await;
    edit.assert_contains("Deletes all files in the trash permanently.");
    assert!(!edit.text().contains("value=\"empty_trash\" checked"));
    let permission = "permissions=https://www.googleapis.com/auth/drive.readonly";
    let wrong = browser
        .submit("/files/edit", &format!("{permission}&allowed_requests=all"))
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("use empty_trash, delete_files, transfer_ownership");
    let ticked = format!("{permission}&allowed_requests=empty_trash");
    let saved = browser.submit("/files/edit", &ticked).await;
    leads_to(
        &saved,
        "/dashboard/connections/files?done=connection-changed",
    );
    let connection = browser.connection("files").await;
    assert_eq!(connection.allowed_requests, ["empty_trash"]);
    browser.page("/files").await.assert_contains("empty_trash");
    let edit = browser.page("/files/edit").await;
    edit.assert_contains("value=\"empty_trash\" checked");
    browser.submit("/files/edit", permission).await;
    let connection = browser.connection("files").await;
    assert!(connection.allowed_requests.is_empty());
}

#[tokio::test]
async fn capabilities_are_offered_with_their_tools_and_others_are_refused() {
    let browser = browser().await;
    let new = NewConnection::workspace("notes")
        .client("id", "secret")
        .permissions(["read_content"]);
    let environment = browser.0.platform.environment();
    environment.send(new).await.unwrap();
    let edit = browser.page("/notes/edit").await;
    edit.assert_contains("workspace_query_database");
    let wrong = browser
        .submit(
            "/notes/edit",
            &format!("permissions=read_content&permissions={SCRIPT}"),
        )
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!wrong.text().contains(SCRIPT));
    let saved = browser
        .submit(
            "/notes/edit",
            "permissions=read_content&permissions=insert_content",
        )
        .await;
    leads_to(
        &saved,
        "/dashboard/connections/notes?done=connection-changed",
    );
    let permissions = browser.connection("notes").await.permissions.unwrap();
    assert_eq!(permissions, ["insert_content", "read_content"]);
}

#[tokio::test]
async fn a_connection_is_disabled_gets_another_client_and_is_deleted() {
    let browser = Browser::new(TestService::new().await.with_account("u1").await);
    let off = browser.submit("/mail/disable", "").await;
    leads_to(&off, "/dashboard/connections/mail?done=connection-disabled");
    browser
        .page("/mail")
        .await
        .assert_contains("all calls are refused");
    let on = browser.submit("/mail/enable", "").await;
    leads_to(&on, "/dashboard/connections/mail?done=connection-enabled");

    let secret = format!("client_secret={SECRET}");
    let replaced = browser.submit("/mail/secret", &secret).await;
    leads_to(
        &replaced,
        "/dashboard/connections/mail?done=secret-replaced",
    );
    let wrong = browser.submit("/mail/secret", "client_secret=").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    let state = || async {
        let account = browser.0.get("/v1/accounts/mail/u1").await.json();
        account["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state().await, "active");

    browser
        .page("/mail/delete")
        .await
        .assert_contains("mail is still in use");
    let refused = browser.submit("/mail/delete", "").await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    refused.assert_contains("disconnect the connection");

    let other = format!("client_id=other&client_secret={SECRET}");
    let changed = browser.submit("/mail/client", &other).await;
    leads_to(&changed, "/dashboard/connections/mail?done=client-replaced");
    assert_eq!(state().await, "needs_reauthorization");

    let path = "/v1/accounts/mail/u1";
    browser.0.call("DELETE", path, None).await;
    browser
        .page("/mail/delete")
        .await
        .assert_contains("Delete connection");
    let deleted = browser.submit("/mail/delete", "").await;
    leads_to(&deleted, "/dashboard/connections?done=connection-deleted");
    let gone = browser.page("/mail").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

/// A browser that has started the test of the connection `mail`, with the connection's ID and the path of the link.
async fn in_test(service: TestService) -> (Browser, String, String) {
    let id = service.connect_mail().await;
    let browser = Browser::new(service);
    browser
        .page("/mail/test")
        .await
        .assert_contains("Consent at Gmail");
    let started = browser.submit("/mail/test/start", "").await;
    assert_eq!(started.status, StatusCode::SEE_OTHER);
    let link = started.header("location").to_owned();
    let link = link.strip_prefix("http://127.0.0.1").unwrap().to_owned();
    (browser, id, link)
}

async fn confirming() -> TestService {
    let product = |_: &_| json_response(&json!({}));
    TestService::open("http://127.0.0.1", Verification::Application, product).await
}

#[tokio::test]
async fn a_test_consents_and_calls_and_cleans_up() {
    for service in [confirming().await, TestService::new().await] {
        let (browser, id, link) = in_test(service).await;
        let (state, cookie) = browser.0.consent(&link).await;
        let back = browser.0.come_back(&id, &state, &cookie).await;
        let back = back.header("location").to_owned();
        let (page, authorization_id) = back.split_once("?authorization_id=").unwrap();
        assert_eq!(page, "http://127.0.0.1/dashboard/connections/mail/test");
        let shown = browser
            .page(&format!("/mail/test?authorization_id={authorization_id}"))
            .await;
        shown.assert_contains("redirect URI, client ID and client secret are correct");
        let form = format!("authorization_id={authorization_id}");
        // Sending the form twice confirms and calls twice.
        for _ in 0..2 {
            let ran = browser.submit("/mail/test/run", &form).await;
            assert_eq!(ran.status, StatusCode::OK);
            ran.assert_contains("The connection works");
            ran.assert_contains("<b>ada@example.com</b>");
        }
        // A later run doesn't need the ID.
        let ran = browser.submit("/mail/test/run", "").await;
        ran.assert_contains("The connection works");
        let ended = browser.submit("/mail/test/disconnect", "").await;
        leads_to(
            &ended,
            "/dashboard/connections/mail/test?done=test-account-disconnected",
        );
        let shown = browser.page("/mail/test").await;
        assert!(!shown.text().contains("Disconnect the test account"));
        let ran = browser.submit("/mail/test/run", "").await;
        ran.assert_contains("Who needs to act");
    }
}

#[tokio::test]
async fn a_consent_that_fails_leads_back_with_its_cause() {
    let (browser, id, link) = in_test(confirming().await).await;
    let (state, cookie) = browser.0.consent(&link).await;
    let said = "%3Cscript%3Ealert(1)%3C/script%3E";
    let path = format!(
        "/sso/v1/oauth/{id}/callback?state={state}&error=invalid_scope&error_description={said}"
    );
    let back = browser.0.browse("GET", &path, Some(&cookie)).await;
    let (_, query) = back.header("location").split_once('?').unwrap();
    let shown = browser.page(&format!("/mail/test?{query}")).await;
    shown.assert_contains("The product rejects one of the permissions.");
    shown.assert_contains("The operator");
    shown.assert_contains("mail/edit\"");
    shown.assert_contains(SCRIPT_AS_TEXT);
    assert!(!shown.text().contains(SCRIPT), "{}", shown.text());
    // Another user's authorization isn't shown here.
    let other = browser.0.link("u1", Some("https://app.test/back")).await;
    let (state, cookie) = browser.0.consent(&other).await;
    let back = browser.0.come_back(&id, &state, &cookie).await;
    let (_, query) = back.header("location").split_once('?').unwrap();
    let shown = browser.page(&format!("/mail/test?{query}")).await;
    shown.assert_contains("Consent at Gmail");
    let ran = browser.submit("/mail/test/run", query).await;
    ran.assert_contains("identifier_mismatch");
}

#[tokio::test]
async fn a_viewer_sees_no_button() {
    let service = TestService::new().await.with_account("u1").await;
    for path in ["", "/mail", "/mail/test"] {
        let path = format!("/dashboard/connections{path}");
        let page = browse_as(&service, Role::Viewer, &path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let (_, content) = page.text().split_once("<main").unwrap();
        assert!(!content.contains("<form"), "{path}: {content}");
        for page in ["new/product", "/edit", "/secret", "/delete", "/set-up"] {
            assert!(!content.contains(&format!("{page}\"")), "{path}: {page}");
        }
    }
}
