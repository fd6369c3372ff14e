//! The pages of the activity, and their live stream.

use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::json;
use stead_core::{
    api::Paging,
    resource::{ListExecutions, Role},
};
use tower::ServiceExt as _;

use super::STREAM;
use crate::{
    dashboard::{
        session::tests::session_of,
        tests::{Browser, ODD, ODD_AS_TEXT, ODD_IN_PATH, executed, with_markup},
    },
    testing::{TestService, json_response},
};

#[tokio::test(start_paused = true)]
async fn calls_are_found_counted_and_explained() {
    let service = with_markup().await;
    let good = executed(&service).await;
    let body = serde_json::json!({ "connection_name": "mail", "identifier": "<i>", "input": {} });
    service
        .post("/v1/tools/mail_list_drafts/execute", body)
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let browser = Browser::new(service);
    let page = browser.get("/dashboard/activity").await;
    for part in [
        ODD_AS_TEXT,
        "&lt;i&gt;",
        "authorization_required",
        "Show the numbers as a table",
        "Unknown connection",
        "data-stream=\"&#x2f;dashboard&#x2f;activity&#x2f;live?kind=calls&amp;\"",
    ] {
        // Both calls name a connection that exists.
        match part {
            "Unknown connection" => assert!(!page.text().contains(part)),
            _ => page.assert_contains(part),
        }
    }
    assert!(!page.text().contains("<i>"), "{}", page.text());
    for (query, found) in [
        ("outcome=ok", [true, false]),
        ("outcome=authorization_required", [false, true]),
        ("identifier=%3Ci%3E", [false, true]),
        ("tool=mail_list_drafts&time=week", [true, true]),
        ("connection_name=other&time=hour", [false, false]),
    ] {
        let page = browser.get(&format!("/dashboard/activity?{query}")).await;
        let rows = [ODD_AS_TEXT, "&lt;i&gt;"]
            .map(|user| page.text().contains(&format!("title=\"{user}\"")));
        assert_eq!(rows, found, "{query}");
    }
    let page = browser.get(&format!("/dashboard/activity/{good}")).await;
    page.assert_contains("Read only");
    page.assert_contains(&format!("/dashboard/accounts/mail/{ODD_IN_PATH}").replace('/', "&#x2f;"));
    let environment = browser.0.platform.environment();
    let mut failed = stead_core::resource::ExecutionFilter::default();
    failed.outcome = Some(String::from("authorization_required"));
    let failed = environment
        .send(
            ListExecutions::new()
                .filter(failed.clone())
                .page(Paging::new(None, 1)),
        )
        .await
        .unwrap();
    let failed = failed.items[0].execution_id;
    let page = browser.get(&format!("/dashboard/activity/{failed}")).await;
    for part in [
        "Who needs to act: <b>The user</b>",
        "Create a new link on the account’s page",
        "This account no longer exists.",
        "Stead sent nothing to the product.",
    ] {
        page.assert_contains(part);
    }
    let gone = browser
        .get("/dashboard/activity/exec_00000000000000000000000000000000")
        .await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn events_are_paged_newest_first() {
    let service = TestService::new().await.with_account(ODD).await;
    for round in 0..60 {
        let path = format!(
            "/v1/accounts/mail/{ODD_IN_PATH}/{}",
            ["suspend", "resume"][round % 2]
        );
        service.call("POST", &path, None).await;
    }
    let browser = Browser::new(service);
    let path = "/dashboard/activity/events?about=account";
    let first = browser.get(path).await;
    first.assert_contains(ODD_AS_TEXT);
    first.assert_contains("Account resumed");
    assert_eq!(first.text().matches("<tr id=\"evt_").count(), 50);
    let (_, next) = first.text().split_once("page_token=").unwrap();
    let (token, _) = next.split_once('"').unwrap();
    let rest = browser.get(&format!("{path}&page_token={token}")).await;
    rest.assert_contains("Account activated");
    rest.assert_contains("Account created");
    assert!(
        !rest.text().contains("data-stream"),
        "what is older does not change"
    );
    let none = browser
        .get("/dashboard/activity/events?about=webhook")
        .await;
    none.assert_contains("No matching events");
}

/// The response with a stream of this service.
async fn stream(service: &TestService, session: &str, query: &str) -> http::Response<Body> {
    let request = Request::get(format!("{STREAM}?{query}"))
        .header(header::HOST, "127.0.0.1")
        .header(header::ACCEPT, "text/event-stream")
        .header(header::COOKIE, format!("stead-80={session}"));
    let request = request.body(Body::empty()).unwrap();
    service.router.clone().oneshot(request).await.unwrap()
}

/// The next text of a stream. `None` at its end.
async fn next(stream: &mut http::Response<Body>) -> Option<String> {
    let frame = stream.body_mut().frame().await?;
    let bytes = frame.unwrap().into_data().unwrap();
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_stream_shows_new_entries_and_ends_with_the_session() {
    let service = with_markup().await;
    let environment = service.platform.environment();
    let (session, _) = session_of(environment, Role::Viewer).await;
    let mut calls = stream(&service, &session, "kind=calls&tool=mail_list_drafts").await;
    assert_eq!(calls.headers()[header::CONTENT_TYPE], "text/event-stream");
    let mut others = stream(&service, &session, "kind=calls&tool=other").await;
    let mut events = stream(&service, &session, "kind=events&about=account").await;
    let first = next(&mut events).await.unwrap();
    assert!(first.starts_with("event: rows\ndata: "), "{first}");
    assert!(
        first.contains("Account activated") && first.ends_with("\n\n"),
        "{first}"
    );
    let id = executed(&service).await;
    let rows = next(&mut calls).await.unwrap();
    assert!(rows.contains(&id) && rows.contains(ODD_AS_TEXT), "{rows}");
    // The charts are updated too.
    let summary = next(&mut calls).await.unwrap();
    assert!(summary.contains("event: summary\n"), "{summary}");
    let second = executed(&service).await;
    let rows = next(&mut calls).await.unwrap();
    assert!(rows.contains(&second) && !rows.contains(&id), "{rows}");
    environment.sign_out(&session).await.unwrap();
    let third = executed(&service).await;
    while let Some(more) = next(&mut others).await {
        assert!(!more.contains("event: rows"), "{more}");
    }
    while next(&mut events).await.is_some() {}
    while let Some(more) = next(&mut calls).await {
        assert!(!more.contains(&third), "{more}");
    }
    let refused = stream(&service, &session, "kind=calls").await;
    assert_eq!(refused.status(), StatusCode::SEE_OTHER);
}

#[tokio::test(start_paused = true)]
async fn streams_are_limited_and_their_address_redirects_to_the_page() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let (session, _) = session_of(environment, Role::Viewer).await;
    let mut open = Vec::new();
    for _ in 0..100 {
        let one = stream(&service, &session, "kind=events").await;
        assert_eq!(one.status(), StatusCode::OK);
        open.push(one);
    }
    let refused = stream(&service, &session, "kind=events").await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    open.pop();
    let mut again = stream(&service, &session, "kind=events").await;
    assert_eq!(again.status(), StatusCode::OK);
    assert!(next(&mut again).await.is_some());
    // A browser that opens the stream's address gets the page.
    let cookie = format!("stead-80={session}");
    let page = service.browse("GET", STREAM, Some(&cookie)).await;
    assert_eq!(page.header("location"), "/dashboard/activity");
}

#[tokio::test(start_paused = true)]
async fn a_refused_raw_request_is_shown_and_counted_as_a_failure() {
    let service = TestService::with_products(|_| {
        let mut response = json_response(&json!({}));
        *response.status_mut() = StatusCode::FORBIDDEN;
        response
    });
    let service = service.await.with_account(ODD).await;
    let path = "/gmail/v1/users/grace@example.com/messages/send";
    let body =
        json!({ "connection_name": "mail", "identifier": ODD, "method": "POST", "path": path });
    let refused = service.post("/v1/proxy", body).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let id = refused.header("stead-execution-id").to_owned();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let read = service.get(&format!("/v1/executions/{id}")).await.json();
    assert_eq!(
        json!([read["outcome"], read["product_status"], read["path"]]),
        json!([
            "product_forbidden",
            403,
            "/gmail/v1/users/{id}/messages/send"
        ])
    );
    let browser = Browser::new(service);
    let page = browser.get(&format!("/dashboard/activity/{id}")).await;
    let shown = "POST &#x2f;gmail&#x2f;v1&#x2f;users&#x2f;{id}&#x2f;messages&#x2f;send";
    for part in ["Refused by Gmail (403)", shown] {
        page.assert_contains(part);
    }
    assert!(!page.text().contains("The call succeeded"));
    for path in ["activity", "activity?outcome=product_forbidden", ""] {
        let page = browser.get(&format!("/dashboard/{path}")).await;
        page.assert_contains("product_forbidden");
        assert!(!page.text().contains("grace@example.com"), "{path}");
    }
}
