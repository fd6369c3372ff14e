//! Which hosts are this machine. Plain HTTP is allowed only for them.

use std::net::IpAddr;

/// Whether a host of a URL is this machine.
pub fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
