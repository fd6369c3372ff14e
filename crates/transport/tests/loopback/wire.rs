//! Requests and responses on the wire, byte for byte.

use std::net::TcpListener;

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, Method, StatusCode};
use http_body::{Body as _, Frame};
use http_body_util::StreamBody;
use stead_core::ports::{Body, BoxError, Purpose, Transport as _, TransportErrorKind};
use stead_transport::{ReqwestTransport, TransportOptions};

use super::{
    everything, failure, get, post, send,
    server::{Server, Then, header},
    transport, whole,
};
use crate::PURPOSE;

const HELLO: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"];

#[tokio::test]
async fn the_request_line_is_sent_as_given() {
    let server = Server::start(HELLO, Then::Listen).await;
    let target =
        "/v4/spreadsheets/ID%2f1/values/My%20Tab!A1:B2//@x;y?q=%27a%27+b&../c=%7B&d=~*()&e?";
    let response = send(get(format!("{server}{target}"))).await.unwrap();

    assert_eq!(whole(response).await.unwrap(), "hello");
    assert_eq!(
        server.heard()[0].lines().next(),
        Some(format!("GET {target} HTTP/1.1").as_str())
    );
}

#[tokio::test]
async fn a_target_that_would_be_rewritten_is_not_sent() {
    let server = Server::start(HELLO, Then::Listen).await;
    let error = send(get(format!("{server}/a/%2e%2e/b"))).await.unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::Refused);
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn headers_are_sent_as_given_and_few_are_added() {
    let server = Server::start(HELLO, Then::Listen).await;
    let mut request = get(format!("{server}/"));
    let headers = request.headers_mut();
    headers.insert("accept-encoding", HeaderValue::from_static("gzip"));
    headers.append("x-Twice", HeaderValue::from_static("One, 1"));
    headers.append(
        "x-twice",
        HeaderValue::from_bytes(b"\ttw\xc3\xb6 ").unwrap(),
    );
    send(request).await.unwrap();

    let heard = server.heard().remove(0);
    let host = server.to_string().replace("http://", "");
    let accept = match PURPOSE {
        Purpose::Call => "",
        Purpose::Other => "accept: */*\r\n",
    };
    assert_eq!(
        heard,
        format!(
            "GET / HTTP/1.1\r\naccept-encoding: gzip\r\nx-twice: One, 1\r\nx-twice: \ttw\u{f6} \r\n{accept}host: {host}\r\n\r\n"
        )
    );
}

#[tokio::test]
async fn a_caller_may_set_host_and_accept() {
    let server = Server::start(HELLO, Then::Listen).await;
    let mut request = get(format!("{server}/"));
    request
        .headers_mut()
        .insert("host", HeaderValue::from_static("mail.example"));
    request
        .headers_mut()
        .insert("accept", HeaderValue::from_static("text/plain"));
    send(request).await.unwrap();

    assert_eq!(
        server.heard(),
        ["GET / HTTP/1.1\r\nhost: mail.example\r\naccept: text/plain\r\n\r\n"]
    );
}

#[tokio::test]
async fn bytes_are_sent_with_their_length() {
    let server = Server::start(HELLO, Then::Listen).await;
    for (body, expected) in [
        (Body::Empty, ""),
        (Body::Bytes(Bytes::from_static(b"{}")), "{}"),
    ] {
        let request = post(format!("{server}/")).body(body).unwrap();
        send(request).await.unwrap();
        let heard = server.heard().pop().unwrap();
        assert_eq!(
            header(&heard, "content-length"),
            Some(expected.len().to_string().as_str()),
            "{heard}"
        );
        assert!(heard.ends_with(&format!("\r\n\r\n{expected}")), "{heard}");
    }
}

