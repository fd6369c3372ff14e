//! Makes connections as reqwest makes them: TLS, HTTP/2 where both speak it, and a limit of time for all of it.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::{
    client::legacy::connect::{Connected, Connection, HttpConnector},
    rt::TokioIo,
};
use rustls::ClientConfig;
use stead_core::ports::BoxError;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tower::{Service as _, ServiceExt as _, util::MapResponse};

use crate::resolver::Resolver;

type Plain = TokioIo<Socket>;
type Tcp = MapResponse<HttpConnector<Resolver>, fn(TokioIo<TcpStream>) -> Plain>;

/// What requests and responses go over.
pub(crate) type Io = MaybeHttpsStream<Plain>;

pub(crate) struct Connector {
    connector: HttpsConnector<Tcp>,
    limit: Duration,
}

impl Connector {
    pub(crate) fn new(resolver: Resolver, tls: Arc<ClientConfig>, limit: Duration) -> Self {
        const PROBE: Duration = Duration::from_secs(15);
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // A server that is gone is noticed after a minute at most.
        tcp.set_keepalive(Some(PROBE));
        tcp.set_keepalive_interval(Some(PROBE));
        tcp.set_keepalive_retries(Some(3));
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        tcp.set_tcp_user_timeout(Some(2 * PROBE));
        let tcp: Tcp = tcp.map_response(|io| TokioIo::new(Socket(io.into_inner())));
        Self {
            connector: HttpsConnector::from((tcp, tls)),
            limit,
        }
    }

    /// A connection to the host of `uri`.
    pub(crate) async fn connect(&self, uri: Uri) -> Result<Io, BoxError> {
        // The resolver is always ready, and so is what asks it.
        let connecting = self.connector.clone().call(uri);
        let connected = timeout(self.limit, connecting).await;
        connected.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }
}

/// Whether both sides agreed on HTTP/2.
pub(crate) fn speaks_http2(io: &Io) -> bool {
    io.connected().is_negotiated_h2()
}

/// A socket of which only what was agreed on over it is asked.
pub(crate) struct Socket(TcpStream);

impl Connection for Socket {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, pieces)
    }
}
