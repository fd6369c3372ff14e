//! The first steps, and pages that don't exist.

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::json;
use stead_core::resource::Role;
use tower::ServiceExt as _;

use crate::{
    dashboard::{session::browse_as, tests::Browser},
    testing::TestService,
};

#[tokio::test]
async fn an_unknown_dashboard_path_is_a_page_except_in_an_embedded_service() {
    let browser = Browser::new(TestService::new().await);
    let unknown = browser.get("/dashboard/nothing/here").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    unknown.assert_contains("Go to Home");
    let platform = &browser.0.platform;
    let router = crate::router(platform);
    for (path, status) in [
        ("/dashboard", StatusCode::NOT_FOUND),
        ("/dashboard/sign-in", StatusCode::NOT_FOUND),
        ("/dashboard/nothing", StatusCode::NOT_FOUND),
        ("/healthz", StatusCode::OK),
    ] {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_list_of_first_steps_ends_with_a_call_that_succeeded() {
    let service = TestService::new().await;
    let page = async |service: &TestService| {
        let page = browse_as(service, Role::Owner, "/dashboard").await;
        page.text().to_owned()
    };
    let call = json!({ "connection_name": "mail", "identifier": "ada", "input": {} });
    service
        .post("/v1/tools/mail_list_drafts/execute", call.clone())
        .await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let first = page(&service).await;
    for part in ["Get started", "accounts&#x2f;connect"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let service = service.with_account("ada").await;
    let called = service
        .post("/v1/tools/mail_list_drafts/execute", call)
        .await;
    assert_eq!(called.status, StatusCode::OK, "{}", called.text());
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(!page(&service).await.contains("Get started"));
}
