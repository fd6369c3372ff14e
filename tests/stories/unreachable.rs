//! Products that disconnect, break off, or can't be reached: the caller's error and the history.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::Method;
use serde_json::{Value, json};
use stead_core::ports::{Body, Transport as _};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::{
    http_client::{HttpClient, raw, request},
    mirror::Mirror,
    stage::{ADA, Setting, Stage},
};

const PROFILE: &str = "/proxy/mail/user-1/v1/users/me/profile";

/// A stage whose mail product is at this address.
async fn stage(url: &str) -> Stage {
    let stage = Stage::set(Setting {
        mirror: Some(url.to_owned()),
        ..Setting::default()
    })
    .await;
    stage.connect("user-1", ADA).await;
    stage
}

/// A product that responds to one request per connection. It closes the connection when a second one arrives.
struct Fickle {
    url: String,
    requests: Arc<AtomicUsize>,
}

impl Fickle {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let count = Arc::clone(&count);
                tokio::spawn(async move {
                    if head(&mut stream).await {
                        count.fetch_add(1, Ordering::SeqCst);
                        let response = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
                        stream.write_all(response).await.unwrap();
                    }
                    if head(&mut stream).await {
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        Self { url, requests }
    }
}

/// Reads the head of a request. `false` if the connection ends first.
async fn head(stream: &mut TcpStream) -> bool {
    let mut read = Vec::new();
    while !read.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(&mut read).await.unwrap_or_default() == 0 {
            return false;
        }
    }
    true
}

#[tokio::test]
async fn a_read_is_resent_on_a_closed_connection_and_a_write_is_not() {
    let product = Fickle::start().await;
    let stage = stage(&product.url).await;
    for _ in 0..10 {
        let reply = stage.get(PROFILE).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let reply = stage.drafts("user-1").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let before = product.requests.load(Ordering::SeqCst);
    let draft = json!({ "message": { "raw": "" } });
    let path = "/proxy/mail/user-1/gmail/v1/users/me/drafts";
    let sent = stage.post(path, &draft).await;
    assert_eq!(sent.kind(), "outcome_unknown", "{}", sent.text());
    let detail = sent.json()["detail"].as_str().unwrap().to_owned();
    assert!(
        detail.contains("closed the connection before it responded"),
        "{detail}"
    );
    let requests = product.requests.load(Ordering::SeqCst) - before;
    assert_eq!(requests, 1, "it was sent once");
}

/// The outcomes of raw requests, newest first. Waits until the history has this many.
async fn outcomes(stage: &Stage, count: usize) -> Vec<String> {
    loop {
        let page = stage.get("/v1/executions?tool=proxy").await.json();
        let items = page["items"].as_array().unwrap();
        if items.len() >= count {
            let outcomes = items
                .iter()
                .map(|item| item["outcome"].as_str().unwrap().to_owned());
            return outcomes.collect();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_response_that_breaks_off_is_not_recorded_as_a_success() {
    let product = Mirror::start(|heard| {
        let length = if heard.line().contains("broken") {
            100
        } else {
            5
        };
        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\nhello").into_bytes()
    })
    .await;
    let stage = stage(&product.url).await;
    let get = async |path: &str| {
        let url = format!("{}{PROFILE}{path}", stage.url);
        let request = request(Method::GET, &url, &stage.bearer, Body::Empty);
        let response = stead::transport::ReqwestTransport::new(Default::default())
            .unwrap()
            .send(request)
            .await
            .unwrap();
        response.into_body().collect(1000).await
    };
    assert!(get("?x=broken").await.is_err());
    assert_eq!(outcomes(&stage, 1).await, ["upstream_truncated"]);
    assert_eq!(get("?x=whole").await.unwrap(), "hello");
    assert_eq!(outcomes(&stage, 2).await, ["ok", "upstream_truncated"]);
}

#[tokio::test]
async fn an_upload_with_a_broken_body_is_the_callers_error_and_has_no_effect() {
    let product = Mirror::start(|_| b"HTTP/1.1 200 OK\r\n\r\n".to_vec()).await;
    let stage = stage(&product.url).await;
    let request = format!(
        "POST /proxy/mail/user-1/upload/gmail/v1/users/me/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: message/rfc822\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nbroken",
        stage.bearer
    );
    let (status, response) = raw(stage.address(), request.as_bytes()).await;
    assert_eq!(status, 400, "{response}");
    assert!(
        response.contains("\r\nstead-error: invalid_request\r\n"),
        "{response}"
    );
    assert!(response.contains("the product didn't get the whole request"));
    assert_eq!(outcomes(&stage, 1).await, ["invalid_request"]);
    assert!(product.heard().is_empty());
}

#[tokio::test]
async fn the_callers_timeout_ends_at_the_head_of_a_streamed_response() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let wait = std::time::Duration::from_millis(600);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        assert!(head(&mut stream).await);
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello";
        stream.write_all(response).await.unwrap();
        tokio::time::sleep(wait).await;
        stream.write_all(b"world").await.unwrap();
    });
    let stage = stage(&url).await;
    let url = format!("{}{PROFILE}", stage.url);
    let mut request = request(Method::GET, &url, &stage.bearer, Body::Empty);
    let seconds = http::HeaderValue::from_static("0.3");
    request.headers_mut().insert("stead-timeout", seconds);
    let reply = HttpClient::new().send(request).await;
    assert_eq!(reply.text(), "helloworld");
}

async fn refused(url: &str) -> Value {
    let stage = stage(url).await;
    let reply = stage.get(PROFILE).await;
    assert_eq!(reply.kind(), "product_unavailable", "{}", reply.text());
    reply.json()
}

#[tokio::test]
async fn an_unreachable_product_is_an_error_with_the_reason_and_the_actor() {
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain_address = plain.local_addr().unwrap();
    // It responds to the TLS handshake like a server without TLS.
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = plain.accept().await {
            let response = b"HTTP/1.1 400 Bad Request\r\n\r\n";
            stream.write_all(response).await.unwrap();
        }
    });
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    for (url, why) in [
        (
            String::from("https://product.invalid"),
            "the name product.invalid doesn't resolve",
        ),
        (format!("http://{free}"), "refuses connections"),
        (
            format!("https://{plain_address}"),
            "a TLS connection to 127.0.0.1",
        ),
    ] {
        let problem = refused(&url).await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(why), "{detail}");
        assert_eq!(problem["act_by"], "operator", "{problem}");
    }
}
