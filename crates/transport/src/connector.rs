//! Makes connections as reqwest makes them: TLS, HTTP/2 where both speak it, and a limit of time for all of it.

use std::{io, sync::Arc, time::Duration};

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::{
    client::legacy::connect::{Connection as _, HttpConnector},
    rt::TokioIo,
};
use rustls::ClientConfig;
use stead_core::ports::BoxError;
use tokio::{net::TcpStream, time::timeout};
use tower::Service as _;

use crate::resolver::Resolver;

/// What requests and responses go over.
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
        // Shared by the addresses of a host, so that one that does not respond leaves the others time.
        tcp.set_connect_timeout(Some(limit));
        // A server that is gone is noticed after a minute at most.
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
