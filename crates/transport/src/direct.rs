//! The client for requests of calls, over hyper's connections. The crate's docs explain why it exists.

use std::{sync::Arc, time::Duration};

use http::{Request, Response, Uri, Version, header::HOST, uri::Parts};
use hyper::client::conn::http1;
use rustls::ClientConfig;
use stead_core::ports::TransportError;

use crate::{
    connector::{Connector, Http2, speaks_http2},
    failure,
    outgoing::Outgoing,
    pool::{Host, Open, Pool, Received},
    resolver::Resolver,
};

/// How often a request is sent again if the server says that it didn't process it.
const AGAIN: usize = 2;

/// The connections of one runtime.
pub(crate) struct Direct {
    connector: Connector,
    pool: Arc<Pool>,
}

impl Direct {
    pub(crate) fn new(
        resolver: Resolver,
        tls: Arc<ClientConfig>,
        connect: Duration,
        keep_alive: Duration,
    ) -> Self {
        Self {
            connector: Connector::new(resolver, tls, connect),
            pool: Pool::new(keep_alive),
        }
    }

    /// The response's head. If `on_new_connection` is set, it uses no kept connection.
    pub(crate) async fn send(
        &self,
        mut request: Request<Outgoing>,
        on_new_connection: bool,
    ) -> Result<Response<Received>, TransportError> {
        // The client and the server negotiate the version.
        *request.version_mut() = Version::HTTP_11;
        let uri = request.uri().clone();
        let host = self.pool.host(&uri)?;
        let mut times = 0;
        loop {
            let kept = if on_new_connection { None } else { host.take() };
            let (open, is_new) = match kept {
                Some(open) => (open, false),
                // Boxed, because it's large and rarely needed.
                None => Box::pin(self.connect(&host, &uri)).await?,
            };
            let mut again = None;
            let sent = match open {
                Open::Http1(mut own) => {
                    *request.uri_mut() = target(&uri);
                    let headers = request.headers_mut();
                    headers.entry(HOST).or_insert_with(|| host.name.clone());
                    let sent = own.try_send_request(request).await;
                    sent.map(|response| {
                        response.map(|body| Received::http1(body, own, Arc::clone(&host)))
                    })
                }
                Open::Http2(mut shared, place) => {
                    *request.uri_mut() = uri.clone();
                    if times < AGAIN {
                        again = copy(&request);
                    }
                    let sent = shared.try_send_request(request).await;
                    sent.map(|response| response.map(|body| Received::http2(body, place)))
                }
            };
            let mut error = match sent {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            // The connection had closed before the request was written.
            if let Some(unsent) = error.take_message() {
                if is_new {
                    return Err(failure::of_connection(error.into_error().into()));
                }
                request = unsent;
                continue;
            }
            let error = error.into_error();
            match again {
                Some(again) if failure::is_unprocessed(&error) => request = again,
                _ => return Err(failure::of_request(error)),
            }
            times += 1;
        }
    }

    /// A connection, and whether it's new. If connections are shared, later callers get the one that the first caller
    /// opens.
    async fn connect(&self, host: &Host, uri: &Uri) -> Result<(Open, bool), TransportError> {
        let mut turn = None;
        if host.shares() {
            turn = Some(host.connecting.lock().await);
            if let Some(open) = host.take() {
                return Ok((open, false));
            }
        }
        // If the previous caller got no shared connection, the others don't need to wait for their turn.
        if !host.shares() {
            drop(turn.take());
        }
        let io = match self.connector.connect(uri.clone()).await {
            Ok(io) => io,
            Err(error) => {
                host.shares_no_more();
                return Err(failure::of_connection(error));
            }
        };
        if speaks_http2(&io) {
            let shared = Http2::open(io).await.map_err(failure::of_request)?;
            return Ok((host.share(shared), true));
        }
        // Connections to this host aren't shared, so callers don't need to wait for a turn.
        host.shares_no_more();
        let made = http1::Builder::new().handshake(io).await;
        let (own, connection) = made.map_err(failure::of_request)?;
        tokio::spawn(connection);
        Ok((Open::Http1(own), true))
    }
}

/// The request target of HTTP/1.1 (RFC 9112, section 3.2.1).
fn target(uri: &Uri) -> Uri {
    let mut parts = Parts::default();
    parts.path_and_query = uri.path_and_query().cloned();
    Uri::from_parts(parts).unwrap_or_default()
}

/// A copy of the request, to send it again if an HTTP/2 server says that it didn't process it. `None` if its body is a
/// stream.
fn copy(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    let mut again = Request::new(request.body().again()?);
    *again.method_mut() = request.method().clone();
    *again.uri_mut() = request.uri().clone();
    *again.headers_mut() = request.headers().clone();
    Some(again)
}
