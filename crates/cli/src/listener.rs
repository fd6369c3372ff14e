//! The addresses on which a command listens.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

use tokio::net::TcpListener;

use crate::failure::{Failure, Outcome};

/// An address with a port, as an argument.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.rsplit(':').next().unwrap_or_default();
    text.parse().map_err(|_| match port.parse::<u16>() {
        Ok(port) => format!("expected an IP address and a port: write 127.0.0.1:{port}"),
        Err(_) => String::from("expected an IP address and a port, such as 127.0.0.1:8484"),
    })
}

/// A listener at a free address.
pub(crate) async fn bind(address: SocketAddr, option: &str) -> Outcome<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::AddrInUse => format!("another program uses {address}"),
            io::ErrorKind::AddrNotAvailable => {
                let (port, ip) = (address.port(), address.ip());
                return Failure::configuration(
                    format!("this machine has no address {ip}"),
                    format!("Try {option} 127.0.0.1:{port}, or {option} 0.0.0.0:{port} for all its addresses."),
                );
            }
            _ => format!("can't listen on {address}: {error}"),
        };
        let free = SocketAddr::new(address.ip(), 0);
        Failure::configuration(
            what,
            format!("Choose another address with {option}, or let the system choose a port: {option} {free}"),
        )
    })
}

/// A listener at an address that no other option of this command uses; `None` without an address.
pub(crate) async fn bind_another(
    address: Option<SocketAddr>,
    option: &str,
    taken: &[(SocketAddr, &str)],
) -> Outcome<Option<TcpListener>> {
    let Some(address) = address else {
        return Ok(None);
    };
    // For port 0, the system chooses another port each time.
    let same = |(other, _): &&(SocketAddr, &str)| *other == address && address.port() != 0;
    match taken.iter().find(same) {
        Some((_, other)) => Err(Failure::configuration(
            format!("{option} and {other} name the same address: {address}"),
            format!("Give {option} another port."),
        )),
        None => bind(address, option).await.map(Some),
    }
}

/// A listener on this machine, at a free port that the system chooses.
pub(crate) async fn bind_free_port() -> Outcome<TcpListener> {
    bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), "--listen").await
}

/// The URL of a listener on this machine.
pub(crate) fn url(listener: &TcpListener) -> Outcome<String> {
    let mut address = listener.local_addr().map_err(|error| {
        Failure::configuration(
            format!("can't get the address of a listener: {error}"),
            "Check this machine's network.",
        )
    })?;
    if !address.ip().is_loopback() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    Ok(format!("http://{address}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_only_a_port_is_completed() {
        assert!(address("127.0.0.1:8600").is_ok());
        for text in ["8600", ":8600", "localhost:8600"] {
            let error = address(text).unwrap_err();
            assert!(error.ends_with("write 127.0.0.1:8600"), "{error}");
        }
        assert!(
            address("here")
                .unwrap_err()
                .ends_with("such as 127.0.0.1:8484")
        );
    }

    #[tokio::test]
    async fn a_used_port_is_reported_with_the_way_out() {
        let used = bind_free_port().await.unwrap();
        let address = used.local_addr().unwrap();
        let failure = bind(address, "--listen").await.unwrap_err();
        let Failure::CommandLine { what, next, .. } = failure else {
            panic!("another failure")
        };
        assert_eq!(what, format!("another program uses {address}"));
        assert!(next.contains("--listen 127.0.0.1:0"), "{next}");
    }

    #[tokio::test]
    async fn an_address_of_another_machine_is_refused_with_those_of_this_one() {
        // An address for documentation (RFC 5737), which no machine has.
        let address = SocketAddr::from(([192, 0, 2, 1], 8484));
        let failure = bind(address, "--listen").await.unwrap_err();
        let Failure::CommandLine { what, next, .. } = failure else {
            panic!("another failure")
        };
        assert_eq!(what, "this machine has no address 192.0.2.1");
        assert!(
            next.contains("127.0.0.1:8484") && next.contains("0.0.0.0:8484"),
            "{next}"
        );
    }
}
