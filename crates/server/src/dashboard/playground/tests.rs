//! The playground: its form, its two kinds of calls, and how it shows their results.

use http::StatusCode;
use serde_json::json;
use stead_core::{
    api::Paging,
    resource::{AuditFilter, ListAuditEntries, Role},
};

use crate::{
    dashboard::{
        session::browse_as,
        tests::{Browser, ODD, ODD_AS_TEXT, SCRIPT, SCRIPT_AS_TEXT, with_markup},
    },
    testing::{TestService, json_response},
};

const PAGE: &str = "/dashboard/playground";
const RUN: &str = "/dashboard/playground/run";

/// A call of the tool that finds mails, for the user whose identifier is markup.
fn call<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let own = [
        ("connection_name", "mail"),
        ("identifier", ODD),
        ("tool", "mail_fetch_mails"),
    ];
    own.into_iter().chain(more.iter().copied()).collect()
}

#[tokio::test]
async fn a_tool_is_run_by_its_form_and_its_result_is_shown_as_text() {
    let browser = Browser::new(with_markup().await);
    let page = browser.get(PAGE).await;
    page.assert_contains("mail_fetch_mails");
    page.assert_contains(ODD_AS_TEXT);
    page.assert_contains("name=\"i&#x2f;query\"");
    let ran = browser.act(RUN, &call(&[("i/query", "is:unread")])).await;
    assert_eq!(ran.status, StatusCode::OK);
    ran.assert_contains(SCRIPT_AS_TEXT);
    ran.assert_contains("data-copy=\"exec_");
    assert!(!ran.text().contains(SCRIPT), "{}", ran.text());
    // The input is still there for the next call, and the call is also shown as code.
    ran.assert_contains("\nis:unread</textarea>");
    ran.assert_contains("Authorization: Bearer $TOKEN");
    let sent = browser.0.received();
    assert!(sent.iter().any(|one| one.uri.contains("q=is%3Aunread")));
    assert!(ran.text().len() < 100_000, "{}", ran.text().len());
}

#[tokio::test]
async fn a_result_is_shown_in_the_form_that_was_asked_for() {
    let browser = Browser::new(with_markup().await);
    let wanted = [
        ("view", "readable"),
        ("fields", "messages.id, messages.subject"),
        ("max_bytes", "4096"),
    ];
    let ran = browser.act(RUN, &call(&wanted)).await;
    assert_eq!(ran.status, StatusCode::OK);
    ran.assert_contains("<option selected>readable</option>");
    ran.assert_contains("value=\"messages.id, messages.subject\"");
    ran.assert_contains("&quot;max_bytes&quot;: 4096");
    for (name, value) in [("view", "short"), ("max_bytes", "many")] {
        let refused = browser.act(RUN, &call(&[(name, value)])).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{name}");
    }
}

#[tokio::test]
async fn a_dry_run_shows_the_requests_without_the_token_and_changes_nothing() {
    let browser = Browser::new(with_markup().await);
    let before = browser.0.received().len();
    let path = "/dashboard/playground/dry-run";
    let planned = browser.act(path, &call(&[("i/query", SCRIPT)])).await;
    planned.assert_contains("Nothing changed");
    planned.assert_contains("q=%3Cscript%3E");
    planned.assert_contains("<code>user-agent</code>");
    assert!(
        !planned
            .text()
            .to_lowercase()
            .contains("<code>authorization</code>")
    );
    assert!(!planned.text().contains(SCRIPT));
    let sent = browser.0.received().split_off(before);
    assert!(!sent.is_empty() && sent.iter().all(|one| one.method == "GET"));
}

#[tokio::test]
async fn input_faults_are_at_their_fields_and_errors_say_who_acts() {
    let browser = Browser::new(with_markup().await);
    let faulty = call(&[("i/max_results", "<many>"), ("i/label_ids/1", "x")]);
    let refused = browser.act(RUN, &faulty).await;
    refused.assert_contains("value=\"&lt;many&gt;\"");
    let (_, field) = refused
        .text()
        .split_once("id=\"i&#x2f;max_results\"")
        .unwrap();
    let (field, _) = field.split_once("</div>").unwrap();
    assert!(field.contains("class=\"error\""), "{field}");
    refused.assert_contains("The application’s developer");
    let mut other = call(&[]);
    other[1].1 = "no one";
    let refused = browser.act(RUN, &other).await;
    refused.assert_contains("authorization_required");
    refused.assert_contains("The user. Create a new link:");
    for json in ["{", "[]", "{\"a\": 1}"] {
        let refused = browser.act(RUN, &call(&[("input", json)])).await;
        assert_eq!(refused.status, StatusCode::OK);
        refused.assert_contains("<textarea id=\"input\"");
    }
}

