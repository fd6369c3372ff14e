//! Opens connections like reqwest does: with TLS, HTTP/2 if both sides support it, and a time limit.

use std::{
    future::{Future as _, poll_fn},
    io,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::Uri;
use hyper::client::conn::http2;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::{
    client::legacy::connect::{Connection as _, HttpConnector},
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use rustls::ClientConfig;
use stead_core::ports::BoxError;
use tokio::{net::TcpStream, time::timeout};
use tower::Service as _;

use crate::{outgoing::Outgoing, resolver::Resolver};

/// Maximum number of concurrent requests over one connection, if the server accepts that many.
const REQUESTS: usize = 256;
/// Bytes of a response that arrive before its caller has read them. An HTTP/1.1 connection holds about as many.
pub(crate) const WINDOW: u32 = 256 * 1024;
/// The same for all responses of a connection, so that unread ones leave room for the others.
#[expect(clippy::cast_possible_truncation, reason = "a small constant")]
pub(crate) const WINDOWS: u32 = REQUESTS as u32 * WINDOW;

/// The stream that carries requests and responses.
pub(crate) type Io = MaybeHttpsStream<TokioIo<TcpStream>>;

pub(crate) struct Connector {
    connector: HttpsConnector<HttpConnector<Resolver>>,
    limit: Duration,
}

impl Connector {
    pub(crate) fn new(resolver: Resolver, tls: Arc<ClientConfig>, limit: Duration) -> Self {
        const PROBE: Duration = Duration::from_secs(15);
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // The addresses of a host share this time, so that one that doesn't respond leaves time for the others.
        tcp.set_connect_timeout(Some(limit));
        // Detects within a minute that a server is gone.
        tcp.set_keepalive(Some(PROBE));
        tcp.set_keepalive_interval(Some(PROBE));
        tcp.set_keepalive_retries(Some(3));
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        tcp.set_tcp_user_timeout(Some(2 * PROBE));
        Self {
            connector: HttpsConnector::from((tcp, tls)),
            limit,
        }
    }

    /// Connects to the host of `uri`.
    pub(crate) async fn connect(&self, uri: Uri) -> Result<Io, BoxError> {
        // The resolver is always ready, and so is the connector that calls it.
        let connecting = self.connector.clone().call(uri);
        let connected = timeout(self.limit, connecting).await;
        connected.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }
}

/// Whether both sides agreed on HTTP/2.
pub(crate) fn speaks_http2(io: &Io) -> bool {
    io.connected().is_negotiated_h2()
}

/// A connection that several requests share.
pub(crate) struct Http2 {
    sender: http2::SendRequest<Outgoing>,
    requests: Arc<Requests>,
}

/// Running requests of a connection.
struct Requests {
    now: AtomicUsize,
    /// How many requests the server accepts.
    most: AtomicUsize,
}

/// A request's place on a connection, until its response has ended.
pub(crate) struct Place(Arc<Requests>);

impl Http2 {
    /// Starts HTTP/2 on a new connection.
    pub(crate) async fn open(io: Io) -> hyper::Result<Self> {
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOWS)
            .handshake(io)
            .await?;
        let requests = Arc::new(Requests {
            now: AtomicUsize::new(0),
            most: AtomicUsize::new(REQUESTS),
        });
        let counted = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            poll_fn(|context| {
                let polled = connection.as_mut().poll(context);
                let taken = connection.current_max_send_streams().min(REQUESTS);
                counted.most.store(taken, Ordering::Relaxed);
                polled
            })
            .await
        });
        Ok(Self { sender, requests })
    }

    /// Whether the connection is open.
    pub(crate) fn is_open(&self) -> bool {
        self.sender.is_ready()
    }

    /// Takes a place on the connection, unless all are taken. Only one thread takes places at a time.
    pub(crate) fn take(&self) -> Option<(http2::SendRequest<Outgoing>, Place)> {
        let Requests { now, most } = &*self.requests;
        let is_free = now.load(Ordering::Relaxed) < most.load(Ordering::Relaxed);
        is_free.then(|| self.take_anyway())
    }

    /// Takes a place even if none is free. The server then lets the request wait.
    pub(crate) fn take_anyway(&self) -> (http2::SendRequest<Outgoing>, Place) {
        self.requests.now.fetch_add(1, Ordering::Relaxed);
        (self.sender.clone(), Place(Arc::clone(&self.requests)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}
