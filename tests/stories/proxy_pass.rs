//! The proxy with client libraries and load balancers: the headers that they add, bodies of any size and form in both
//! directions, uploads and batches. The product is a mirror.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use futures_util::stream;
use http_body_util::StreamBody;
use stead_core::ports::Body;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    http_client::raw,
    mirror::{Heard, Mirror},
    stage::{ADA, Setting, Stage},
};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

/// Headers that programs between a caller and Stead add, below the name of each program.
const ADDED: &str = r#"
    AWS ALB
        X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678
        X-Amzn-Mtls-Clientcert-Subject: CN=a
        X-Amzn-Oidc-Identity: a
        X-Forwarded-For: 203.0.113.7
        X-Forwarded-Port: 443
        X-Forwarded-Proto: https

    Cloudflare
        CF-Connecting-IP: 203.0.113.7
        CF-Connecting-IPv6: 2001:db8::1
        CF-IPCountry: DE
        CF-Ray: 8a1b2c3d4e5f6a7b-FRA
        CF-Visitor: {"scheme":"https"}
        CF-Worker: example.com
        CDN-Loop: cloudflare; loops=1
        True-Client-IP: 203.0.113.7

    Google Cloud load balancer
        X-Cloud-Trace-Context: 105445aa7843bc8bf206b12000100000/1;o=1
        Via: 1.1 google
        X-Client-Data: a

    Envoy and Istio
        X-Envoy-Attempt-Count: 1
        X-Envoy-Decorator-Operation: stead.default.svc.cluster.local:80/*
        X-Envoy-Expected-Rq-Timeout-Ms: 15000
        X-Envoy-External-Address: 203.0.113.7
        X-Envoy-Original-Path: /
        X-Envoy-Peer-Metadata: a
        X-Envoy-Peer-Metadata-Id: a
        X-Forwarded-Client-Cert: By=spiffe://cluster.local/ns/default/sa/a;Hash=b
        X-Request-Id: 7f9a

    nginx ingress
        X-Forwarded-Host: stead.example
        X-Forwarded-Scheme: https
        X-Original-Forwarded-For: 203.0.113.7
        X-Original-URI: /
        X-Real-IP: 203.0.113.7
        X-Scheme: https

    Sentry
        Sentry-Trace: 771a43a4192642f0b136d5159a501700-1
        Baggage: sentry-trace_id=1

    Datadog
        X-Datadog-Origin: rum
        X-Datadog-Parent-Id: 1
        X-Datadog-Sampling-Priority: 1
        X-Datadog-Tags: _dd.p.dm=-1
        X-Datadog-Trace-Id: 1

    B3
        B3: 80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1
        X-B3-Flags: 0
        X-B3-ParentSpanId: 1
        X-B3-Sampled: 1
        X-B3-SpanId: e457b5a2e4d86bd1
        X-B3-TraceId: 80f198ee56343ba864fe8b2a57d3eff7
        Uber-Trace-Id: 1:2:0:1

    New Relic
        NewRelic: eyJ2IjpbMCwxXX0=
        X-NewRelic-ID: a
        X-NewRelic-Transaction: a

    Elastic
        Elastic-Apm-Traceparent: 00-1-1-01
        TraceParent: 00-1-1-01
        TraceState: es=s:1

    HTTP clients and browsers
        Cache-Control: no-cache
        Cookie: session=canary
        DNT: 1
        Expect: 100-continue
        HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA
        Keep-Alive: timeout=5
        Origin: https://app.example
        Pragma: no-cache
        Prefer: return=minimal
        Priority: u=1, i
        Proxy-Authorization: Basic Y2FuYXJ5
        Proxy-Connection: keep-alive
        Referer: https://app.example/
        Sec-CH-UA: "a"
        Sec-Fetch-Mode: cors
        TE: trailers
        Trailer: X-Checksum
        Upgrade: h2c
        Upgrade-Insecure-Requests: 1
        User-Agent: client/1
        X-CSRF-Token: canary
        X-Requested-With: XMLHttpRequest

    Google's client libraries
        X-Goog-Api-Client: gdcl/2.202.0 gl-python/3.11
        X-Goog-Api-Key: canary
        X-Goog-Request-Params: a=b
        X-Goog-User-Project: a
        X-GUploader-No-308: yes
"#;

/// A stage whose mail product is this mirror, with Ada's account as `user-1`.
async fn stage(mirror: &Mirror) -> Stage {
    let setting = Setting {
        mirror: Some(mirror.url.clone()),
        ..Setting::default()
    };
    let stage = Stage::set(setting).await;
    stage.connect("user-1", ADA).await;
    stage
}

async fn mirrored(response: &'static [u8]) -> (Mirror, Stage) {
    let mirror = Mirror::start(move |_| response.to_vec()).await;
    let stage = stage(&mirror).await;
    (mirror, stage)
}

/// The head of a request to the streaming form, without its last line.
fn head(stage: &Stage, method: &str, path: &str) -> String {
    format!(
        "{method} /proxy/mail/user-1{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n",
        stage.address(),
        stage.bearer,
    )
}

async fn get(stage: &Stage, path: &str, lines: &str) -> (u16, String) {
    let request = format!(
        "{}Connection: close\r\n{lines}\r\n",
        head(stage, "GET", path)
    );
    raw(stage.address(), request.as_bytes()).await
}

/// The header lines that Stead itself sends to the product, and these.
fn ours(mirror: &Mirror, more: &[&str]) -> Vec<String> {
    let host = mirror.url.trim_start_matches("http://");
    let mut lines = vec![
        String::from("authorization: Bearer ya29.…"),
        format!("host: {host}"),
        format!("user-agent: stead/{} (gzip)", env!("CARGO_PKG_VERSION")),
    ];
    lines.extend(more.iter().map(|line| String::from(*line)));
    lines.sort();
    lines
}

#[tokio::test]
async fn a_request_passes_with_headers_added_by_intermediaries() {
    let (mirror, stage) = mirrored(OK).await;
    let path = "/gmail/v1/users/me/profile";
    let each = ADDED.split("\n\n").map(|program| {
        let (who, lines) = program.trim().split_once('\n').unwrap();
        let lines = lines.lines().map(|line| format!("{}\r\n", line.trim()));
        (who, lines.collect::<String>())
    });
    let all = each.clone().map(|(_, lines)| lines).collect();
    for (who, lines) in each.chain([("all together", all)]) {
        let lines = format!("Connection: Upgrade, HTTP2-Settings, Authorization\r\n{lines}");
        let (status, response) = get(&stage, path, &lines).await;
        assert_eq!(status, 200, "{who}: {response}");
        let heard = mirror.heard().pop().unwrap();
        assert_eq!(heard.line(), format!("GET {path} HTTP/1.1"), "{who}");
        let expected = ours(&mirror, &["accept-encoding: identity"]);
        assert_eq!(heard.headers(), expected, "{who}");
    }
}

#[tokio::test]
async fn a_compressed_response_passes_unchanged() {
    const GZIP: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nvary: Accept-Encoding\r\netag: \"e\"\r\ncontent-length: 4\r\nconnection: close\r\n\r\ngzip";
    let (mirror, stage) = mirrored(GZIP).await;
    let path = "/gmail/v1/users/me/profile";
    let (status, response) = get(&stage, path, "Accept-Encoding: gzip, deflate\r\n").await;
    assert_eq!(status, 200, "{response}");
    let heard = mirror.heard().pop().unwrap();
    let expected = ours(&mirror, &["accept-encoding: gzip, deflate"]);
    assert_eq!(heard.headers(), expected);
    for part in [
        "content-encoding: gzip\r\n",
        "vary: Accept-Encoding\r\n",
        "etag: \"e\"\r\n",
        "\r\n\r\ngzip",
    ] {
        assert!(response.contains(part), "{part:?} in {response}");
    }
}

#[tokio::test]
async fn the_head_of_a_large_response_says_how_large_it_is() {
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 3145728\r\nconnection: close\r\n\r\n";
    let (mirror, stage) = mirrored(HEAD).await;
    let request = format!(
        "{}Connection: close\r\n\r\n",
        head(&stage, "HEAD", "/gmail/v1/users/me/profile")
    );
    let (status, response) = raw(stage.address(), request.as_bytes()).await;
    assert_eq!(status, 200, "{response}");
    assert!(
        response.contains("content-length: 3145728\r\n"),
        "{response}"
    );
    assert!(response.ends_with("\r\n\r\n"), "{response}");
    assert_eq!(
        mirror.heard()[0].line(),
        "HEAD /gmail/v1/users/me/profile HTTP/1.1"
    );
}

#[tokio::test]
async fn a_response_that_the_product_cuts_is_cut_for_the_caller() {
    const CHUNKS: &[u8] =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n4\r\nhalf\r\n";
    const LENGTH: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhalf";
    for response in [CHUNKS, LENGTH] {
        let (_mirror, stage) = mirrored(response).await;
        let (status, response) = get(&stage, "/gmail/v1/users/me/profile", "").await;
        assert_eq!(status, 200, "{response}");
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        if head.contains("transfer-encoding: chunked") {
            assert!(!body.contains("0\r\n\r\n"), "{response:?}");
        } else {
            assert!(head.contains("content-length: 9"), "{response}");
            assert!(body.len() < 9, "{response}");
        }
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_is_an_error() {
    const AWAY: &[u8] = b"HTTP/1.1 302 Found\r\nlocation: https://evil.test/a?b=c\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (_mirror, stage) = mirrored(AWAY).await;
    let (status, response) = get(&stage, "/gmail/v1/users/me/profile", "").await;
    assert_eq!(status, 502, "{response}");
    assert!(
        response.contains("\"kind\":\"upstream_redirect_blocked\""),
        "{response}"
    );
    assert!(
        response.contains("evil.test") && !response.contains("b=c"),
        "{response}"
    );
}

#[tokio::test]
async fn a_download_has_no_largest_size() {
    const SIZE: usize = 60 * 1024 * 1024;
    let mirror = Mirror::start(|heard: &Heard| {
        let mut response = if heard.line().contains("alt=chunked") {
            let head =
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
            [head, format!("{SIZE:x}\r\n").as_bytes()].concat()
        } else {
            format!("HTTP/1.1 200 OK\r\ncontent-length: {SIZE}\r\nconnection: close\r\n\r\n")
                .into_bytes()
        };
        response.resize(response.len() + SIZE, 0);
        response.extend_from_slice(b"\r\n0\r\n\r\n");
        response
    })
    .await;
    let stage = stage(&mirror).await;
    for query in ["alt=media", "alt=chunked"] {
        let path = format!("/gmail/v1/users/me/messages/1?{query}");
        let request = format!("{}Connection: close\r\n\r\n", head(&stage, "GET", &path));
        let mut stream = TcpStream::connect(stage.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        assert!(response.starts_with(b"HTTP/1.1 200 OK"), "{query}");
        assert_eq!(
            response.iter().filter(|byte| **byte == 0).count(),
            SIZE,
            "{query}"
        );
        if query == "alt=chunked" {
            assert!(response.ends_with(b"0\r\n\r\n"), "{query}");
        }
    }
}

#[tokio::test]
async fn a_caller_that_waits_for_100_continue_gets_it() {
    let (mirror, stage) = mirrored(OK).await;
    let mut stream = TcpStream::connect(stage.address()).await.unwrap();
    let head = head(
        &stage,
        "POST",
        "/upload/gmail/v1/users/me/messages/send?uploadType=media",
    );
    let head = format!(
        "{head}Expect: 100-continue\r\nContent-Type: message/rfc822\r\nContent-Length: 3000000\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(&vec![b'x'; 3_000_000]).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
    assert_eq!(mirror.bytes(), 3_000_000);
    let expected = [
        "accept-encoding: identity",
        "content-length: 3000000",
        "content-type: message/rfc822",
    ];
    assert_eq!(mirror.heard()[0].headers(), ours(&mirror, &expected));
}

#[tokio::test]
async fn an_upload_of_any_size_is_streamed() {
    const PIECE: u64 = 64 * 1024;
    const PIECES: u64 = 1700;
    let (mirror, stage) = mirrored(OK).await;
    let piece = Bytes::from(vec![b'x'; 64 * 1024]);
    let (given, receiver) = (Arc::new(AtomicU64::new(0)), mirror.clone());
    let furthest = Arc::new(AtomicU64::new(0));
    let (counter, most) = (Arc::clone(&given), Arc::clone(&furthest));
    let pieces = (0..PIECES).map(move |_| {
        let ahead = counter.fetch_add(PIECE, Ordering::SeqCst) - receiver.bytes();
        most.fetch_max(ahead, Ordering::SeqCst);
        Ok::<_, std::io::Error>(http_body::Frame::data(piece.clone()))
    });
    let url = format!(
        "{}/proxy/mail/user-1/upload/gmail/v1/users/me/messages",
        stage.url
    );
    let request = http::Request::post(url)
        .header("authorization", format!("Bearer {}", stage.bearer))
        .header("content-type", "message/rfc822")
        .body(Body::stream(StreamBody::new(stream::iter(pieces))))
        .unwrap();
    let reply = stage.http.send(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(mirror.bytes(), PIECES * PIECE);
    // Data in transit is only in the buffers of two connections. Stead never holds the whole body.
    let furthest = furthest.load(Ordering::SeqCst);
    assert!(furthest < PIECES * PIECE / 2, "{furthest} bytes ahead");
}

#[tokio::test]
async fn a_resumable_upload_goes_through_here_to_its_end() {
    let mirror = Mirror::start(|heard: &Heard| match heard.line() {
        _ if heard.head.contains("content-range: bytes 0-3/8") => {
            b"HTTP/1.1 308 Resume Incomplete\r\nrange: bytes=0-3\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec()
        }
        line if line.contains("upload_id=s1") => OK.to_vec(),
        _ => b"HTTP/1.1 200 OK\r\nlocation: https://gmail.googleapis.com/upload/gmail/v1/users/me/messages?uploadType=resumable&upload_id=s1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec(),
    })
    .await;
    let stage = stage(&mirror).await;
    let path = "/upload/gmail/v1/users/me/messages?uploadType=resumable";
    let start = format!(
        "{}X-Upload-Content-Type: message/rfc822\r\nX-Upload-Content-Length: 8\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        head(&stage, "POST", path)
    );
    let (status, response) = raw(stage.address(), start.as_bytes()).await;
    assert_eq!(status, 200, "{response}");
    let location = response
        .lines()
        .find_map(|line| line.strip_prefix("location: "))
        .unwrap();
    assert_eq!(
        location,
        format!("{}/proxy/mail/user-1{path}&upload_id=s1", stage.url)
    );
    let session = location
        .strip_prefix(&format!("{}/proxy/mail/user-1", stage.url))
        .unwrap();
    for (range, body, expected) in [("0-3/8", "half", 308), ("4-7/8", "done", 200)] {
        let put = format!(
            "{}Content-Range: bytes {range}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            head(&stage, "PUT", session),
            body.len(),
        );
        let (status, response) = raw(stage.address(), put.as_bytes()).await;
        assert_eq!(status, expected, "{response}");
        assert_eq!(
            response.contains("range: bytes=0-3\r\n"),
            expected == 308,
            "{response}"
        );
    }
    let heard = mirror.heard();
    assert_eq!(heard.len(), 3);
    assert!(
        heard[0]
            .headers()
            .contains(&String::from("x-upload-content-length: 8"))
    );
    assert!(
        heard[2]
            .headers()
            .contains(&String::from("content-range: bytes 4-7/8"))
    );
}

#[tokio::test]
async fn a_batch_reaches_the_product_without_the_callers_token() {
    let (mirror, stage) = mirrored(OK).await;
    let body = format!(
        "--b\nContent-Type: application/http\nContent-ID: <1>\n\nGET /proxy/mail/user-1/gmail/v1/users/me/messages/1 HTTP/1.1\nauthorization: Bearer {}\n\n--b--",
        stage.bearer
    );
    let request = format!(
        "{}Content-Type: multipart/mixed; boundary=b\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        head(&stage, "POST", "/batch"),
        body.len(),
    );
    let (status, response) = raw(stage.address(), request.as_bytes()).await;
    assert_eq!(status, 200, "{response}");
    let heard = mirror.heard().pop().unwrap();
    assert_eq!(heard.line(), "POST /batch HTTP/1.1");
    let body = String::from_utf8(heard.body).unwrap();
    assert!(
        body.contains("GET /gmail/v1/users/me/messages/1 HTTP/1.1\r\n\r\n"),
        "{body}"
    );
    assert!(
        body.contains("Content-ID: <1>\r\n") && !body.contains(&stage.bearer),
        "{body}"
    );
}
