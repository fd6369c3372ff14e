//! Options of a transport.

use std::{error::Error, fmt, net::IpAddr, time::Duration};

use reqwest::{Proxy, Url};
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use stead_core::ports::{BoxError, Limits};

use crate::resolver::{self, Lookup};

/// Options of a transport. The defaults work for products' public addresses.
#[derive(Clone)]
pub struct TransportOptions {
    pub(crate) connect: Duration,
    pub(crate) keep_alive: Duration,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) proxy_host: Option<String>,
    pub(crate) root_certificates: Vec<CertificateDer<'static>>,
    /// Names that can resolve to private addresses. `None` if all names can.
    pub(crate) private_hosts: Option<Vec<String>>,
    /// Names in lower case with fixed addresses, which aren't looked up.
    pub(crate) addresses: Vec<(String, Vec<IpAddr>)>,
    pub(crate) lookup: Lookup,
}

impl TransportOptions {
    /// Maximum time to connect, including TLS. Defaults to 5 s.
    ///
    /// It applies to all requests instead of [`Limits::connect`], because connections belong to the pool, not to one
    /// request.
    #[must_use]
    pub fn with_connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// How long an unused connection stays open for the next request. Defaults to 60 s.
    #[must_use]
    pub fn with_keep_alive(mut self, limit: Duration) -> Self {
        self.keep_alive = limit;
        self
    }

    /// Connects only to public addresses. Names that resolve to this machine, a private network or a cloud's own
    /// services are unreachable. Exceptions are `private_hosts`, such as your own gateway, `localhost`, a proxy, and
    /// hosts written as addresses. `.corp.example` means all names below `corp.example`.
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

    /// Resolves a name to these addresses, for example in a test. The same rules apply to them as to other addresses.
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
    /// [`InvalidOptions`] if `url` isn't the URL of an HTTP proxy. The error doesn't contain the URL.
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

    /// Trusts root certificates in addition to Mozilla's, such as a company gateway's. Give any number of certificates
    /// in PEM, or one in DER.
    ///
    /// # Errors
    /// [`InvalidOptions`] if the PEM text has no certificate or an invalid one.
    /// [`ReqwestTransport::new`](crate::ReqwestTransport::new) checks DER.
    pub fn with_root_certificates(mut self, pem_or_der: &[u8]) -> Result<Self, InvalidOptions> {
        // DER of a certificate begins with the tag of a sequence, 0x30. PEM text doesn't.
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
    /// Shows only whether there is a proxy, because its URL can contain a password.
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
    fn an_invalid_root_certificate_is_refused() {
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
