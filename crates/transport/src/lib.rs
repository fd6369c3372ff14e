//! The HTTP client of Stead. [`ReqwestTransport`] implements [`stead_core::ports::Transport`] over reqwest.
//!
//! Requests of calls ([`Purpose::Call`](stead_core::ports::Purpose::Call)) go over hyper's connections in a pool of
//! this crate. All other requests go over reqwest, and with a proxy the requests of calls too. The rest of this page
//! applies to both.
//!
//! reqwest opens one HTTP/2 connection for each host, so a call would wait if the server takes no more requests over
//! it. It can't be told to send a request again over a new connection. When we measured it, it took 8 % of the
//! instructions of a raw request.
//!
//! The transport keeps connections open for the next request, and uses HTTP/2 if the server offers it. It follows no
//! redirect, reads no proxy from the environment, keeps no cookie, sends no referrer, adds no credentials and
//! decompresses nothing. It has its own TLS provider and Mozilla's root certificates, and installs neither for the
//! whole process.
//!
//! It adds only the headers that HTTP needs (`host`, `content-length`). If a request that isn't a call's has no
//! `accept`, reqwest adds `accept: */*`, which means the same as none (RFC 9110, section 12.5.1). The request target
//! reaches the server byte for byte as given, or the request is refused.
//!
//! A request is sent once. A caller that may send it again can ask for a new connection
//! ([`OnNewConnection`](stead_core::ports::OnNewConnection)).
//!
//! The transport repeats a request only if the protocol says that the server didn't process it:
//! - A pooled connection closed before the request was written.
//! - The server refused the HTTP/2 stream, or the stream is above the last one of a graceful shutdown (RFC 9113,
//!   section 8.7).
//!
//! It needs a running tokio runtime with time and I/O enabled.
//!
//! ```
//! use stead_core::ports::{Body, Transport as _};
//! use stead_transport::{ReqwestTransport, TransportOptions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let transport = ReqwestTransport::new(TransportOptions::default())?;
//! let response = transport.send(http::Request::get("https://example.com/").body(Body::Empty)?).await?;
//! let page = response.into_body().collect(1024 * 1024).await?;
//! # Ok(())
//! # }
//! ```

mod clients;
mod connector;
mod deadline;
mod direct;
mod failure;
mod options;
mod outgoing;
mod pool;
mod resolver;
mod response;
mod send;
mod target;

use std::{fmt, sync::Arc};

use http::{Request, Response};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use stead_core::{
    boxed::boxed,
    ports::{Body, BoxFuture, Transport, TransportError, TransportErrorKind},
};

use clients::Clients;
pub use options::{InvalidOptions, TransportOptions};

/// Sends requests. It's cheap to clone, and clones share connections.
#[derive(Clone)]
pub struct ReqwestTransport {
    clients: Arc<Clients>,
}

impl ReqwestTransport {
    /// A transport with its own connections.
    ///
    /// # Errors
    /// [`InvalidOptions`] if a root certificate or the TLS configuration isn't valid.
    pub fn new(options: TransportOptions) -> Result<Self, InvalidOptions> {
        let tls = tls(&options)?;
        Ok(Self {
            clients: Arc::new(Clients::new(options, tls)?),
        })
    }
}

impl Transport for ReqwestTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        boxed(move || async move {
            let clients = self.clients.current().map_err(|error| {
                TransportError::new(
                    TransportErrorKind::Unreachable,
                    "no clients for this runtime",
                )
                .with_source(error)
            })?;
            send::send(&clients, request).await
        })
    }
}

impl fmt::Debug for ReqwestTransport {
    /// Omits the client, because its proxy URL can contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReqwestTransport").finish_non_exhaustive()
    }
}

/// TLS 1.2 and 1.3 with the ring provider, HTTP/2 offered before HTTP/1.1.
fn tls(options: &TransportOptions) -> Result<ClientConfig, InvalidOptions> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for certificate in &options.root_certificates {
        roots
            .add(certificate.clone())
            .map_err(|error| InvalidOptions::new("a root certificate isn't valid", error))?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| InvalidOptions::new("can't set up TLS", error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transport_moves_between_threads_and_outlives_its_maker() {
        fn check<T: Send + Sync + Clone + 'static>() {}
        check::<ReqwestTransport>();
        check::<TransportOptions>();
    }

    #[test]
    fn no_provider_is_installed_for_the_process() {
        ReqwestTransport::new(TransportOptions::default()).unwrap();
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }
}
