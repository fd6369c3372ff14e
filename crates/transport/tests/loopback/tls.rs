//! TLS: who is trusted, and what is agreed on.
//!
//! The certificate in `fixtures/` is its own root, is only for 127.0.0.1, from 2020 to 2120, and was made with
//! `openssl ca -selfsign`.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
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
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;
use tower::service_fn;

use crate::{everything, get, send, whole, wire::pieces};

const CERTIFICATE: &[u8] = include_bytes!("../fixtures/loopback.pem");
const KEY: &[u8] = include_bytes!("../fixtures/loopback.key.der");

#[tokio::test]
async fn a_stranger_is_not_trusted() {
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
async fn http2_is_spoken_where_it_is_offered() {
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

/// Settings of HTTP/2 and their acknowledgement (RFC 9113, section 6.5).
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\0\x04\x01\0\0\0\0";

/// A server that gives these frames to one request over HTTP/2.
async fn speaking(frames: &'static [&'static [u8]]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let mut stream = acceptor(&[b"h2"]).accept(socket).await.unwrap();
        let mut heard = Vec::new();
        // The preface, the client's settings, and the head of its request, which ends its stream.
        while !heard.windows(5).any(|bytes| bytes == b"\x01\x05\0\0\0") {
            stream.read_buf(&mut heard).await.unwrap();
        }
        stream.write_all(SETTINGS).await.unwrap();
        stream.write_all(&frames.concat()).await.unwrap();
        stream.flush().await.unwrap();
        while stream.read_buf(&mut heard).await.is_ok_and(|read| read > 0) {}
    });
    address
}

#[tokio::test]
async fn an_http2_stream_that_ends_early_without_an_error_is_cut() {
    // The head of a response of 9 bytes, 4 of them, and RST_STREAM with NO_ERROR.
    let address = speaking(&[
        b"\0\0\x05\x01\x04\0\0\0\x01\x88\x0f\x0d\x019",
        b"\0\0\x04\0\0\0\0\0\x01half",
        b"\0\0\x04\x03\0\0\0\0\x01\0\0\0\0",
    ])
    .await;
    let response = trusting(CERTIFICATE)
        .send(get(format!("https://{address}/")))
        .await
        .unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    let error = whole(response).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Cut);
}

#[tokio::test]
async fn a_response_to_head_over_http2_is_not_too_large() {
    // A head that ends its stream, of a response that would have 99999999999 bytes.
    let address = speaking(&[b"\0\0\x0f\x01\x05\0\0\0\x01\x88\x0f\x0d\x0b99999999999"]).await;
    let mut request = get(format!("https://{address}/"));
    *request.method_mut() = http::Method::HEAD;
    let response = trusting(CERTIFICATE).send(request).await.unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    assert_eq!(response.headers()["content-length"], "99999999999");
    assert_eq!(whole(response).await.unwrap(), "");
}

fn trusting(root: &[u8]) -> ReqwestTransport {
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

fn acceptor(protocols: &[&[u8]]) -> TlsAcceptor {
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
        let service = service_fn(move |request: http::Request<_>| {
            requests.fetch_add(1, Ordering::SeqCst);
            async move { Ok::<_, Infallible>(response(&request)) }
        });
        tokio::spawn(async move {
            let server = auto::Builder::new(TokioExecutor::new());
            let _ = server
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
                .await;
        });
    }
}

/// The target: with its length, or in pieces and without.
fn response<B>(request: &http::Request<B>) -> Response<Body> {
    let target = request.uri().path_and_query().unwrap().as_str().to_owned();
    if target == "/pieces" {
        return Response::new(pieces([Ok("/pie"), Ok("ces")]));
    }
    Response::new(Bytes::from(target).into())
}
