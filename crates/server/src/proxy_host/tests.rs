//! The routes where an account token works, and the requests that the proxy host accepts.

use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::Host;
use crate::{
    ServerOptions, routers, table,
    testing::{PROXY_URL, TestResponse, TestService, json_response},
};

const PROFILE: &str = "/gmail/v1/users/me/profile";

/// A service with the account `u1`, whose product repeats the request.
async fn service() -> TestService {
    TestService::with_products(|received| {
        let asked = json!({"asked": format!("{} {}", received.method, received.uri)});
        let mut response = json_response(&asked);
        if received.uri.contains("/upload/") {
            let session = received.uri.clone() + "&upload_id=1";
            let session = session.parse().unwrap();
            response.headers_mut().insert(header::LOCATION, session);
        }
        response
    })
    .await
    .with_account("u1")
    .await
}

async fn token(service: &TestService, access: &str) -> String {
    let new = json!({"connection_name": "mail", "identifier": "u1", "access": access});
    let created = service.post("/v1/account-tokens", new).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text());
    let mut created: Value = serde_json::from_slice(&created.body).unwrap();
    serde_json::from_value(created["token"].take()).unwrap()
}

/// Sends a request with a token to the host that it names.
async fn send(
    service: &TestService,
    token: &str,
    host: &str,
    method: &str,
    path: &str,
) -> TestResponse {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, host)
        .header(header::AUTHORIZATION, format!("Bearer {token}"));
    service.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn an_account_token_is_refused_at_every_other_route_account_host_and_method() {
    let service = service().await;
    let write = token(&service, "write").await;
    for (access, routes) in table() {
        for route in routes.iter().filter(|_| access.takes_token()) {
            let path: Vec<&str> = route
                .path
                .split('/')
                .map(|step| if step.starts_with('{') { "x" } else { step })
                .collect();
            let method = match route.method {
                "ANY" => "GET",
                one => one,
            };
            let refused = send(&service, &write, "127.0.0.1", method, &path.join("/")).await;
            let name = format!("{} {}", route.method, route.path);
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{name}");
            assert_eq!(refused.problem()["kind"], "insufficient_scope", "{name}");
            assert_eq!(
                refused.header("www-authenticate"),
                r#"Bearer realm="stead", error="insufficient_scope""#,
                "{name}"
            );
        }
    }
    assert!(
        service
            .received()
            .iter()
            .all(|one| !one.uri.contains("gmail.googleapis.com"))
    );

    let read = token(&service, "read").await;
    let below = format!("/proxy/mail/u1{PROFILE}");
    let draft = "/gmail/v1/users/me/drafts";
    let proxy = "proxy.example.com";
    for (token, host, method, path, status) in [
        (&read, "127.0.0.1", "GET", below.as_str(), StatusCode::OK),
        (&read, "127.0.0.1", "POST", &below, StatusCode::FORBIDDEN),
        (&write, "127.0.0.1", "POST", &below, StatusCode::OK),
        (&write, "127.0.0.1", "GET", PROFILE, StatusCode::NOT_FOUND),
        (&read, proxy, "GET", PROFILE, StatusCode::OK),
        (
            &read,
            "PROXY.example.com:443",
            "GET",
            PROFILE,
            StatusCode::OK,
        ),
        (&read, proxy, "POST", draft, StatusCode::FORBIDDEN),
        (&write, proxy, "POST", draft, StatusCode::OK),
        (
            &write,
            proxy,
            "OPTIONS",
            PROFILE,
            StatusCode::METHOD_NOT_ALLOWED,
        ),
        (&write, proxy, "GET", &below, StatusCode::BAD_REQUEST),
        (&write, proxy, "GET", "/v1/tools", StatusCode::BAD_REQUEST),
        (&write, proxy, "GET", "/healthz", StatusCode::BAD_REQUEST),
        (
            &write,
            "other.example.com",
            "GET",
            PROFILE,
            StatusCode::NOT_FOUND,
        ),
    ] {
        let response = send(&service, token, host, method, path).await;
        assert_eq!(response.status, status, "{method} {host}{path}");
    }
}

