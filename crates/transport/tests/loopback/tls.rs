//! TLS: which certificates are trusted, and which protocol is negotiated.
//!
//! The certificate in `fixtures/` is its own root. It's only for 127.0.0.1 and valid from 2020 to 2120, and was made
//! with `openssl ca -selfsign`.

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
use http::{Response, Version};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use stead_core::ports::{Body, Transport as _, TransportErrorKind};
use stead_transport::{ReqwestTransport, TransportOptions};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::{self, Instant},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tower::service_fn;

use super::{everything, get, post, send, whole, wire::pieces};

pub(super) const CERTIFICATE: &[u8] = include_bytes!("../fixtures/loopback.pem");
const KEY: &[u8] = include_bytes!("../fixtures/loopback.key.der");

#[tokio::test]
async fn an_untrusted_certificate_is_refused() {
    let server = Server::start(&[b"http/1.1"]).await;
    let error = send(get(format!("https://{}/?q=canary", server.address)))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::Unreachable);
    assert!(
        !everything(&error).contains("canary"),
        "{}",
        everything(&error)
    );
    assert_eq!(server.heard(), 0);
}

#[tokio::test]
async fn a_further_root_is_trusted_in_pem_and_der() {
    let server = Server::start(&[b"http/1.1"]).await;
    let der = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    for root in [CERTIFICATE, &der] {
        let response = trusting(root)
            .send(get(format!("https://{}/a?b", server.address)))
            .await
            .unwrap();

        assert_eq!(response.version(), Version::HTTP_11);
        assert_eq!(whole(response).await.unwrap(), "/a?b");
    }
}

#[tokio::test]
async fn http2_is_used_if_it_is_offered() {
    let server = Server::start(&[b"h2", b"http/1.1"]).await;
    let transport = trusting(CERTIFICATE);
    for target in ["/a%2fb?c=%27d%27", "/pieces", "/a"] {
        let response = transport
            .send(get(format!("https://{}{target}", server.address)))
            .await
            .unwrap();

        assert_eq!(response.version(), Version::HTTP_2);
        assert_eq!(whole(response).await.unwrap(), target);
    }
    assert_eq!(server.heard(), 3);
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn concurrent_requests_share_one_http2_connection() {
    let server = Server::start(&[b"h2", b"http/1.1"]).await;
    let transport = trusting(CERTIFICATE);
    let one = async || {
        let response = transport.send(get(format!("https://{}/a", server.address)));
        assert_eq!(whole(response.await.unwrap()).await.unwrap(), "/a");
    };
    one().await;
    join_all((0..8).map(|_| one())).await;
    assert_eq!(server.heard(), 9);
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_caller_waits_for_at_most_one_other_pending_connection() {
    const LIMIT: Duration = Duration::from_secs(5);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let stream = acceptor(&[b"h2"]).accept(socket).await.unwrap();
        tokio::spawn(serve(stream, Arc::default()));
        // The other connections get no response.
        let mut held = Vec::new();
        while let Ok((socket, _)) = listener.accept().await {
            held.push(socket);
        }
    });
    let options = TransportOptions::default().with_connect(LIMIT);
    let options = options.with_keep_alive(Duration::ZERO);
    let options = options.with_root_certificates(CERTIFICATE).unwrap();
    let transport = ReqwestTransport::new(options).unwrap();
    let one = async || transport.send(get(format!("https://{address}/a"))).await;
    assert_eq!(whole(one().await.unwrap()).await.unwrap(), "/a");

    time::pause();
    time::advance(Duration::from_secs(1)).await;
    let start = Instant::now();
    for failed in join_all((0..4).map(|_| one())).await {
        assert_eq!(failed.unwrap_err().kind(), TransportErrorKind::Unreachable);
    }
    assert!(start.elapsed() < 3 * LIMIT, "{:?}", start.elapsed());
}

/// Settings of HTTP/2 and their acknowledgement (RFC 9113, section 6.5).
pub(super) const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\0\x04\x01\0\0\0\0";