#[tokio::test]
async fn a_stream_is_sent_in_chunks_or_with_its_length() {
    let server = Server::start(HELLO, Then::Listen).await;

    let request = post(format!("{server}/"))
        .body(pieces([Ok("one"), Ok("two")]))
        .unwrap();
    send(request).await.unwrap();
    let heard = server.heard().pop().unwrap();
    assert_eq!(header(&heard, "transfer-encoding"), Some("chunked"));
    assert!(
        heard.ends_with("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"),
        "{heard}"
    );

    let known = Body::stream(http_body_util::Full::new(Bytes::from_static(b"whole")));
    send(post(format!("{server}/")).body(known).unwrap())
        .await
        .unwrap();
    let heard = server.heard().pop().unwrap();
    assert_eq!(header(&heard, "content-length"), Some("5"));
    assert_eq!(header(&heard, "transfer-encoding"), None);
    assert!(heard.ends_with("\r\n\r\nwhole"), "{heard}");

    let mut announced = post(format!("{server}/"))
        .body(pieces([Ok("on"), Ok("e")]))
        .unwrap();
    announced
        .headers_mut()
        .insert("content-length", HeaderValue::from_static("3"));
    send(announced).await.unwrap();
    let heard = server.heard().pop().unwrap();
    assert_eq!(header(&heard, "transfer-encoding"), None);
    assert!(heard.ends_with("\r\n\r\none"), "{heard}");
}

#[tokio::test]
async fn a_request_with_a_failing_stream_is_incomplete() {
    let server = Server::start(HELLO, Then::Listen).await;
    let request = post(format!("{server}/"))
        .body(pieces([Ok("one"), Err("gone")]))
        .unwrap();
    let error = send(request).await.unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::Incomplete);
    assert!(!error.may_have_been_sent());
    assert!(server.heard().is_empty());
}

#[tokio::test]
async fn a_redirect_is_a_response() {
    let elsewhere = Server::start(HELLO, Then::Listen).await;
    let server = Server::start(
        &[b"HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n"],
        Then::Listen,
    )
    .await;
    let transport = transport();
    for _ in 0..2 {
        let response = transport.send(get(format!("{server}/"))).await.unwrap();
        assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT);
        assert_eq!(response.headers()["location"], "/elsewhere");
    }
    assert_eq!(server.heard().len(), 2);
    assert_eq!(elsewhere.accepted(), 0);
    assert_eq!(header(&server.heard()[1], "cookie"), None);
    assert_eq!(header(&server.heard()[1], "referer"), None);
}

#[tokio::test]
async fn a_response_is_not_decompressed() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nX-Odd:  kept \r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00"],
        Then::Listen,
    )
    .await;
    let response = send(get(&server)).await.unwrap();

    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.headers()["content-length"], "4");
    assert_eq!(response.headers()["x-odd"], "kept");
    assert!(response.extensions().is_empty());
    assert_eq!(whole(response).await.unwrap(), &b"\x1f\x8b\x08\x00"[..]);
}

#[tokio::test]
async fn a_complete_body_is_buffered_and_a_partial_one_keeps_its_length() {
    let server = Server::start(HELLO, Then::Listen).await;
    let body = send(get(&server)).await.unwrap().into_body();
    assert_eq!(body.size_hint().exact(), Some(5));
    assert_eq!(whole(http::Response::new(body)).await.unwrap(), "hello");

    let server = Server::start(
        &[
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
            b"+half",
        ],
        Then::Stall,
    )
    .await;
    let body = send(get(&server)).await.unwrap().into_body();
    assert_eq!(body.size_hint().exact(), Some(9));
    assert_eq!(whole(http::Response::new(body)).await.unwrap(), "half+half");
}

#[tokio::test]
async fn a_body_without_a_length_is_passed_on() {
    let server = Server::start(
        &[
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n",
            b"3\r\ntwo\r\n",
            b"0\r\n\r\n",
        ],
        Then::Listen,
    )
    .await;
    assert_eq!(
        whole(send(get(&server)).await.unwrap()).await.unwrap(),
        "onetwo"
    );

    let server = Server::start(&[b"HTTP/1.1 200 OK\r\n\r\nup to the end"], Then::Close).await;
    assert_eq!(
        whole(send(get(&server)).await.unwrap()).await.unwrap(),
        "up to the end"
    );
}

