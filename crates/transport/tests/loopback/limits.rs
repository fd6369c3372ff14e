//! Limits of time and size. No test waits longer than a limit.

use std::{
    convert::Infallible,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http_body::Frame;
use http_body_util::StreamBody;
use stead_core::ports::{Body, Limits, Transport as _, TransportErrorKind};
use stead_transport::{ReqwestTransport, TransportOptions};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
};

use super::{
    failure, get, post, send,
    server::{Server, Then},
    transport, whole, within,
};

const SHORT: Duration = Duration::from_millis(50);
const FIRST_BYTE: Limits = Limits {
    first_byte: SHORT,
    ..Limits::DEFAULT
};
const IDLE: Limits = Limits {
    idle: SHORT,
    ..Limits::DEFAULT
};
const TOTAL: Limits = Limits {
    total: SHORT,
    ..Limits::DEFAULT
};

/// Limits of a response with at most this many bytes.
fn bytes(response_bytes: u64) -> Limits {
    Limits {
        response_bytes,
        ..Limits::DEFAULT
    }
}

#[tokio::test]
async fn a_server_that_never_responds_is_given_up() {
    let server = Server::start(&[], Then::Stall).await;
    let error = send(within(FIRST_BYTE, get(&server))).await.unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(error.to_string(), "no response arrived in time");
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn the_whole_exchange_is_bounded_before_its_head() {
    let server = Server::start(&[], Then::Stall).await;
    let error = send(within(TOTAL, get(&server))).await.unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(error.to_string(), "the request took too long");
}

#[tokio::test]
async fn a_body_that_stops_halfway_is_given_up() {
    const KNOWN: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"];
    const CHUNKED: &[&[u8]] =
        &[b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"];
    for response in [KNOWN, CHUNKED] {
        let server = Server::start(response, Then::Stall).await;
        let response = send(within(IDLE, get(&server))).await.unwrap();
        let error = whole(response).await.unwrap_err();

        assert_eq!(error.kind(), TransportErrorKind::TimedOut);
        assert_eq!(error.to_string(), "the response stopped before its end");
    }
}

#[tokio::test]
async fn the_whole_exchange_is_bounded_within_its_body() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"],
        Then::Stall,
    )
    .await;
    let error = failure(within(TOTAL, get(&server))).await;

    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(error.to_string(), "the request took too long");
}

#[tokio::test]
async fn maximum_limits_do_not_limit() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwh", b"ole"],
        Then::Listen,
    )
    .await;
    let most = Duration::MAX;
    let limits = Limits {
        connect: most,
        first_byte: most,
        idle: most,
        total: most,
        steady: 1,
        response_bytes: u64::MAX,
    };
    let response = send(within(limits, get(&server))).await.unwrap();
    assert_eq!(whole(response).await.unwrap(), "whole");
}

#[tokio::test]
async fn a_body_with_a_too_large_length_is_refused_immediately() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n"],
        Then::Stall,
    )
    .await;
    let error = send(within(bytes(5), get(&server))).await.unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    assert!(error.may_have_been_sent());
}

#[tokio::test]
async fn a_body_that_grows_too_large_is_cut_off() {
    let server = Server::start(
        &[
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n",
            b"3\r\ntwo\r\n0\r\n\r\n",
        ],
        Then::Listen,
    )
    .await;
    let fits = send(within(bytes(6), get(&server))).await.unwrap();
    assert_eq!(whole(fits).await.unwrap(), "onetwo");

    let large = send(within(bytes(5), get(&server))).await.unwrap();
    let error = whole(large).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    assert_eq!(error.to_string(), "the response is larger than 5 bytes");
}

#[tokio::test]
async fn a_body_that_failed_has_ended() {
    use http_body_util::BodyExt as _;

    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n"],
        Then::Stall,
    )
    .await;
    let request = within(bytes(2), get(&server));
    let mut body = transport().send(request).await.unwrap().into_body();

    assert!(body.frame().await.unwrap().is_err());
    assert!(body.frame().await.is_none());
    assert!(http_body::Body::is_end_stream(&body));
}

#[tokio::test]
async fn v58_a_body_without_an_end_is_cut_off_at_its_limit() {
    const CHUNK: usize = 64 * 1024;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let written = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&written);
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        assert!(socket.read(&mut [0; 1024]).await.unwrap() > 0);
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        socket.write_all(head).await.unwrap();
        let chunk = [b"10000\r\n".as_slice(), &[b'x'; CHUNK], b"\r\n"].concat();
        while socket.write_all(&chunk).await.is_ok() {
            counter.fetch_add(CHUNK as u64, Ordering::SeqCst);
        }
    });
    let limits = Limits {
        response_bytes: 1024 * 1024,
        ..Limits::DEFAULT
    };
    let error = failure(within(limits, get(&address))).await;
    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    // The connection is closed. The client took no more bytes than the limit and the buffers of both sides.
    server.await.unwrap();
    let written = written.load(Ordering::SeqCst);
    assert!(written < 16 * 1024 * 1024, "{written}");
}

