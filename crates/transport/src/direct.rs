//! The client for requests of calls, over hyper's connections. The crate's page says why it exists.

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

/// How often a request is sent again that a server says it did not process.
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
        // Which version is spoken is agreed on with the server.
        *request.version_mut() = Version::HTTP_11;
        let uri = request.uri().clone();
        let host = self.pool.host(&uri)?;
        let mut times = 0;
        loop {
            let kept = if on_new_connection { None } else { host.take() };
            let (open, is_new) = match kept {
                Some(open) => (open, false),
                // Boxed, as it is large, and rarely needed.
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

    /// A connection, and whether it is new: where one serves many, whoever comes second finds that of the first.
    async fn connect(&self, host: &Host, uri: &Uri) -> Result<(Open, bool), TransportError> {
        let mut turn = None;
        if host.shares() {
            turn = Some(host.connecting.lock().await);
            if let Some(open) = host.take() {
                return Ok((open, false));
            }
        }
        // Where the one before got none, no one waits for another's turn.
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
        // Who waits for a turn here need not.
        host.shares_no_more();
        let made = http1::Builder::new().handshake(io).await;
        let (own, connection) = made.map_err(failure::of_request)?;
        tokio::spawn(connection);
        Ok((Open::Http1(own), true))
    }
}

/// What a request of HTTP/1.1 names of its address (RFC 9112, section 3.2.1).
fn target(uri: &Uri) -> Uri {
    let mut parts = Parts::default();
    parts.path_and_query = uri.path_and_query().cloned();
    Uri::from_parts(parts).unwrap_or_default()
}

/// The same request once more, unless its body is a stream: a server of HTTP/2 says what it did not process.
fn copy(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    let mut again = Request::new(request.body().again()?);
    *again.method_mut() = request.method().clone();
    *again.uri_mut() = request.uri().clone();
    *again.headers_mut() = request.headers().clone();
    Some(again)
}
