//! The proxy host: an address without a path, at which the account token decides which account is used. It's for SDKs
//! in which only the host can be set.

use axum::extract::Request;
use http::{header, uri::Authority};
use stead_core::environment::Environment;
use url::Url;

/// The proxy host's name in requests.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    name: String,
    /// The port. Stead only compares it if the service has the same host name.
    port: Option<u16>,
    /// The scheme's default port. A request can omit it.
    default_port: Option<u16>,
}

impl Host {
    /// The proxy host of an environment, if it has one.
    pub(crate) fn of(environment: &Environment) -> Option<Self> {
        let proxy_url = environment.proxy_url()?;
        Some(Self::new(proxy_url, environment.public_url()))
    }

    fn new(proxy_url: &Url, public_url: &Url) -> Self {
        let name = |url: &Url| url.host_str().unwrap_or_default().to_ascii_lowercase();
        let same = name(proxy_url) == name(public_url);
        Self {
            name: name(proxy_url),
            port: proxy_url.port_or_known_default().filter(|_| same),
            default_port: match proxy_url.scheme() {
                "https" => Some(443),
                _ => Some(80),
            },
        }
    }

    pub(crate) fn is_named_by(&self, request: &Request) -> bool {
        let authority = match request.uri().authority() {
            Some(authority) => Some(authority.clone()),
            None => request
                .headers()
                .get(header::HOST)
                .and_then(|host| Authority::try_from(host.as_bytes()).ok()),
        };
        authority.is_some_and(|authority| {
            let name = authority.host().trim_end_matches('.');
            name.eq_ignore_ascii_case(&self.name)
                && (self.port.is_none() || authority.port_u16().or(self.default_port) == self.port)
        })
    }
}

#[cfg(test)]
mod tests;
