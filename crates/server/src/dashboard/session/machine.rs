//! Detects requests from a browser on this machine that uses a name of this machine.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use http::{header, uri::Authority};

/// Headers that a browser or curl sends. Proxies and tunnels add others under names of their own, so a list of
/// forbidden headers would never be complete.
const OF_BROWSERS: [&str; 22] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "dnt",
    "host",
    "if-modified-since",
    "if-none-match",
    "last-event-id",
    "origin",
    "pragma",
    "priority",
    "purpose",
    "referer",
    "save-data",
    "te",
    "upgrade-insecure-requests",
    "user-agent",
];
/// Prefixes of more such headers.
const BEGINNING: &str = "sec-";

/// Whether the request comes from this machine and uses its name. Requests through a proxy don't count, nor do those of
/// another site whose name resolves to this machine (DNS rebinding).
pub(super) fn is_on_this_machine(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let is_near = peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    let given = first.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let authority = request.uri().authority().cloned().or(given);
    let is_named = second.is_none() && authority.is_some_and(|host| is_local_name(host.host()));
    let is_of_browser = |name: &str| OF_BROWSERS.contains(&name) || name.starts_with(BEGINNING);
    let mut names = request.headers().keys();
    let other = names.find(|name| !is_of_browser(name.as_str()));
    if is_near
        && is_named
        && let Some(other) = other
    {
        tracing::warn!(
            header = %other,
            "a request has a header that browsers don't send and may come through a proxy or a tunnel, so Stead doesn't sign it in automatically"
        );
    }
    is_near && is_named && other.is_none()
}

fn is_local_name(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}
