//! What holds for every route.

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};
use stead::core::environment::Verification;

use crate::testing::{House, answer_json};

/// Method and path of every route that an application calls.
const ROUTES: &[(&str, &str)] = &[
    ("GET", "/v1/connections"),
    ("POST", "/v1/connections"),
    ("GET", "/v1/connections/mail"),
    ("PATCH", "/v1/connections/mail"),
    ("DELETE", "/v1/connections/mail"),
    ("POST", "/v1/authorization-links"),
    ("POST", "/v1/authorizations/auth_1/verify"),
    ("GET", "/v1/accounts"),
    ("GET", "/v1/accounts/mail/u1"),
    ("DELETE", "/v1/accounts/mail/u1"),
    ("POST", "/v1/accounts/mail/u1/suspend"),
    ("POST", "/v1/accounts/mail/u1/resume"),
    ("POST", "/v1/accounts/mail/u1/refresh"),
    ("GET", "/v1/tools"),
    ("GET", "/v1/tools/mail_list_drafts"),
    ("POST", "/v1/tools/mail_list_drafts/execute"),
    ("POST", "/v1/proxy"),
    ("GET", "/proxy/mail/u1/v1/users/me/profile"),
    ("PROPFIND", "/proxy/mail/u1"),
];

#[tokio::test]
async fn every_route_of_an_application_asks_who_it_is() {
    let house = House::new().await;
    for (method, path) in ROUTES {
        let request = || Request::builder().method(*method).uri(*path);
        let stranger = house.send(request().body(Body::empty()).unwrap()).await;
        assert_eq!(stranger.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert_eq!(
            stranger.header("www-authenticate"),
            r#"Bearer realm="stead""#
        );
        assert_eq!(stranger.problem()["kind"], "unauthenticated");
        let wrong = request()
            .header(header::AUTHORIZATION, "Bearer stead_token_wrong")
            .body(Body::empty())
            .unwrap();
        let wrong = house.send(wrong).await;
        assert_eq!(wrong.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert_eq!(
            wrong.header("www-authenticate"),
            r#"Bearer realm="stead", error="invalid_token""#
        );
    }
}

#[tokio::test]
async fn an_unknown_path_is_a_problem() {
    let house = House::new().await;
    for path in [
        "/nothing",
        "/v1/",
        "/v1/accounts/mail",
        "/connect/a/b",
        "/sso/v1/oauth/conn_1",
    ] {
        let answered = house.browse("GET", path, None).await;
        assert_eq!(answered.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(
            answered.problem(),
            json!({"kind": "not_found", "detail": "there is nothing at this path; GET / says where to look"}),
        );
    }
}

#[tokio::test]
async fn a_wrong_method_is_a_problem_that_names_the_right_ones() {
    let house = House::new().await;
    for (method, path, allowed) in [
        ("DELETE", "/oauth/token", "POST"),
        ("PUT", "/v1/connections", "GET,HEAD,POST"),
        ("POST", "/v1/accounts/mail/u1", "GET,HEAD,DELETE"),
        ("PUT", "/connect/abc", "GET,HEAD,POST"),
    ] {
        let answered = house.browse(method, path, None).await;
        assert_eq!(
            answered.status,
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {path}"
        );
        assert_eq!(answered.header("allow"), allowed);
        assert_eq!(answered.problem()["kind"], "method_not_allowed");
    }
}

#[tokio::test]
async fn request_ids_differ() {
    let house = House::new().await;
    let id = async || {
        let body = house.browse("GET", "/nothing", None).await.body;
        serde_json::from_slice::<Value>(&body).unwrap()["request_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (first, second) = (id().await, id().await);
    assert_ne!(first, second);
    assert_eq!(first.len(), "req_".len() + 16);
}

#[tokio::test]
async fn the_root_says_what_this_is() {
    let house = House::open(
        "https://example.com/stead/",
        Verification::Application,
        |_| answer_json(&json!({})),
    )
    .await;
    let answered = house.browse("GET", "/", None).await;
    assert_eq!(
        answered.json(),
        json!({
            "service": "stead",
            "version": env!("CARGO_PKG_VERSION"),
            "token_url": "https://example.com/stead/oauth/token",
            "tools_url": "https://example.com/stead/v1/tools",
            "health_url": "https://example.com/stead/healthz",
        }),
    );
    let request = Request::get("/")
        .header(header::ACCEPT, "text/html,application/xhtml+xml")
        .body(Body::empty())
        .unwrap();
    let page = house.send(request).await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let text = page.text().replace("&#x2f;", "/");
    assert!(
        text.contains("POST https://example.com/stead/oauth/token"),
        "{text}"
    );
}

#[tokio::test]
async fn health_and_readiness() {
    let house = House::new().await;
    assert_eq!(
        house.browse("GET", "/healthz", None).await.json(),
        json!({"status": "ok"})
    );
    assert_eq!(
        house.browse("GET", "/readyz", None).await.json(),
        json!({"status": "ready"})
    );
    house.platform.shut_down().await;
    assert_eq!(
        house.browse("GET", "/healthz", None).await.status,
        StatusCode::OK
    );
    let answered = house.browse("GET", "/readyz", None).await;
    assert_eq!(
        (answered.status, answered.problem()["kind"].as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, Some("shutting_down"))
    );
}

#[tokio::test]
async fn a_panic_ends_in_a_problem_that_quotes_nothing() {
    let house = House::answering(|_| panic!("CANARY"))
        .await
        .with_account("u1")
        .await;
    let answered = house
        .call("GET", "/proxy/mail/u1/v1/users/me/profile", None)
        .await;
    assert_eq!(answered.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(answered.problem()["kind"], "internal");
    assert!(!answered.text().contains("CANARY"), "{}", answered.text());
    assert_eq!(
        house.browse("GET", "/healthz", None).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn nested_in_an_application_it_answers_under_its_prefix() {
    let house = House::open(
        "https://example.com/stead",
        Verification::LinkPossession,
        |received| answer_json(&json!({"uri": received.uri})),
    )
    .await;
    let nested = house.within(|router| axum::Router::new().nest("/stead", router));
    assert_eq!(
        nested.browse("GET", "/stead/healthz", None).await.status,
        StatusCode::OK
    );
    nested.connect_mail().await;
    let link = nested.link("u1", None).await;
    assert_eq!(
        nested.browse("GET", &link, None).await.status,
        StatusCode::OK
    );
    let answered = nested.call("GET", "/stead/proxy/mail/u1/v1/x", None).await;
    assert_eq!(answered.problem()["kind"], "authorization_required");
}
