//! What can be set on a transport.

use std::{error::Error, fmt, net::IpAddr, time::Duration};

use reqwest::{Proxy, Url};
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use stead_core::ports::{BoxError, Limits};

use crate::resolver::{self, Lookup};

/// How a transport reaches the network. The default suits the products' public addresses.
#[derive(Clone)]
pub struct TransportOptions {
    pub(crate) connect: Duration,
    pub(crate) keep_alive: Duration,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) proxy_host: Option<String>,
    pub(crate) root_certificates: Vec<CertificateDer<'static>>,
    /// Names that may lead to private addresses, where not all names may.
    pub(crate) private_hosts: Option<Vec<String>>,
    /// Names in lower case that are not looked up.
    pub(crate) addresses: Vec<(String, Vec<IpAddr>)>,
    pub(crate) lookup: Lookup,
}

impl TransportOptions {
    /// Longest wait for a connection, TLS included; 5 s by default.
    ///
    /// It applies to every request of the transport instead of [`Limits::connect`]: a connection is opened for the
    /// pool, not for one request.
    #[must_use]
    pub fn with_connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// How long an unused connection stays open for the next request; 60 s by default.
    #[must_use]
    pub fn with_keep_alive(mut self, limit: Duration) -> Self {
        self.keep_alive = limit;
        self
    }

    /// Connects to public addresses only: a name that leads to this machine, a private network or a cloud's own services is
    /// unreachable. `private_hosts` are excepted, such as a gateway of your own; `.corp.example` stands for all names below
    /// `corp.example`. So are `localhost` and a proxy, and hosts that are written as addresses.
    #[must_use]
    pub fn with_public_addresses<H: AsRef<str>>(
        mut self,
        private_hosts: impl IntoIterator<Item = H>,
    ) -> Self {
        let hosts = private_hosts.into_iter();
        let hosts = hosts.map(|host| host.as_ref().to_ascii_lowercase());
        self.private_hosts.get_or_insert_default().extend(hosts);
        self
    }

    /// Gives a name these addresses, instead of looking it up: such as in a test. They are judged like any other.
    #[must_use]
    pub fn with_addresses(
        mut self,
        name: &str,
        addresses: impl IntoIterator<Item = IpAddr>,
    ) -> Self {
        let addresses = addresses.into_iter().collect();
        self.addresses.push((name.to_ascii_lowercase(), addresses));
        self
    }

    /// Sends every request through a proxy, such as `http://user:password@proxy.example:3128`.
    ///
    /// # Errors
    /// [`InvalidOptions`] where `url` is not the address of an HTTP proxy; it does not repeat the address.
    pub fn with_proxy(mut self, url: &str) -> Result<Self, InvalidOptions> {
        let proxy = Proxy::all(url).map_err(|error| {
            InvalidOptions::new("the proxy's address isn't valid", error.without_url())
        })?;
        self.proxy = Some(proxy);
        self.proxy_host = Url::parse(url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        Ok(self)
    }

    /// Trusts further root certificates besides Mozilla's, such as that of a company's gateway: any number of
    /// certificates in PEM, or one in DER.
    ///
    /// # Errors
    /// [`InvalidOptions`] if the PEM text has no certificate or a broken one. DER is checked by
    /// [`ReqwestTransport::new`](crate::ReqwestTransport::new).
    pub fn with_root_certificates(mut self, pem_or_der: &[u8]) -> Result<Self, InvalidOptions> {
        // DER of a certificate begins with the tag of a sequence, 0x30, which PEM text does not.
        if pem_or_der.first() == Some(&0x30) {
            self.root_certificates
                .push(CertificateDer::from(pem_or_der.to_vec()));
            return Ok(self);
        }
        let known = self.root_certificates.len();
        for certificate in CertificateDer::pem_slice_iter(pem_or_der) {
            self.root_certificates.push(
                certificate.map_err(|error| {
                    InvalidOptions::new("a root certificate isn't valid", error)
                })?,
            );
        }
        if self.root_certificates.len() == known {
            return Err(InvalidOptions {
                message: "the PEM text has no certificate",
                source: None,
            });
        }
        Ok(self)
    }
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            connect: Limits::DEFAULT.connect,
            keep_alive: Duration::from_secs(60),
            proxy: None,
            proxy_host: None,
            root_certificates: Vec::new(),
            private_hosts: None,
            addresses: Vec::new(),
            lookup: resolver::system(),
        }
    }
}

impl fmt::Debug for TransportOptions {
    /// Says whether there is a proxy, not which: its address may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            connect,
            keep_alive,
            proxy,
            proxy_host: _,
            root_certificates,
            private_hosts,
            addresses,
            lookup: _,
        } = self;
        f.debug_struct("TransportOptions")
            .field("connect", connect)
            .field("keep_alive", keep_alive)
            .field("proxy", &proxy.is_some())
            .field("root_certificates", &root_certificates.len())
            .field("private_hosts", private_hosts)
            .field("addresses", addresses)
            .finish()
    }
}

/// Options from which no transport can be made.
#[derive(Debug)]
pub struct InvalidOptions {
    message: &'static str,
    source: Option<BoxError>,
}

impl InvalidOptions {
    pub(crate) fn new(message: &'static str, source: impl Into<BoxError>) -> Self {
        Self {
            message,
            source: Some(source.into()),
        }
    }
}

impl fmt::Display for InvalidOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl Error for InvalidOptions {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReqwestTransport;

    #[test]
    fn a_proxy_is_never_printed() {
        let options = TransportOptions::default()
            .with_proxy("http://user:canary@127.0.0.1:3128")
            .unwrap();
        let transport = ReqwestTransport::new(options.clone()).unwrap();
        assert!(!format!("{options:?} {transport:?}").contains("canary"));

        let refused = TransportOptions::default()
            .with_proxy("http://user:canary@[half")
            .unwrap_err();
        assert!(!format!("{refused} {refused:?}").contains("canary"));
    }

    #[test]
    fn what_is_not_a_root_certificate_is_refused() {
        assert!(
            TransportOptions::default()
                .with_root_certificates(b"")
                .is_err()
        );
        assert!(
            TransportOptions::default()
                .with_root_certificates(b"hello")
                .is_err()
        );
        let half = b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n";
        assert!(
            TransportOptions::default()
                .with_root_certificates(half)
                .is_err()
        );
        let der = TransportOptions::default()
            .with_root_certificates(&[0x30, 0x00])
            .unwrap();
        assert!(ReqwestTransport::new(der).is_err());
    }
}
