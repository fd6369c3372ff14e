//! Hostile input over REST: each request is rejected or accepted, and none causes an internal error.

use bytes::Bytes;
use http::{HeaderValue, Method, Request};
use stead_core::ports::Body;

use crate::{http_client::raw, stage::Stage};

const EXECUTE: &str = "/v1/tools/mail_list_drafts/execute";
const LINKS: &str = "/v1/authorization-links";

/// Bodies for a call.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let call = |identifier: &str| {
        format!(r#"{{"connection_name":"mail","identifier":"{identifier}","input":{{}}}}"#)
            .into_bytes()
    };
    let input = |input: &str| {
        format!(r#"{{"connection_name":"mail","identifier":"user-1","input":{input}}}"#)
            .into_bytes()
    };
    vec![
        ("nothing", Vec::new()),
        ("null", b"null".to_vec()),
        ("a list", b"[]".to_vec()),
        ("a text", b"\"text\"".to_vec()),
        ("a number", b"1e999999".to_vec()),
        ("half", b"{\"connection_name\":\"mail\"".to_vec()),
        ("two values", [call("user-1"), call("user-1")].concat()),
        ("a byte order mark", [b"\xef\xbb\xbf".to_vec(), call("user-1")].concat()),
        ("UTF-16", b"\xff\xfe{\0}\0".to_vec()),
        ("no UTF-8", b"{\"connection_name\":\"\xff\xfe\"}".to_vec()),
        ("NUL bytes", vec![0; 1000]),
        ("deep lists", b"[".repeat(200_000)),
        ("deep objects", b"{\"a\":".repeat(100_000)),
        ("deep input", input(&format!("{}{}", "[".repeat(50_000), "]".repeat(50_000)))),
        ("many members", input(&format!("{{{}\"z\":1}}", "\"a\":1,".repeat(50_000)))),
        ("a member twice", b"{\"identifier\":\"a\",\"identifier\":\"b\",\"connection_name\":\"mail\",\"input\":{}}".to_vec()),
        ("a lone surrogate", call(r"\ud800")),
        ("a NUL in a name", call(r"\u0000")),
        ("a line break in a name", call(r"a\r\nSet-Cookie: a=b")),
        ("another direction", call("\u{202e}user-1")),
        ("a long name", call(&"a".repeat(100_000))),
        ("a path as a name", call("../../../etc/passwd")),
        ("SQL as a name", call("' OR 1=1; --")),
        ("a script as a name", call("<script>alert(1)</script>")),
        ("a large number", input(r#"{"max_results":99999999999999999999999999}"#)),
        ("a small number", input(r#"{"max_results":-9223372036854775809}"#)),
        ("a number beyond all", input(r#"{"max_results":1e400}"#)),
        ("not a number", input(r#"{"max_results":NaN}"#)),
        ("a list for a number", input(r#"{"max_results":[[[]]]}"#)),
        ("an unknown member", input(r#"{"__proto__":{"admin":true}}"#)),
        ("a token of pages", input(r#"{"page_token":"\u0000\uffff"}"#)),
        ("an input that is a text", input("\"{}\"")),
    ]
}

/// Paths to read.
const PATHS: [&str; 24] = [
    "/v1/accounts/mail/%00",
    "/v1/accounts/mail/%ff%fe",
    "/v1/accounts/mail/%2e%2e%2f%2e%2e",
    "/v1/accounts/mail/a%0d%0aSet-Cookie:%20a",
    "/v1/accounts?page_size=-1",
    "/v1/accounts?page_size=99999999999999999999",
    "/v1/accounts?page_size=1&page_size=2",
    "/v1/accounts?page_token=%00%ff",
    "/v1/accounts?page_token=AAAAAAAAAAAAAAAAAAAAAAAA",
    "/v1/accounts?state=%27%20OR%201=1",
    "/v1/connections/%F0%9F%92%A9",
    "/v1/connections/..%2f..",
    "/v1/events?after=%00",
    "/v1/events?after=latest&wait=1e9",
    "/v1/executions?tool=%00",
    "/v1/executions?since=9999999999999999999999",
    "/v1/executions?since=-271821-04-20T00:00:00Z&until=soon",
    "/v1/executions/exec_ffffffffffffffffffffffffffffffffffffffff",
    "/v1/files/%00%00",
    "/v1/files/AAAA.BBBB.CCCC",
    "/v1/tools/%2e%2e",
    "/v1/tools?format=%00&product=%ff",
    "/v1/nothing/at/all",
    "//v1//tools",
];

/// Headers of a call.
const HEADERS: [(&str, &[u8]); 14] = [
    ("content-type", b"application/x-www-form-urlencoded"),
    ("content-type", b"application/json; charset=utf-7"),
    ("content-type", b"\xff\xfe"),
    ("content-encoding", b"gzip"),
    ("idempotency-key", b"\xff\xfe"),
    ("idempotency-key", b"\"\\\""),
    ("stead-timeout", b"1e308"),
    ("stead-timeout", b"-1"),
    ("traceparent", b"00-zz-zz-zz"),
    ("accept", b"\xff/\xff;q=NaN"),
    ("authorization", b"Bearer \xff\xfe"),
    ("authorization", b"Basic AAAA"),
    ("cookie", b"__Host-stead-session=\xff; a; ;="),
    ("range", b"bytes=18446744073709551615-0"),
];

/// Sends a request, and checks that the response isn't an internal error.
async fn send(
    stage: &Stage,
    what: &str,
    method: Method,
    path: &str,
    header: (&str, &[u8]),
    body: Vec<u8>,
) {
    let mut request = Request::new(Body::from(Bytes::from(body)));
    *request.method_mut() = method;
    *request.uri_mut() = format!("{}{path}", stage.url).parse().unwrap();
    let bearer = format!("Bearer {}", stage.bearer);
    let headers = request.headers_mut();
    headers.insert("authorization", bearer.parse().unwrap());
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    let name: http::HeaderName = header.0.parse().unwrap();
    headers.insert(name, HeaderValue::from_bytes(header.1).unwrap());
    let reply = stage.http.send(request).await;
    assert!(
        !reply.status.is_server_error(),
        "{what} at {path}: {}",
        reply.text()
    );
    if reply.status.is_client_error() {
        assert!(!reply.kind().is_empty(), "{what} at {path}");
    }
}

#[tokio::test]
async fn no_input_causes_a_server_error() {
    let stage = Stage::connected().await;
    let plain = ("x-nothing", &b"1"[..]);
    for (what, body) in bodies() {
        for path in [
            EXECUTE,
            LINKS,
            "/v1/proxy",
            "/v1/connections",
            "/v1/tool-calls",
        ] {
            send(&stage, what, Method::POST, path, plain, body.clone()).await;
        }
    }
    for path in PATHS {
        for method in ["GET", "DELETE"] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
                stage.bearer
            );
            let (status, response) = raw(stage.address(), request.as_bytes()).await;
            assert!((200..500).contains(&status), "{method} {path}: {response}");
        }
    }
    for (name, value) in HEADERS {
        let body = br#"{"connection_name":"mail","identifier":"user-1","input":{}}"#;
        let what = format!("{name}: {}", value.escape_ascii());
        send(
            &stage,
            &what,
            Method::POST,
            EXECUTE,
            (name, value),
            body.to_vec(),
        )
        .await;
    }
    let reply = stage.drafts("user-1").await;
    assert_eq!(
        reply.status,
        200,
        "everything works afterwards: {}",
        reply.text()
    );
}