#[tokio::test]
async fn a_response_without_a_body_is_empty() {
    let server = Server::start(&[b"HTTP/1.1 204 No Content\r\n\r\n"], Then::Stall).await;
    assert!(matches!(
        send(get(&server)).await.unwrap().body(),
        Body::Empty
    ));

    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n"],
        Then::Stall,
    )
    .await;
    let mut head = get(&server);
    *head.method_mut() = Method::HEAD;
    let response = send(head).await.unwrap();
    assert_eq!(response.headers()["content-length"], "99999999999");
    assert!(matches!(response.body(), Body::Empty));
}

#[tokio::test]
async fn a_connection_is_reused() {
    let server = Server::start(HELLO, Then::Listen).await;
    let transport = transport();
    for _ in 0..3 {
        let response = transport.send(get(&server)).await.unwrap();
        assert_eq!(whole(response).await.unwrap(), "hello");
    }
    assert_eq!(server.heard().len(), 3);
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn an_explicit_proxy_is_used() {
    let proxy = Server::start(HELLO, Then::Listen).await;
    let options = TransportOptions::default()
        .with_proxy(&proxy.to_string())
        .unwrap();
    let transport = ReqwestTransport::new(options).unwrap();
    transport
        .send(get("http://mail.example/a?b"))
        .await
        .unwrap();

    let heard = proxy.heard().remove(0);
    assert_eq!(
        heard.lines().next(),
        Some("GET http://mail.example/a?b HTTP/1.1")
    );
    assert_eq!(header(&heard, "host"), Some("mail.example"));
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let error = send(get(format!("http://{address}/?q=canary")))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::Unreachable);
    assert!(!error.may_have_been_sent());
    assert!(
        !everything(&error).contains("canary"),
        "{}",
        everything(&error)
    );
}

#[tokio::test]
async fn a_connection_closed_without_a_response_is_unanswered() {
    let server = Server::start(&[], Then::Close).await;
    let mut request = get(format!("{server}/?q=canary"));
    request
        .headers_mut()
        .insert("authorization", HeaderValue::from_static("Bearer canary"));
    let error = send(request).await.unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::Unanswered);
    assert!(error.may_have_been_sent());
    assert!(
        !everything(&error).contains("canary"),
        "{}",
        everything(&error)
    );
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_response_that_is_not_http_is_cut() {
    let server = Server::start(&[b"SSH-2.0-OpenSSH_9.9\r\n\r\n"], Then::Close).await;
    assert_eq!(
        send(get(&server)).await.unwrap_err().kind(),
        TransportErrorKind::Cut
    );
}

#[tokio::test]
async fn a_body_that_ends_early_is_cut() {
    let known = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"],
        Then::Close,
    )
    .await;
    let error = failure(get(format!("{known}/?q=canary"))).await;
    assert_eq!(error.kind(), TransportErrorKind::Cut);
    assert!(
        !everything(&error).contains("canary"),
        "{}",
        everything(&error)
    );

    let chunked = Server::start(
        &[b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n"],
        Then::Close,
    )
    .await;
    assert_eq!(failure(get(&chunked)).await.kind(), TransportErrorKind::Cut);
}

/// A body of pieces of unknown length.
pub(crate) fn pieces<const N: usize>(pieces: [Result<&'static str, &'static str>; N]) -> Body {
    Body::stream(StreamBody::new(stream::iter(pieces.map(|piece| {
        piece
            .map(|text| Frame::data(Bytes::from_static(text.as_bytes())))
            .map_err(BoxError::from)
    }))))
}

#[tokio::test]
async fn a_length_next_to_chunks_is_removed() {
    const BOTH: &[&[u8]] = &[
        b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n\
        5\r\nhello\r\n0\r\n\r\n",
    ];
    let server = Server::start(BOTH, Then::Listen).await;
    let response = send(get(&server)).await.unwrap();
    assert!(!response.headers().contains_key("content-length"));
    assert_eq!(whole(response).await.unwrap(), "hello");
}
