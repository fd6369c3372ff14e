//! The pages of accounts, with any identifier, and their forms.

use http::StatusCode;
use stead_core::{
    api::Paging,
    environment::Verification,
    resource::{AccountState, ListExecutions, ReadAccount, Role},
};

use crate::{
    dashboard::{
        session::tests::session_of,
        tests::{Browser, ODD, ODD_AS_TEXT, ODD_IN_PATH, with_markup},
    },
    testing::{TestResponse, TestService, json_response},
};

const HERE: &str = "http://127.0.0.1";

fn odd(verb: &str) -> String {
    format!("/dashboard/accounts/mail/{ODD_IN_PATH}{verb}")
}

/// Sends a form and follows its redirect.
async fn act(browser: &Browser, path: &str, fields: &str) -> TestResponse {
    let done = browser.post(path, HERE, &format!("csrf=own{fields}")).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{path} {}", done.text());
    browser.get(done.header("location")).await
}

async fn state(browser: &Browser, identifier: &str) -> AccountState {
    let environment = browser.0.platform.environment();
    let account = environment.send(ReadAccount::new("mail", identifier)).await;
    account.unwrap().state
}

#[tokio::test]
async fn each_action_works_and_is_confirmed_for_any_identifier() {
    for (identifier, in_path, as_text) in [
        (ODD, ODD_IN_PATH, ODD_AS_TEXT),
        ("a..b", "a%2E%2Eb", "a..b"),
        ("connect", "connect", "connect"),
    ] {
        let browser = Browser::new(TestService::new().await.with_account(identifier).await);
        let path = |verb: &str| format!("/dashboard/accounts/mail/{in_path}{verb}");
        for (verb, said, after) in [
            ("/suspend", "Account suspended.", AccountState::Suspended),
            ("/resume", "Account resumed.", AccountState::Active),
            ("/refresh", "Token refreshed.", AccountState::Active),
        ] {
            let page = act(&browser, &path(verb), "").await;
            assert_eq!(page.status, StatusCode::OK, "{verb}");
            page.assert_contains(said);
            page.assert_contains(&format!("<h1 class=\"anywhere\">{as_text}</h1>"));
            assert_eq!(state(&browser, identifier).await, after, "{verb}");
        }
        let page = browser.get(&path("/disconnect")).await;
        page.assert_contains("Also revoke the consent at Gmail");
        page.assert_contains("No other account here is affected.");
        // Viewing the page changes nothing.
        assert_eq!(state(&browser, identifier).await, AccountState::Active);
        let page = act(&browser, &path("/disconnect"), "&revoke_at_product=true").await;
        page.assert_contains("asks the product to revoke the consent");
        page.assert_contains("The account is disconnected");
        assert_eq!(
            state(&browser, identifier).await,
            AccountState::Disconnected
        );
        let page = browser.get(&path("/erase")).await;
        page.assert_contains("You can’t undo this.");
        let page = act(&browser, &path("/erase"), "").await;
        page.assert_contains("User erased.");
        let gone = browser.get(&path("")).await;
        assert_eq!(gone.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_link_is_shown_once_with_a_qr_code_and_errors_at_their_fields() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let browser = Browser::new(service);
    let form = "/dashboard/accounts/connect";
    let empty = browser.get(form).await;
    empty.assert_contains("<option value=\"mail\">mail</option>");
    let fields = "csrf=own&connection_name=mail&identifier=%3Ci%3E";
    let made = browser.post(form, HERE, fields).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text());
    for part in [
        "http:&#x2f;&#x2f;127.0.0.1&#x2f;connect&#x2f;",
        "<path class=\"dark\" d=\"M4 4h7v1h-7z",
        "&lt;i&gt;",
        "data-copy=\"http:",
    ] {
        made.assert_contains(part);
    }
    assert!(!made.text().contains("<i>"), "{}", made.text());
    let page = browser.get("/dashboard/accounts/mail/%3Ci%3E").await;
    page.assert_contains("Create a link and send it to the user");
    for (fields, said) in [
        ("connection_name=mail&identifier=.", "aria-invalid"),
        ("connection_name=mail&identifier=", "aria-invalid"),
        ("connection_name=gone&identifier=u", "class=\"error\""),
        (
            "connection_name=mail&identifier=u&verify_url=javascript:x",
            "aria-invalid",
        ),
    ] {
        let refused = browser
            .post(form, HERE, &format!("csrf=own&{fields}"))
            .await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{fields}");
        refused.assert_contains(said);
    }
    let made = browser.post("/dashboard/accounts/mail/u/link", HERE, "csrf=own");
    made.await.assert_contains("The link is ready");
}

#[tokio::test]
async fn an_account_shows_permissions_in_words_and_never_a_token() {
    let browser = Browser::new(with_markup().await);
    let page = browser.get(&odd("")).await;
    page.assert_contains("ada@example.com");
    page.assert_contains("https:&#x2f;&#x2f;www.googleapis.com&#x2f;auth&#x2f;gmail.readonly");
    page.assert_contains("Expires");
    page.assert_contains("Account activated");
    for secret in ["CANARY", "<b>\""] {
        assert!(!page.text().contains(secret), "{}", page.text());
    }
}

/// The `Older` link of a page.
fn older(page: &TestResponse) -> Option<String> {
    let (before, _) = page.text().split_once("#timeline\">Older")?;
    let (_, query) = before.rsplit_once('?')?;
    Some(query.replace("&amp;", "&").replace("&#x2f;", "/"))
}

#[tokio::test(start_paused = true)]
async fn the_timeline_has_every_event_and_call_once_the_newest_first() {
    let service = TestService::new().await.with_account("ada").await;
    let mut expected = Vec::new();
    for round in 0..40 {
        let verb = ["suspend", "resume"][round % 2];
        let path = format!("/v1/accounts/mail/ada/{verb}");
        service.call("POST", &path, None).await;
        if round % 2 == 1 {
            let body =
                serde_json::json!({ "connection_name": "mail", "identifier": "ada", "input": {} });
            service
                .post("/v1/tools/mail_list_drafts/execute", body)
                .await;
            // Waits for the call to appear in the history. The service's clock doesn't wait.
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    }
    let environment = service.platform.environment();
    let filter = stead_core::resource::ExecutionFilter::default();
    let calls = environment
        .send(
            ListExecutions::new()
                .filter(filter.clone())
                .page(Paging::new(None, 100)),
        )
        .await
        .unwrap();
    expected.extend(calls.items.iter().map(|call| call.execution_id.to_string()));
    assert_eq!(expected.len(), 20);
    let browser = Browser::new(service);
    let (mut query, mut shown, mut suspended, mut pages) = (String::new(), Vec::new(), 0, 0);
    loop {
        let page = browser
            .get(&format!("/dashboard/accounts/mail/ada{query}"))
            .await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        let calls = page.text().split("/activity/").skip(1);
        let calls = calls.filter_map(|rest| rest.split_once("\"><code>mail_"));
        shown.extend(calls.map(|(id, _)| id.to_owned()));
        suspended += page.text().matches(">Account suspended<").count();
        pages += 1;
        match older(&page) {
            Some(next) => query = format!("?{next}"),
            None => break,
        }
    }
    assert_eq!(shown, expected);
    assert_eq!((suspended, pages >= 3), (20, true));
}

#[tokio::test]
async fn accounts_that_need_attention_come_first_and_a_prefix_finds_a_user() {
    let service = TestService::open(HERE, Verification::Application, |_| {
        json_response(&serde_json::json!({}))
    });
    let service = service.await;
    let connection_id = service.connect_mail().await;
    let verify_url = Some("https://app.example.com/connected");
    let (state, cookie) = service
        .consent(&service.link("ada", verify_url).await)
        .await;
    service.come_back(&connection_id, &state, &cookie).await;
    service.link("grace", verify_url).await;
    let browser = Browser::new(service);
    let all = browser.get("/dashboard/accounts").await;
    all.assert_contains("Needs attention");
    all.assert_contains("hasn’t confirmed the user yet");
    for (query, ada, grace) in [
        ("identifier=ad", true, false),
        ("identifier=+ad", true, false),
        ("identifier=AD", false, false),
        ("state=pending_verification", true, false),
        ("state=pending_authorization&product=mail", false, true),
        ("state=active", false, false),
    ] {
        let page = browser.get(&format!("/dashboard/accounts?{query}")).await;
        let has = |name: &str| {
            page.text()
                .contains(&format!("accounts&#x2f;mail&#x2f;{name}\""))
        };
        assert_eq!((has("ada"), has("grace")), (ada, grace), "{query}");
        assert!(!page.text().contains("Needs attention"), "{query}");
    }
    let page = browser.get("/dashboard/accounts/mail/ada").await;
    page.assert_contains(
        "POST /v1/authorizations/{id}/verify"
            .replace('/', "&#x2f;")
            .as_str(),
    );
    // The start page leads there too.
    let home = browser.get("/dashboard").await;
    home.assert_contains("ada at mail consented");
    home.assert_contains(
        "/dashboard/accounts/mail/ada"
            .replace('/', "&#x2f;")
            .as_str(),
    );
}

#[tokio::test]
async fn a_viewer_sees_no_button_and_an_erasure_needs_a_recent_password() {
    let service = TestService::new().await.with_account("ada").await;
    let environment = service.platform.environment();
    let (viewer, _) = session_of(environment, Role::Viewer).await;
    let (operator, csrf) = session_of(environment, Role::Operator).await;
    let cookie = |id: &str| format!("stead-80={id}");
    for path in ["/dashboard/accounts", "/dashboard/accounts/mail/ada"] {
        let page = service.browse("GET", path, Some(&cookie(&viewer))).await;
        assert_eq!(page.status, StatusCode::OK);
        let count = |text: &str| page.text().matches(text).count();
        // One in the side bar, one in the menu of phones.
        assert!(count("/sign-out\"") > 0);
        assert_eq!(
            count("method=\"post\""),
            count("/sign-out\""),
            "only those to sign out: {}",
            page.text()
        );
        for button in [">Connect a user<", ">Disconnect<", ">Erase<"] {
            assert!(!page.text().contains(button), "{path} {button}");
        }
        let page = service.browse("GET", path, Some(&cookie(&operator))).await;
        assert!(page.text().contains("button danger") || page.text().contains(">Connect a user<"));
    }
    let path = "/dashboard/accounts/mail/ada/erase";
    let page = service.browse("GET", path, Some(&cookie(&operator))).await;
    page.assert_contains("Erase permanently");
    assert!(page.text().contains(&csrf));
}
