//! Whether a browser of this machine asks, by a name of this machine.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use http::{header, uri::Authority};

/// What a proxy on this machine adds to what others sent.
const OF_PROXIES: [&str; 5] = [
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
    "via",
];

/// Whether the request comes from this machine and by no other name than its own: a page of another site whose name was
/// made to lead here (DNS rebinding), and what a proxy passes on, do not count.
pub(super) fn is_on_this_machine(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let is_near = peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    let given = first.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let authority = request.uri().authority().cloned().or(given);
    let is_named = second.is_none() && authority.is_some_and(|host| is_local_name(host.host()));
    let is_direct = OF_PROXIES
        .iter()
        .all(|name| !request.headers().contains_key(*name));
    is_near && is_named && is_direct
}

fn is_local_name(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}
