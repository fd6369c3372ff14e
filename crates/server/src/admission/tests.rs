//! What is refused before a handler sees it, through the router.

use std::{convert::Infallible, net::SocketAddr, pin::pin};

use axum::{body::Body, extract::ConnectInfo};
use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use http::{Request, StatusCode, header};
use secrecy::ExposeSecret as _;
use stead::{ErrorKind, core::environment::Verification};
use tower::ServiceExt as _;

use crate::{
    ServerOptions, router_with,
    testing::{TestService, everything, json_response},
};

/// A service with other options.
fn with_options(service: TestService, options: &ServerOptions) -> TestService {
    let router = router_with(&service.platform, options);
    service.within(|_| router)
}

#[tokio::test]
async fn beyond_the_bound_a_request_is_refused_at_once_and_health_still_answers() {
    let options = ServerOptions {
        max_requests: 1,
        ..ServerOptions::default()
    };
    let service = with_options(TestService::new().await, &options);
    let never = stream::pending::<Result<Bytes, Infallible>>();
    let waiting = service
        .request("POST", "/v1/proxy")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from_stream(never))
        .unwrap();
    let mut waiting = Box::pin(service.router.clone().oneshot(waiting));
    assert!(waiting.as_mut().now_or_never().is_none());

    let refused = service.get("/v1/tools").await;
    refused.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "overloaded");
    assert_eq!(refused.header("retry-after"), "1");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(service.visit(path).await.status, StatusCode::OK, "{path}");
    }
    drop(waiting);
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_request_counts_until_its_response_has_been_read() {
    let options = ServerOptions {
        max_requests: 1,
        ..ServerOptions::default()
    };
    let service = with_options(TestService::new().await, &options);
    let request = service.request("GET", "/v1/tools").body(Body::empty());
    let unread = pin!(service.router.clone().oneshot(request.unwrap())).await;
    assert_eq!(
        service.get("/v1/tools").await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    drop(unread);
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_application_that_floods_leaves_room_for_others() {
    let options = ServerOptions {
        max_requests: 8,
        ..ServerOptions::default()
    };
    let service = with_options(TestService::new().await, &options);
    let other = service.with_credential(everything("other")).await;
    let begin = async |service: &TestService| {
        let request = service.request("GET", "/v1/tools").body(Body::empty());
        let response = service.router.clone().oneshot(request.unwrap()).await;
        response.unwrap()
    };
    let mut unread = Vec::new();
    for _ in 0..6 {
        unread.push(begin(&service).await);
    }
    let refused = service.get("/v1/tools").await;
    refused.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "overloaded");
    assert!(
        refused.problem()["detail"]
            .as_str()
            .unwrap()
            .contains("6 requests")
    );
    unread.push(begin(&other).await);
    assert_eq!(other.get("/v1/tools").await.status, StatusCode::OK);
    drop(unread);
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
}

#[tokio::test]
async fn browsers_reach_the_service_by_its_own_names_only() {
    let service = TestService::open(
        "https://stead.example.com",
        Verification::LinkPossession,
        |_| json_response(&serde_json::json!({})),
    )
    .await;
    let options = ServerOptions {
        allowed_hosts: vec![String::from("Stead.internal")],
        ..ServerOptions::default()
    };
    let service = with_options(service, &options);
    let status = async |host: &str, path: &str| {
        let request = Request::get(path).header(header::HOST, host);
        service.send(request.body(Body::empty()).unwrap()).await
    };
    for host in [
        "stead.example.com",
        "STEAD.example.com:443",
        "stead.example.com.",
        "stead.internal:8484",
        "localhost:8484",
        "127.0.0.1:8484",
        "[::1]:8484",
    ] {
        let response = status(host, "/connect/done").await;
        assert_eq!(response.status, StatusCode::OK, "{host}");
    }
    for host in [
        "rebound.example.net",
        "stead.example.com.evil.test",
        "192.0.2.7:8484",
        "127.0.0.1.nip.io",
        "a b",
    ] {
        let response = status(host, "/connect/done").await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{host}");
        let back = status(host, "/sso/v1/oauth/conn_1/callback?state=x").await;
        let kind = format!("kind={}", ErrorKind::HostRejected);
        assert!(back.header("location").contains(&kind), "{host}: {back:?}");
    }
    let health = status("192.0.2.7:8484", "/healthz").await;
    assert_eq!(health.status, StatusCode::OK, "machines may use any name");
}

/// A request as it comes from an address.
async fn from(
    service: &TestService,
    address: &str,
    request: http::request::Builder,
    body: &str,
) -> crate::testing::TestResponse {
    let mut request = request.body(Body::from(body.to_owned())).unwrap();
    let peer: SocketAddr = address.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    service.send(request).await
}

#[tokio::test]
async fn a_stranger_who_guesses_links_is_slowed_down_and_no_one_else() {
    let service = TestService::new().await;
    let guess = async |address: &str| {
        let path = format!("/connect/{}", "x".repeat(43));
        from(&service, address, Request::get(path), "").await
    };
    let mut passed = 0;
    let refused = loop {
        let response = guess(&format!("[2001:db8::{passed}]:1")).await;
        if response.status != StatusCode::NOT_FOUND {
            break response;
        }
        passed += 1;
    };
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("retry-after"), "1");
    assert!(passed >= 100, "{passed}");
    let other = guess("192.0.2.7:1").await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    let callback = "/sso/v1/oauth/conn_1/callback?state=x";
    loop {
        let back = from(&service, "[2001:db8::1]:1", Request::get(callback), "").await;
        if back.header("location").contains("kind=rate_limited") {
            break;
        }
    }
}

#[tokio::test]
async fn wrong_secrets_are_slowed_down_and_the_right_one_is_not_locked_out() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let credential = environment
        .create_app_credential(everything("app"))
        .await
        .unwrap();
    let ask = async |secret: &str| {
        let request = Request::post("/oauth/token")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let id = &credential.credential.client_id;
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        from(&service, "127.0.0.1:1", request, &form).await
    };
    let mut refused = 0;
    let slowed = loop {
        let response = ask("wrong").await;
        if response.status != StatusCode::UNAUTHORIZED {
            break response;
        }
        refused += 1;
    };
    assert!(refused >= 10, "{refused}");
    assert_eq!(slowed.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(slowed.json()["error"], "temporarily_unavailable");
    assert_eq!(slowed.header("retry-after"), "1");
    let secret = credential.client_secret.expose_secret();
    assert_eq!(ask(secret).await.status, StatusCode::OK);

    let mut issued = 1;
    while ask(secret).await.status == StatusCode::OK {
        issued += 1;
    }
    assert!(issued >= 100, "{issued}");
    assert_eq!(ask(secret).await.header("retry-after"), "1");
}

#[tokio::test]
async fn readiness_is_answered_however_often_anyone_asks() {
    let service = TestService::new().await;
    for _ in 0..200 {
        assert_eq!(service.visit("/readyz").await.status, StatusCode::OK);
    }
}