#[tokio::test]
async fn v65_a_response_that_ends_after_its_head_is_not_a_success() {
    const KNOWN: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"];
    const CHUNKED: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"];
    const HALF: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-le"];
    for (response, kind) in [
        (KNOWN, TransportErrorKind::Cut),
        (CHUNKED, TransportErrorKind::Cut),
        (HALF, TransportErrorKind::Unanswered),
    ] {
        let server = Server::start(response, Then::Close).await;
        let error = failure(get(&server)).await;
        assert_eq!(error.kind(), kind);
        assert!(error.may_have_been_sent());
    }
}

/// A body of these pieces, each after a pause that is longer than [`SHORT`].
fn slow(pieces: &'static [Result<&'static str, &'static str>]) -> Body {
    let pieces = stream::iter(pieces).then(async |piece| {
        tokio::time::sleep(3 * SHORT).await;
        piece.map(|text| Frame::data(Bytes::from_static(text.as_bytes())))
    });
    Body::stream(StreamBody::new(pieces))
}

#[tokio::test]
async fn a_slow_request_body_is_not_blamed_on_the_server() {
    let server = Server::start(&[b"HTTP/1.1 204 No Content\r\n\r\n"], Then::Listen).await;
    let request = post(&server).body(slow(&[Ok("half"), Ok("half")])).unwrap();
    let response = send(within(FIRST_BYTE, request)).await.unwrap();
    assert_eq!(response.status(), 204);
    let server = Server::start(&[], Then::Stall).await;
    let request = post(&server).body(slow(&[Ok("half"), Ok("half")])).unwrap();
    let error = send(within(FIRST_BYTE, request)).await.unwrap_err();
    assert_eq!(error.to_string(), "no response arrived in time");
}

#[tokio::test]
async fn a_request_with_an_endless_body_is_incomplete() {
    let server = Server::start(&[], Then::Stall).await;
    let limits = Limits {
        first_byte: SHORT,
        total: 5 * SHORT,
        ..Limits::DEFAULT
    };
    let pieces = &[Ok("half"), Ok("more"), Ok("more"), Ok("more")];
    let request = post(&server).body(slow(pieces)).unwrap();
    let error = send(within(limits, request)).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Incomplete);
    assert!(!error.may_have_been_sent());
}

#[tokio::test]
async fn an_upload_stops_at_an_early_response() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        assert!(stream.read(&mut [0; 1024]).await.unwrap() > 0);
        let response = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno";
        stream.write_all(response).await.unwrap();
        while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
    });
    let first = stream::iter([Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"x")))]);
    let body = Body::stream(StreamBody::new(first.chain(stream::pending())));
    let request = post(format!("http://{address}/")).body(body).unwrap();
    let transport = transport();
    let response = transport.send(request).await.unwrap();
    assert_eq!(whole(response).await.unwrap(), "no");
    tokio::time::timeout(Duration::from_secs(10), server)
        .await
        .unwrap()
        .unwrap();
}

/// On Linux, a connection to a full queue gets no answer.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_unresponsive_address_leaves_time_for_the_next_one() {
    let good = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = good.local_addr().unwrap().port();
    let full = TcpSocket::new_v4().unwrap();
    full.bind(([127, 0, 0, 2], port).into()).unwrap();
    let _full = full.listen(1).unwrap();
    let mut waiting = Vec::new();
    while let Ok(connected) =
        tokio::time::timeout(4 * SHORT, TcpStream::connect(("127.0.0.2", port))).await
    {
        waiting.push(connected.unwrap());
    }
    tokio::spawn(async move {
        let (mut stream, _) = good.accept().await.unwrap();
        assert!(stream.read(&mut [0; 1024]).await.unwrap() > 0);
        let response = b"HTTP/1.1 204 No Content\r\n\r\n";
        stream.write_all(response).await.unwrap();
    });
    let addresses: [IpAddr; 2] = [[127, 0, 0, 2].into(), [127, 0, 0, 1].into()];
    let options = TransportOptions::default()
        .with_connect(Duration::from_secs(2))
        .with_addresses("full.test", addresses);
    let transport = ReqwestTransport::new(options).unwrap();
    let response = transport
        .send(get(format!("http://full.test:{port}/")))
        .await;
    assert_eq!(response.unwrap().status(), 204);
}
