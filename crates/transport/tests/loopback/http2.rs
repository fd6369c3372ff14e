//! HTTP/2 connections, which several requests share.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Response, StatusCode};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use stead_core::ports::{Limits, Purpose, Transport as _, TransportErrorKind};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::server::TlsStream;
use tower::service_fn;

use super::{
    get,
    tls::{CERTIFICATE, FIRST, SETTINGS, acceptor, speaking, trusting},
    whole, within,
};
use crate::PURPOSE;

/// More bytes than a connection holds for all its unread responses if each has a limit of its own.
const LARGE: usize = 20_000_000;

/// GOAWAY with NO_ERROR, after the first stream.
const LAST: &[u8] = b"\0\0\x08\x07\0\0\0\0\0\0\0\0\x01\0\0\0\0";

/// A server that accepts this many concurrent requests over a connection, and the number of connections that it has
/// accepted.
async fn server(requests: u32) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let stream = acceptor(&[b"h2"]).accept(socket).await.unwrap();
                let mut server = auto::Builder::new(TokioExecutor::new());
                server.http2().max_concurrent_streams(requests);
                let service = TowerToHyperService::new(service_fn(respond));
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (address, accepted)
}

async fn respond<B>(
    request: http::Request<B>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    let length = match request.uri().path() {
        "/large" => LARGE,
        _ => 1000,
    };
    Ok(Response::new(Full::from(vec![b'x'; length]).boxed()))
}

#[tokio::test]
async fn unread_responses_leave_room_for_others() {
    let (address, accepted) = server(100).await;
    let transport = trusting(CERTIFICATE);
    let limits = Limits {
        idle: Duration::from_secs(2),
        ..Limits::DEFAULT
    };
    let get = |path| within(limits, get(format!("https://{address}{path}")));
    let mut unread = Vec::new();
    for _ in 0..8 {
        unread.push(transport.send(get("/large")).await.unwrap());
    }
    let response = transport.send(get("/small")).await.unwrap();
    assert_eq!(whole(response).await.unwrap().len(), 1000);
    for response in unread {
        assert_eq!(whole(response).await.unwrap().len(), LARGE);
    }
    assert_eq!(accepted.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn calls_get_another_connection_if_one_is_full() {
    let (address, accepted) = server(4).await;
    let transport = trusting(CERTIFICATE);
    let limits = Limits {
        first_byte: Duration::from_secs(1),
        ..Limits::DEFAULT
    };
    let get = |path| within(limits, get(format!("https://{address}{path}")));
    let mut unread = Vec::new();
    for _ in 0..4 {
        unread.push(transport.send(get("/large")).await.unwrap());
    }
    let response = transport.send(get("/small")).await;
    if PURPOSE == Purpose::Call {
        assert_eq!(whole(response.unwrap()).await.unwrap().len(), 1000);
        assert_eq!(accepted.load(Ordering::SeqCst), 2);
    } else {
        // reqwest opens one HTTP/2 connection for each host.
        assert_eq!(response.unwrap_err().kind(), TransportErrorKind::TimedOut);
    }
    // A finished response leaves its place to the next one.
    unread.pop();
    for _ in 0..8 {
        let response = transport.send(get("/small")).await.unwrap();
        assert_eq!(whole(response).await.unwrap().len(), 1000);
    }
    assert!(accepted.load(Ordering::SeqCst) <= 2);
}

#[tokio::test]
async fn a_host_may_switch_from_http2_to_http1_on_several_connections() {
    const AT_ONCE: usize = 4;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let mut stream = acceptor(&[b"h2"]).accept(socket).await.unwrap();
        stream.write_all(SETTINGS).await.unwrap();
        hear(&mut stream, &[1, 5, 0, 0, 0, 1]).await;
        stream.write_all(&[FIRST, LAST].concat()).await.unwrap();
        let (socket, _) = listener.accept().await.unwrap();
        respond_over_http1(
            socket,
            b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n",
        )
        .await;
        // None of them responds before all have connected.
        let mut sockets = Vec::new();
        for _ in 0..AT_ONCE {
            sockets.push(listener.accept().await.unwrap().0);
        }
        for socket in sockets {
            tokio::spawn(respond_over_http1(
                socket,
                b"HTTP/1.1 204 No Content\r\n\r\n",
            ));
        }
    });
    let transport = trusting(CERTIFICATE);
    let one = async || transport.send(get(format!("https://{address}/"))).await;
    assert_eq!(one().await.unwrap().status(), StatusCode::OK);
    assert_eq!(one().await.unwrap().status(), StatusCode::NO_CONTENT);
    for response in join_all((0..AT_ONCE).map(|_| one())).await {
        assert_eq!(response.unwrap().status(), StatusCode::NO_CONTENT);
    }
}

/// Responds to one request, and closes the connection.
async fn respond_over_http1(socket: TcpStream, response: &[u8]) {
    let mut stream = acceptor(&[b"http/1.1"]).accept(socket).await.unwrap();
    hear(&mut stream, b"\r\n\r\n").await;
    stream.write_all(response).await.unwrap();
    let _ = stream.shutdown().await;
}

/// Reads until these bytes have arrived.
async fn hear(stream: &mut TlsStream<TcpStream>, what: &[u8]) {
    let mut heard = Vec::new();
    while !heard.windows(what.len()).any(|bytes| bytes == what) {
        assert!(stream.read_buf(&mut heard).await.unwrap() > 0);
    }
}

#[tokio::test]
async fn a_response_without_a_body_may_have_a_content_length() {
    // A head of status 304 that ends its stream, with a length of 1234.
    let address = speaking(&[&[b"\0\0\x08\x01\x05\0\0\0\x01\x8b\x0f\x0d\x041234"]]).await;
    let request = get(format!("https://{address}/"));
    let response = trusting(CERTIFICATE).send(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(response.headers()["content-length"], "1234");
    assert_eq!(whole(response).await.unwrap(), "");
}

#[tokio::test]
async fn trailers_are_not_passed_on() {
    // A head, a byte, and trailers.
    let address = speaking(&[&[b"\0\0\x01\x01\x04\0\0\0\x01\x88\
        \0\0\x01\0\0\0\0\0\x01x\
        \0\0\x05\x01\x05\0\0\0\x01\0\x01a\x01b"]])
    .await;
    let request = get(format!("https://{address}/"));
    let response = trusting(CERTIFICATE).send(request).await.unwrap();
    let mut body = response.into_body();
    let frame = body.frame().await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "x");
    assert!(body.frame().await.is_none());
}
