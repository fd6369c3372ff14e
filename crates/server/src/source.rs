//! The source of a request: the address to which limits apply.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr, SocketAddr},
};

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap, HeaderName, header};
use ipnet::IpNet;

/// An address. For IPv6, the network of 64 bits that one subscriber has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Source(IpAddr);

/// A range from which one stranger can take addresses: an IPv4 address, or an IPv6 network of 48 bits, which providers
/// give to anyone who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Network(IpAddr);

impl Source {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(of_prefix(address.to_canonical(), 64))
    }

    pub(crate) fn network(self) -> Network {
        Network(of_prefix(self.0, 48))
    }

    /// The source of a request. `None` if it's unknown, because a proxy doesn't name its callers.
    pub(crate) fn of_request(
        extensions: &Extensions,
        headers: &HeaderMap,
        trusted: &[IpNet],
    ) -> Option<Self> {
        let ConnectInfo(peer) = extensions.get::<ConnectInfo<SocketAddr>>()?;
        let is_proxy = |address: IpAddr| {
            let address = address.to_canonical();
            address.is_loopback() || trusted.iter().any(|network| network.contains(&address))
        };
        if !is_proxy(peer.ip()) {
            return Some(Self::of(peer.ip()));
        }
        forwarded(headers)
            .into_iter()
            .rev()
            // No trusted proxy has written what comes before an unreadable part.
            .map_while(|address| address)
            .find(|address| !is_proxy(*address))
            .map(Self::of)
    }
}

/// The network of an IPv6 address.
fn of_prefix(address: IpAddr, bits: u32) -> IpAddr {
    match address {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !(u128::MAX >> bits);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The addresses that proxies have added, the nearest one last. Most proxies add to the first header and forward the
/// other one unchanged, so only one of them counts.
fn forwarded(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
    let items = |name: &HeaderName| {
        let lines = headers.get_all(name).iter();
        let lines = lines.map(|line| line.to_str().unwrap_or_default());
        let items = lines.flat_map(|line| line.split(','));
        items.map(str::to_owned).collect::<Vec<_>>()
    };
    let items_of_first = items(&X_FORWARDED_FOR);
    if !items_of_first.is_empty() {
        return items_of_first.iter().map(|item| address(item)).collect();
    }
    items(&header::FORWARDED)
        .iter()
        .map(|item| {
            let mut pairs = item.split(';').filter_map(|pair| pair.split_once('='));
            let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
            address(value.trim().trim_matches('"'))
        })
        .collect()
}

/// An address, possibly with a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let without_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(without_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source of a request from `peer` with this header.
    fn source(peer: &str, name: &'static str, value: &str) -> Option<String> {
        let peer: SocketAddr = peer.parse().unwrap();
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(peer));
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        let trusted = [
            "10.0.0.0/8".parse().unwrap(),
            "2001:db8:1::/48".parse().unwrap(),
        ];
        Source::of_request(&extensions, &headers, &trusted).map(|source| source.0.to_string())
    }

    #[test]
    fn only_addresses_from_trusted_proxies_count() {
        let of = |peer, value| source(peer, "x-forwarded-for", value);
        let expect = |address: &str| Some(String::from(address));
        assert_eq!(of("192.0.2.1:1", "198.51.100.9"), expect("192.0.2.1"));
        assert_eq!(of("10.0.0.1:1", "198.51.100.9"), expect("198.51.100.9"));
        assert_eq!(
            of("127.0.0.1:1", "198.51.100.9:443"),
            expect("198.51.100.9")
        );
        assert_eq!(
            of("[::ffff:10.0.0.1]:1", "198.51.100.9"),
            expect("198.51.100.9")
        );
        assert_eq!(
            of("10.0.0.1:1", "1.1.1.1, 198.51.100.9, 10.0.0.7"),
            expect("198.51.100.9")
        );
        assert_eq!(
            of("[2001:db8:1::5]:1", "[2001:db8:2:3:4::9]:443"),
            expect("2001:db8:2:3::")
        );
        for unknown in ["unknown", "10.0.0.2", "198.51.100.9, unknown", ""] {
            assert_eq!(of("10.0.0.1:1", unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_forwarded_header_names_the_source() {
        let of = |value| source("10.0.0.1:1", "forwarded", value);
        let expect = |address: &str| Some(String::from(address));
        assert_eq!(of("for=198.51.100.9;proto=https"), expect("198.51.100.9"));
        assert_eq!(
            of("for=1.1.1.1, proto=https;FOR=\"[2001:db8:2::9]:47\""),
            expect("2001:db8:2::")
        );
        assert_eq!(of("for=_hidden"), None);
        assert_eq!(of("by=10.0.0.2"), None);
    }
}