/// Connections. Each one responds to its requests with these frames, in order.
pub(super) type Frames = &'static [&'static [&'static [u8]]];

/// A server that sends these frames over HTTP/2.
pub(super) async fn speaking(connections: Frames) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for responses in connections {
            let (socket, _) = listener.accept().await.unwrap();
            let mut stream = acceptor(&[b"h2"]).accept(socket).await.unwrap();
            stream.write_all(SETTINGS).await.unwrap();
            let mut heard = Vec::new();
            for (count, frames) in responses.iter().enumerate() {
                // The head of the request, which ends its stream. A client's streams have odd numbers.
                let head = [1, 5, 0, 0, 0, u8::try_from(count).unwrap() * 2 + 1];
                while !heard.windows(6).any(|bytes| bytes == head) {
                    assert!(stream.read_buf(&mut heard).await.unwrap() > 0);
                }
                stream.write_all(frames).await.unwrap();
                stream.flush().await.unwrap();
            }
            tokio::spawn(async move {
                while stream.read_buf(&mut heard).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    address
}

#[tokio::test]
async fn an_http2_stream_that_ends_early_without_an_error_is_cut() {
    // The head of a response of 9 bytes, 4 of them, and RST_STREAM with NO_ERROR.
    let address = speaking(&[&[b"\0\0\x05\x01\x04\0\0\0\x01\x88\x0f\x0d\x019\
        \0\0\x04\0\0\0\0\0\x01half\
        \0\0\x04\x03\0\0\0\0\x01\0\0\0\0"]])
    .await;
    let response = trusting(CERTIFICATE)
        .send(get(format!("https://{address}/")))
        .await
        .unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    let error = whole(response).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Cut);
}

/// The head of a response that ends its stream.
pub(super) const FIRST: &[u8] = b"\0\0\x01\x01\x05\0\0\0\x01\x88";
const SECOND: &[u8] = b"\0\0\x01\x01\x05\0\0\0\x03\x88";
/// RST_STREAM with REFUSED_STREAM, of the streams of three requests.
const REFUSED: [&[u8]; 3] = [
    b"\0\0\x04\x03\0\0\0\0\x01\0\0\0\x07",
    b"\0\0\x04\x03\0\0\0\0\x03\0\0\0\x07",
    b"\0\0\x04\x03\0\0\0\0\x05\0\0\0\x07",
];
/// GOAWAY with NO_ERROR, before the first stream.
const SHUTDOWN: &[u8] = b"\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\0";

#[tokio::test]
async fn a_request_that_http2_says_was_not_processed_is_sent_again() {
    for connections in [&[&[REFUSED[0], SECOND]], &[&[SHUTDOWN], &[FIRST]]] as [Frames; 2] {
        let address = speaking(connections).await;
        let request = get(format!("https://{address}/"));
        let response = trusting(CERTIFICATE).send(request).await.unwrap();
        assert_eq!(response.version(), Version::HTTP_2);
    }
}

#[tokio::test]
async fn retries_of_a_request_are_limited_and_a_stream_is_never_retried() {
    let address = speaking(&[&REFUSED]).await;
    let request = get(format!("https://{address}/"));
    let error = trusting(CERTIFICATE).send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Cut);

    // The head of the request doesn't end its stream.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heads = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let mut stream = acceptor(&[b"h2"]).accept(socket).await.unwrap();
        stream.write_all(SETTINGS).await.unwrap();
        let mut heard = Vec::new();
        let head = |bytes: &[u8]| bytes == [1, 4, 0, 0, 0, 1];
        while !heard.windows(6).any(head) {
            assert!(stream.read_buf(&mut heard).await.unwrap() > 0);
        }
        stream.write_all(REFUSED[0]).await.unwrap();
        while stream.read_buf(&mut heard).await.is_ok_and(|read| read > 0) {}
        heard
            .windows(5)
            .filter(|bytes| bytes[..5] == [1, 4, 0, 0, 0])
            .count()
    });
    let body = pieces([Ok("one"), Ok("two")]);
    let request = post(format!("https://{address}/")).body(body).unwrap();
    let transport = trusting(CERTIFICATE);
    let error = transport.send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Cut);
    assert!(error.may_have_been_sent());
    drop(transport);
    assert_eq!(heads.await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_in_time_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = TransportOptions::default().with_connect(Duration::from_millis(50));
    let transport = ReqwestTransport::new(options).unwrap();
    let request = get(format!("https://{}/", listener.local_addr().unwrap()));
    let error = transport.send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Unreachable);
    assert!(!error.may_have_been_sent());
}

#[tokio::test]
async fn a_response_to_head_over_http2_is_not_too_large() {
    // A head that ends its stream, of a response that would have 99999999999 bytes.
    let address = speaking(&[&[b"\0\0\x0f\x01\x05\0\0\0\x01\x88\x0f\x0d\x0b99999999999"]]).await;
    let mut request = get(format!("https://{address}/"));
    *request.method_mut() = http::Method::HEAD;
    let response = trusting(CERTIFICATE).send(request).await.unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    assert_eq!(response.headers()["content-length"], "99999999999");
    assert_eq!(whole(response).await.unwrap(), "");
}

pub(super) fn trusting(root: &[u8]) -> ReqwestTransport {
    ReqwestTransport::new(
        TransportOptions::default()
            .with_root_certificates(root)
            .unwrap(),
    )
    .unwrap()
}

/// A server that responds with the request's target.
struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Server {
    async fn start(protocols: &[&[u8]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, requests) = (Arc::default(), Arc::default());
        tokio::spawn(accept(
            listener,
            acceptor(protocols),
            Arc::clone(&connections),
            Arc::clone(&requests),
        ));
        Self {
            address,
            connections,
            requests,
        }
    }

    fn heard(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

pub(super) fn acceptor(protocols: &[&[u8]]) -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], PrivateKeyDer::try_from(KEY).unwrap())
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
) {
    while let Ok((socket, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::SeqCst);
        let Ok(stream) = acceptor.accept(socket).await else {
            continue;
        };
        let requests = Arc::clone(&requests);
        tokio::spawn(serve(stream, requests));
    }
}

async fn serve(stream: TlsStream<TcpStream>, requests: Arc<AtomicUsize>) {
    let service = service_fn(move |request: http::Request<_>| {
        requests.fetch_add(1, Ordering::SeqCst);
        async move { Ok::<_, Infallible>(response(&request)) }
    });
    let server = auto::Builder::new(TokioExecutor::new());
    let _ = server
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .await;
}

/// The target, with its length, or in pieces and without it.
fn response<B>(request: &http::Request<B>) -> Response<Body> {
    let target = request.uri().path_and_query().unwrap().as_str().to_owned();
    if target == "/pieces" {
        return Response::new(pieces([Ok("/pie"), Ok("ces")]));
    }
    Response::new(Bytes::from(target).into())
}