#[tokio::test]
async fn the_proxy_host_accepts_only_account_tokens_and_says_so() {
    let service = service().await;
    let of_the_application = service
        .request("GET", PROFILE)
        .header(header::HOST, "proxy.example.com");
    let refused = service
        .send(of_the_application.body(Body::empty()).unwrap())
        .await;
    refused.assert_problem(StatusCode::FORBIDDEN, "insufficient_scope");
    refused.assert_contains("create one with POST /v1/account-tokens");
    for (authorization, challenge) in [
        (None, r#"Bearer realm="stead""#),
        (Some("Basic eDp5"), r#"Bearer realm="stead""#),
        (
            Some("Bearer stead_account_wrong"),
            r#"Bearer realm="stead", error="invalid_token""#,
        ),
    ] {
        let mut request = Request::get(PROFILE).header(header::HOST, "proxy.example.com");
        if let Some(authorization) = authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let refused = service.send(request.body(Body::empty()).unwrap()).await;
        refused.assert_problem(StatusCode::UNAUTHORIZED, "unauthenticated");
        refused.assert_contains("/v1/account-tokens");
        assert_eq!(refused.header("www-authenticate"), challenge);
    }
}

#[tokio::test]
async fn paths_of_the_proxy_host_are_the_products_own() {
    let service = service().await;
    let write = token(&service, "write").await;
    let path = "/gmail/v1/users/me/messages?q=from%3aada%20OR%20a+b&labelIds=A&labelIds=B";
    let response = send(&service, &write, "proxy.example.com", "GET", path).await;
    assert_eq!(
        response.json()["asked"],
        format!("GET https://gmail.googleapis.com{path}")
    );
    let upload = "/resumable/upload/gmail/v1/users/me/drafts?uploadType=resumable";
    let begun = send(&service, &write, "proxy.example.com", "POST", upload).await;
    assert_eq!(
        begun.header("location"),
        format!("{PROXY_URL}{upload}&upload_id=1")
    );
    // HTTP/2 puts the host into the URI.
    let request = Request::get(format!("{PROXY_URL}{PROFILE}"))
        .header(header::AUTHORIZATION, format!("Bearer {write}"));
    let response = service.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
}

#[tokio::test]
async fn the_connection_has_to_allow_dangerous_requests() {
    let service = service().await;
    let write = token(&service, "write").await;
    let path = "/gmail/v1/users/me/messages/1";
    let delete = || send(&service, &write, "proxy.example.com", "DELETE", path);
    let refused = delete().await;
    refused.assert_problem(StatusCode::FORBIDDEN, "forbidden");
    refused.assert_contains("add delete_messages to its allowed_requests");
    let change = json!({"allowed_requests": ["delete_messages"]});
    let changed = service
        .call("PATCH", "/v1/connections/mail", Some(change))
        .await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    assert_eq!(delete().await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_separate_listener_requires_the_name_of_the_proxy_host() {
    let service = service().await;
    let write = token(&service, "write").await;
    let options = ServerOptions {
        allowed_hosts: vec![String::from("inner.example.com")],
        ..ServerOptions::default()
    };
    let proxy = routers(&service.platform, &options).proxy.unwrap();
    for (host, status) in [
        ("proxy.example.com", StatusCode::OK),
        ("proxy.example.com:8486", StatusCode::OK),
        ("inner.example.com", StatusCode::OK),
        ("127.0.0.1:8486", StatusCode::OK),
        ("evil.example.com", StatusCode::FORBIDDEN),
    ] {
        let request = Request::get(PROFILE)
            .header(header::HOST, host)
            .header(header::AUTHORIZATION, format!("Bearer {write}"));
        let request = request.body(Body::empty()).unwrap();
        let response = proxy.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{host}");
    }
}

#[tokio::test]
async fn the_router_adds_nothing_to_the_response_of_a_product() {
    let service = TestService::with_products(|_| {
        let mut response = http::Response::new(stead_core::ports::Body::Empty);
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    })
    .await
    .with_account("u1")
    .await;
    let write = token(&service, "write").await;
    let below = format!("/proxy/mail/u1{PROFILE}");
    for (host, method, path) in [
        ("127.0.0.1", "GET", below.as_str()),
        ("127.0.0.1", "HEAD", below.as_str()),
        ("proxy.example.com", "GET", PROFILE),
        ("proxy.example.com", "HEAD", PROFILE),
    ] {
        let response = send(&service, &write, host, method, path).await;
        let what = format!("{method} {host}{path}");
        assert_eq!(response.status, StatusCode::NO_CONTENT, "{what}");
        assert_eq!(response.header("content-length"), "", "{what}");
    }
    // The service has this path too, but not with this method.
    let path = "/v1/connections";
    let refused = send(&service, &write, "proxy.example.com", "PUT", path).await;
    refused.assert_problem(StatusCode::BAD_REQUEST, "path_invalid");
    assert_eq!(refused.header("allow"), "");
}

#[test]
fn a_request_to_the_proxy_host_is_recognised_by_its_host() {
    let named = |proxy: &str, public: &str, host: &str| {
        let host_of = Host::new(&proxy.parse().unwrap(), &public.parse().unwrap());
        let request = Request::builder()
            .method(Method::GET)
            .uri("/")
            .header(header::HOST, host);
        host_of.is_named_by(&request.body(Body::empty()).unwrap())
    };
    let other = ("https://proxy.test", "https://stead.test");
    for (host, expected) in [
        ("proxy.test", true),
        ("Proxy.Test.", true),
        ("proxy.test:8080", true),
        ("stead.test", false),
        ("proxy.test.evil.test", false),
        ("", false),
    ] {
        assert_eq!(named(other.0, other.1, host), expected, "{host}");
    }
    for (proxy, public, host, expected) in [
        (
            "http://127.0.0.1:8486",
            "http://127.0.0.1:8484",
            "127.0.0.1:8486",
            true,
        ),
        (
            "http://127.0.0.1:8486",
            "http://127.0.0.1:8484",
            "127.0.0.1:8484",
            false,
        ),
        ("https://a.test", "https://a.test:8443", "a.test", true),
        (
            "https://a.test",
            "https://a.test:8443",
            "a.test:8443",
            false,
        ),
        ("https://a.test:8443", "https://a.test", "a.test", false),
    ] {
        assert_eq!(named(proxy, public, host), expected, "{proxy} {host}");
    }
}
