//! Both forms of the proxy, through the router.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::{Response, StatusCode, header};
use serde_json::json;
use stead_core::ports;

use crate::testing::TestService;

#[tokio::test]
async fn a_refusal_of_the_product_is_passed_on() {
    let service = TestService::with_products(|_| {
        let mut response = Response::new(ports::Body::from(b"no".to_vec()));
        *response.status_mut() = StatusCode::FORBIDDEN;
        response
    })
    .await
    .with_account("u1")
    .await;
    let response = service.get("/proxy/mail/u1/v1/users/me/profile").await;
    assert_eq!(
        (response.status, response.text()),
        (StatusCode::FORBIDDEN, "no")
    );
}

#[tokio::test]
async fn a_path_is_forwarded_byte_for_byte_for_any_identifier() {
    let service = TestService::new().await.with_account("a/b %2F@ü").await;
    let path = "/v1/users/me/messages?q=from%3aada%20OR%20a+b&labelIds=A&labelIds=B";
    let response = service
        .get(&format!("/proxy/mail/a%2Fb%20%252F%40%C3%BC{path}"))
        .await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
    assert_eq!(
        service.received().pop().unwrap().uri,
        format!("https://gmail.googleapis.com/gmail{path}")
    );
}

#[tokio::test]
async fn a_short_body_is_sent_again_after_a_refused_token() {
    let refused = AtomicBool::new(false);
    let service = TestService::with_products(move |received| {
        let mut response = Response::new(ports::Body::from(received.body.clone()));
        if !refused.swap(true, Ordering::SeqCst) {
            *response.status_mut() = StatusCode::UNAUTHORIZED;
        }
        response
    })
    .await
    .with_account("u1")
    .await;
    let request = service
        .request("POST", "/proxy/mail/u1/v1/users/me/drafts")
        .header(header::CONTENT_TYPE, "text/plain")
        .body(Body::from("again"))
        .unwrap();
    let response = service.send(request).await;
    assert_eq!(
        (response.status, response.text()),
        (StatusCode::OK, "again")
    );
}

#[tokio::test]
async fn refused_requests_are_problems() {
    let service = TestService::new().await.with_account("u1").await;
    let sent = service.received().len();
    for (method, path, kind) in [
        ("GET", "/elsewhere", "path_invalid"),
        ("GET", "/v1/users/me/../../x", "path_invalid"),
        ("GET", "", "path_invalid"),
        ("GET", "/", "path_invalid"),
        ("GET", "/v1/users/me?access_token=x", "path_invalid"),
        ("TRACE", "/v1/users/me/profile", "method_not_allowed"),
    ] {
        let path = format!("/proxy/mail/u1{path}");
        let response = service.call(method, &path, None).await;
        assert_eq!(response.problem()["kind"], kind, "{method} {path}");
    }
    let request = service
        .request("POST", "/proxy/mail/u1/v1/users/me/profile")
        .header("X-HTTP-Method-Override", "DELETE")
        .body(Body::empty());
    assert_eq!(
        service.send(request.unwrap()).await.problem()["kind"],
        "header_not_allowed"
    );
    assert_eq!(service.received().len(), sent, "nothing was sent");
}

#[tokio::test]
async fn a_buffered_body_has_its_real_length() {
    let service = TestService::with_products(|_| {
        let pieces = [Ok::<_, std::io::Error>(Bytes::from_static(b"hello"))];
        let body = ports::Body::stream(Body::from_stream(stream::iter(pieces)));
        let mut response = Response::new(body);
        response
            .headers_mut()
            .insert(header::CONTENT_LENGTH, "3".parse().unwrap());
        response
    })
    .await
    .with_account("u1")
    .await;
    let request = json!({
        "connection_name": "mail", "identifier": "u1", "method": "POST", "path": "/v1/users/me/drafts", "body": {},
    });
    // The first response is read completely so that it can be stored. The second is the stored one.
    for _ in 0..2 {
        let request = service
            .request("POST", "/v1/proxy")
            .header("idempotency-key", "k1")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(request.to_string()))
            .unwrap();
        let response = service.send(request).await;
        assert_eq!(
            (response.header("content-length"), response.text()),
            ("5", "hello")
        );
    }
}
