//! The names by which browsers may reach the service. Without this check, a page of another site whose name resolves to
//! this machine (DNS rebinding) could read ours.

use std::{collections::HashSet, net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{header, uri::Authority};
use stead::{Error, ErrorKind};
use url::Url;

use crate::problem::Result;

/// The accepted names, in lower case and without port.
#[derive(Debug)]
pub(crate) struct Hosts(HashSet<String>);

impl Hosts {
    pub(crate) fn new(public_url: &Url, allowed: &[String]) -> Self {
        let public = public_url.host_str().map(str::to_owned);
        let names = allowed.iter().cloned().chain(public);
        Self(names.map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Fails if a request names another host. A caller that names none isn't a browser.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Error> {
        let given = match request.uri().authority() {
            Some(authority) => Some(Some(authority.clone())),
            None => request
                .headers()
                .get(header::HOST)
                .map(|host| Authority::try_from(host.as_bytes()).ok()),
        };
        if given.is_none_or(|host| host.is_some_and(|host| self.has(host.host()))) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::HostRejected,
            "the Host header doesn't match the public URL; the operator can allow this host with --allowed-host",
        ))
    }

    fn has(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        self.0.contains(&host)
            || host == "localhost"
            || address
                .parse::<IpAddr>()
                .is_ok_and(|address| address.to_canonical().is_loopback())
    }
}

/// Rejects a browser that called the service by a name that isn't its own.
pub(crate) async fn check_host(
    State(hosts): State<Arc<Hosts>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    hosts.check(&request)?;
    Ok(next.run(request).await)
}
