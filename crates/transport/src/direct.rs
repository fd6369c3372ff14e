//! The direct way, for requests of calls: hyper's pooled client, which reqwest is made of too.
//!
//! Without a URL that is parsed, layers, and boxes around bodies a request costs less. Connections are made as reqwest makes them.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Request, Response, Uri, Version, uri::Scheme};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::{
    client::legacy::{
        self,
        connect::{Connected, Connection, HttpConnector},
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use rustls::ClientConfig;
use stead_core::ports::{BoxError, BoxFuture, TransportError};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tower::{Service, ServiceExt as _, util::MapResponse};

use crate::{failure, outgoing::Outgoing, resolver::Resolver, response::Incoming};

/// How often a request is sent again that a server says it did not process.
const AGAIN: usize = 2;

/// Connections of one runtime, and how requests go over them.
pub(crate) struct Direct(legacy::Client<Connector, Outgoing>);

impl Direct {
    pub(crate) fn new(
        resolver: Resolver,
        tls: Arc<ClientConfig>,
        connect: Duration,
        keep_alive: Duration,
    ) -> Self {
        let connector = Connector::new(resolver, tls, connect);
        let client = legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(keep_alive)
            .build(connector);
        Self(client)
    }

    /// The response's head.
    pub(crate) async fn send(
        &self,
        mut request: Request<Outgoing>,
    ) -> Result<Response<impl Incoming + use<>>, TransportError> {
        // Which version is spoken is agreed on with the server.
        *request.version_mut() = Version::HTTP_11;
        for _ in 0..AGAIN {
            let Some(again) = again(&request) else {
                break;
            };
            match self.0.request(request).await {
                Err(error) if failure::is_unprocessed(&error) => request = again,
                result => return result.map_err(failure::of_request),
            }
        }
        self.0.request(request).await.map_err(failure::of_request)
    }
}

/// The same request once more, where it may become necessary: only HTTP/2 says what was not processed, and without TLS no one
/// agrees on it.
fn again(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    if request.uri().scheme() != Some(&Scheme::HTTPS) {
        return None;
    }
    let mut again = Request::new(request.body().again()?);
    *again.method_mut() = request.method().clone();
    *again.uri_mut() = request.uri().clone();
    *again.headers_mut() = request.headers().clone();
    Some(again)
}

type Plain = TokioIo<Socket>;
type Tcp = MapResponse<HttpConnector<Resolver>, fn(TokioIo<TcpStream>) -> Plain>;

/// Makes connections within a limit of time, TLS included. The client clones it for every request.
#[derive(Clone)]
struct Connector {
    connector: Arc<HttpsConnector<Tcp>>,
    limit: Duration,
}

impl Connector {
    fn new(resolver: Resolver, tls: Arc<ClientConfig>, limit: Duration) -> Self {
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
            connector: Arc::new(HttpsConnector::from((tcp, tls))),
            limit,
        }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Plain>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // As the resolver always is.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (mut connector, limit) = ((*self.connector).clone(), self.limit);
        Box::pin(async move {
            let connected = timeout(limit, connector.call(to)).await;
            connected.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
        })
    }
}

/// A socket of which the client knows no addresses, which it would note in every response.
struct Socket(TcpStream);

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