#[tokio::test]
async fn the_input_is_kept_between_form_and_json() {
    let browser = Browser::new(with_markup().await);
    let own = "connection_name=mail&identifier=u&tool=mail_fetch_mails";
    let get = |more: &str| format!("{PAGE}?{own}&{more}");
    let json = browser
        .get(&get("i/query=a%20%3Cb%3E&i/max_results=5&as=json"))
        .await;
    json.assert_contains("&quot;query&quot;: &quot;a &lt;b&gt;&quot;");
    json.assert_contains("&quot;max_results&quot;: 5");
    let form = browser
        .get(&get(
            "input=%7B%22query%22:%22a%22,%22max_results%22:7%7D&as=form",
        ))
        .await;
    form.assert_contains("\na</textarea>");
    form.assert_contains("value=\"7\"");
    // Members without a field stay JSON.
    let kept = browser.get(&get("input=%7B%22other%22:1%7D&as=form")).await;
    kept.assert_contains("The form has no field for <code>other</code>");
    for wrong in ["x=1", "as=xml"] {
        let refused = browser.get(&get(wrong)).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn a_raw_request_shows_the_products_response() {
    let service = TestService::with_products(|received| match received.uri.contains("/bytes") {
        true => {
            let response = http::Response::builder().header("content-type", "image/png");
            response.body(vec![0, 159, 1].into()).unwrap()
        }
        false => json_response(&json!({ "echo": SCRIPT })),
    });
    let browser = Browser::new(service.await.with_account("u").await);
    let send = |path: &'static str, more: &[(&'static str, &'static str)]| {
        let own = [
            ("connection_name", "mail"),
            ("identifier", "u"),
            ("path", path),
        ];
        let fields: Vec<_> = own.into_iter().chain(more.iter().copied()).collect();
        let browser = &browser;
        async move {
            browser
                .act("/dashboard/playground/proxy/send", &fields)
                .await
        }
    };
    let get = [("method", "GET")];
    let shown = send("/v1/users/me/profile?a=b", &get).await;
    shown.assert_contains(">200 OK</span>");
    shown.assert_contains("&lt;script&gt;");
    assert!(!shown.text().contains(SCRIPT));
    let bytes = send("/v1/users/me/bytes", &get).await;
    bytes.assert_contains("3 bytes of <code>image&#x2f;png</code>");
    let refused = send(
        "/v1/users/me/profile",
        &[("method", "GET"), ("headers", "no colon")],
    )
    .await;
    refused.assert_contains("Nothing was sent.");
    let refused = send("/elsewhere", &get).await;
    refused.assert_contains("Who needs to act");
    let code = browser
        .get("/dashboard/playground/proxy?connection_name=mail&identifier=u&method=POST&path=/v1/x&body=%7B%22a%22:1%7D")
        .await;
    code.assert_contains("Method::POST");
}

#[tokio::test]
async fn a_viewer_sees_everything_and_no_button_that_runs() {
    let service = with_markup().await;
    for path in [PAGE, "/dashboard/playground/proxy"] {
        let page = browse_as(&service, Role::Viewer, path).await;
        assert_eq!(page.status, StatusCode::OK);
        page.assert_contains("You need the role operator to ");
        assert!(!page.text().contains("formmethod=\"post\""), "{path}");
    }
}

#[tokio::test]
async fn calls_by_members_are_in_the_audit_log_without_user_data() {
    let browser = Browser::new(with_markup().await);
    let entries = async || {
        let environment = browser.0.platform.environment();
        let mut filter = AuditFilter::default();
        filter.action = Some(String::from("call.by_member"));
        let found = environment.send(
            ListAuditEntries::new()
                .filter(filter.clone())
                .page(Paging::new(None, 10)),
        );
        found.await.unwrap().items
    };
    browser
        .act("/dashboard/playground/dry-run", &call(&[]))
        .await;
    assert!(entries().await.is_empty(), "a dry run sends nothing");
    browser
        .act(RUN, &call(&[("i/query", "CANARY-query")]))
        .await
        .assert_contains("Result as JSON");
    let send = "/dashboard/playground/proxy/send";
    let raw = [
        ("connection_name", "mail"),
        ("identifier", ODD),
        ("method", "GET"),
        ("path", "/v1/users/me/messages/18c2CANARY?q=CANARY"),
    ];
    browser
        .act(send, &raw)
        .await
        .assert_contains(">200 OK</span>");
    let [raw, tool] = <[_; 2]>::try_from(entries().await).unwrap();
    assert_eq!(tool.facts["tool"], "mail_fetch_mails");
    let template = json!(["GET /gmail/v1/users/me/messages/{}"]);
    assert_eq!(raw.facts["requests"], template);
    for entry in [&raw, &tool] {
        assert_eq!(entry.actor.kind, "member");
        assert_eq!(entry.facts["connection_name"], "mail");
        assert!(
            entry.facts["execution_id"]
                .as_str()
                .unwrap()
                .starts_with("exec_")
        );
        let text = serde_json::to_string(entry).unwrap();
        assert!(!text.contains("CANARY") && !text.contains(ODD), "{text}");
    }
    // Calls by an application only appear in the history.
    let body = json!({ "connection_name": "mail", "identifier": ODD, "input": {} });
    let called = browser.0.post("/v1/tools/mail_fetch_mails/execute", body);
    assert_eq!(called.await.status, StatusCode::OK);
    assert_eq!(entries().await.len(), 2);
}
