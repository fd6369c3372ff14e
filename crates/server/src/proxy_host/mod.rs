//! The proxy host: an address without a path of its own, at which the token says whose account is meant, so that an SDK
//! that takes no more than a host works there.

use std::sync::Arc;

use axum::{Router, extract::Request, middleware::from_fn_with_state};
use http::{header, uri::Authority};
use url::Url;

use crate::{
    admission::{self, Hosts},
    authentication::{self, Entrance},
    layer::layer,
    metrics::PROXY_HOST,
    middleware,
    rest::proxy::at_proxy_host,
    state::ServerState,
};

/// Every path, with the bounds of the service. On a listener of its own, only these names are expected.
pub(crate) fn router(state: &ServerState, expected: Option<Hosts>) -> Router {
    let mut router = Router::new().fallback(at_proxy_host).layer(layer(
        Entrance::of_account_tokens(state),
        authentication::pass,
    ));
    if let Some(hosts) = expected {
        router = router.layer(from_fn_with_state(Arc::new(hosts), admission::check_host));
    }
    let router = router.with_state(state.clone());
    middleware::surround(router, state.around(PROXY_HOST))
}

/// How a request names the proxy host.
#[derive(Debug)]
pub(crate) struct Host {
    name: String,
    /// Compared only where the service has the same name; and the port that stands for none.
    port: Option<u16>,
    default_port: Option<u16>,
}

impl Host {
    pub(crate) fn new(proxy_url: &Url, public_url: &Url) -> Self {
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
