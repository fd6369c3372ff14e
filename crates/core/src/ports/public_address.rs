//! Which addresses are public. Hosts that others name can't resolve to any other address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is public, in any notation (RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// A cloud's service that each of its machines reaches at a public address.
const CLOUD_SERVICE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        // This network, carrier-grade NAT, protocol assignments, 6to4 relays, benchmarks.
        (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _)
        // Multicast, and everything above it.
        | (224.., ..)
    );
    !(special
        || address == CLOUD_SERVICE
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d, e, f) {
        // IPv4-mapped, IPv4-compatible and NAT64 addresses lead to the IPv4 address that they contain (RFC 4291, RFC
        // 6052).
        (0, 0, 0, 0, 0, 0 | 0xffff) | (0, 0, 0, 0, 0xffff, 0) | (0x64, 0xff9b, 0, 0, 0, 0) => {
            v4(g, h)
        }
        // 6to4 (RFC 3056).
        (0x2002, ..) => v4(b, c),
        // Local NAT64, Teredo, benchmarks, documentation.
        (0x64, 0xff9b, ..)
        | (0x2001, 0 | 2, ..)
        | (0x2001, 0xdb8, ..)
        | (0x3fff, 0..=0xfff, ..) => false,
        // Global unicast addresses.
        (0x2000..=0x3fff, ..) => true,
        _ => false,
    }
}
