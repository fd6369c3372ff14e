//! Which hosts are this machine: plain HTTP is used for those only.

use std::net::IpAddr;

/// Whether a host, as it stands in a URL, is this machine.
pub fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
