//! Where a request comes from: the address that limits are counted against.

use std::net::{IpAddr, Ipv6Addr};

/// An address; of IPv6 the network of 64 bits, which is what one subscriber has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Source(IpAddr);

impl Source {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}
