//! Resolves names of hosts, and checks which addresses a product can have.
//!
//! If a product's name resolves to this machine or to a private network, the name is wrong or malicious, and the token
//! would be sent there. All addresses of a response are checked, and connections use exactly these, so a second
//! response changes nothing. A host that is written as an address isn't looked up. It comes from the operator's own
//! settings.

use std::{
    error::Error,
    fmt,
    future::{Future, ready},
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    vec,
};

use hyper_util::client::legacy::connect::dns;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use stead_core::ports::{BoxError, BoxFuture, is_loopback, is_public};
use tower::Service;

/// The addresses of a name.
type Found = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks up the addresses of a name.
pub(crate) type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

/// A name has an address that isn't public, although it needs a public one.
#[derive(Debug)]
pub(crate) struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name resolves to an address that isn't public")
    }
}

impl Error for NotPublic {}

/// A name that has no address.
#[derive(Debug)]
pub(crate) struct NoAddress(io::Error);

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name doesn't resolve")
    }
}

impl Error for NoAddress {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// The addresses to connect to. The resolver doesn't set their port.
type Sockets = vec::IntoIter<SocketAddr>;

/// Resolves names, but only to public addresses, except for names that the operator trusts.
#[derive(Clone)]
pub(crate) struct Resolver {
    pub(crate) lookup: Lookup,
    /// Names in lower case with fixed addresses, which aren't looked up.
    pub(crate) addresses: Vec<(String, Vec<IpAddr>)>,
    /// Names in lower case. One that begins with a dot means all names below it. Without a list, any name can be
    /// private.
    pub(crate) private_hosts: Option<Vec<String>>,
}

/// The system's resolver.
pub(crate) fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Resolver {
    fn may_be_private(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let is = |host: &String| {
            *host == name || (host.starts_with('.') && name.ends_with(host.as_str()))
        };
        let listed = self.private_hosts.as_ref();
        is_loopback(&name) || listed.is_none_or(|hosts| hosts.iter().any(is))
    }

    fn addresses(&self, name: &str) -> Found {
        let mut given = self.addresses.iter();
        match given.find(|(given, _)| given.eq_ignore_ascii_case(name)) {
            Some((_, addresses)) => Box::pin(ready(Ok(addresses.clone()))),
            None => (self.lookup)(name.to_owned()),
        }
    }

    fn sockets(&self, name: &str) -> BoxFuture<'static, Result<Sockets, BoxError>> {
        let any = self.may_be_private(name);
        let found = self.addresses(name);
        Box::pin(async move {
            let addresses = found.await.map_err(NoAddress)?;
            if !any && !addresses.iter().copied().all(is_public) {
                return Err(NotPublic.into());
            }
            let sockets = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(sockets.collect::<Vec<_>>().into_iter())
        })
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let sockets = self.sockets(name.as_str());
        Box::pin(async move { Ok(Box::new(sockets.await?) as Addrs) })
    }
}

impl Service<dns::Name> for Resolver {
    type Response = Sockets;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Sockets, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: dns::Name) -> Self::Future {
        self.sockets(name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use stead_core::ports::{Body, Purpose, Transport as _, TransportError, TransportErrorKind};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;
    use crate::{ReqwestTransport, TransportOptions};

    /// A listener on this machine that counts connections and responds to each one.
    async fn canary() -> (u16, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = socket.read(&mut [0; 1024]).await;
                let close = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
                let _ = socket.write_all(close).await;
            }
        });
        (port, heard)
    }

    /// A resolver that gives these responses in order, and how often it was asked.
    fn responding(responses: &'static [&'static [&'static str]]) -> (Lookup, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let lookup: Lookup = Arc::new(move |_| {
            let index = count.fetch_add(1, Ordering::SeqCst);
            let response = responses[index.min(responses.len() - 1)];
            let found = response.iter().map(|text| text.parse().unwrap()).collect();
            Box::pin(ready(Ok(found)))
        });
        (lookup, asked)
    }

    /// One purpose for each client.
    const PURPOSES: [Purpose; 2] = [Purpose::Call, Purpose::Other];

    fn transport(lookup: Lookup, private_hosts: &[&str]) -> ReqwestTransport {
        let mut options = TransportOptions::default().with_public_addresses(private_hosts);
        options.lookup = lookup;
        ReqwestTransport::new(options).unwrap()
    }

    async fn get(
        transport: &ReqwestTransport,
        purpose: Purpose,
        port: u16,
        host: &str,
    ) -> Result<(), TransportError> {
        let request = http::Request::get(format!("http://{host}:{port}/")).extension(purpose);
        let sent = transport.send(request.body(Body::Empty).unwrap()).await;
        sent.map(drop)
    }

    #[tokio::test]
    async fn v63_a_name_that_resolves_to_this_machine_is_refused() {
        for purpose in PURPOSES {
            let (port, heard) = canary().await;
            // This machine alone, this machine among public addresses, and a private network.
            let (lookup, asked) =
                responding(&[&["127.0.0.1"], &["8.8.8.8", "127.0.0.1"], &["10.0.0.1"]]);
            let transport = transport(lookup, &[]);
            for count in 1..=3 {
                let error = get(&transport, purpose, port, "api.vendor.test")
                    .await
                    .unwrap_err();
                assert_eq!(error.kind(), TransportErrorKind::Unreachable);
                assert!(!error.may_have_been_sent());
                assert_eq!(asked.load(Ordering::SeqCst), count);
            }
            assert_eq!(heard.load(Ordering::SeqCst), 0);
        }
    }

    #[tokio::test]
    async fn v63_only_the_checked_addresses_are_used() {
        for purpose in PURPOSES {
            let (port, heard) = canary().await;
            // The name is trusted, so the first response is accepted. A second one would have no address.
            let (lookup, asked) = responding(&[&["127.0.0.1"], &[]]);
            let transport = transport(lookup, &["api.vendor.test"]);
            get(&transport, purpose, port, "api.vendor.test")
                .await
                .unwrap();
            let (heard, asked) = (heard.load(Ordering::SeqCst), asked.load(Ordering::SeqCst));
            assert_eq!((heard, asked), (1, 1));
        }
    }

    #[tokio::test]
    async fn a_name_has_its_configured_addresses_and_they_are_checked() {
        for purpose in PURPOSES {
            let (port, heard) = canary().await;
            let here = IpAddr::from([127, 0, 0, 1]);
            let options = || TransportOptions::default().with_addresses("Hooks.test", [here]);
            let any = ReqwestTransport::new(options()).unwrap();
            get(&any, purpose, port, "hooks.test").await.unwrap();
            let named = options().with_public_addresses(["hooks.test"]);
            let named = ReqwestTransport::new(named).unwrap();
            get(&named, purpose, port, "hooks.test").await.unwrap();
            let public = options().with_public_addresses(["other.test"]);
            let public = ReqwestTransport::new(public).unwrap();
            let error = get(&public, purpose, port, "hooks.test").await.unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Unreachable);
            assert!(error.to_string().ends_with("isn't public"), "{error}");
            assert_eq!(heard.load(Ordering::SeqCst), 2);
        }
    }

    #[tokio::test]
    async fn v64_the_embedded_address_is_checked() {
        for purpose in PURPOSES {
            let (port, heard) = canary().await;
            for address in [
                &["::ffff:127.0.0.1"],
                &["64:ff9b::7f00:1"],
                &["2002:7f00:1::"],
            ] as [&'static [&'static str]; 3]
            {
                let responses: &'static [&'static [&'static str]] = Box::leak(Box::new([address]));
                let transport = transport(responding(responses).0, &[]);
                let error = get(&transport, purpose, port, "api.vendor.test")
                    .await
                    .unwrap_err();
                assert_eq!(error.kind(), TransportErrorKind::Unreachable, "{address:?}");
            }
            assert_eq!(heard.load(Ordering::SeqCst), 0);
        }
    }

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:db8::1",
            "2002:a00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "142.250.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn hosts_named_by_the_operator_may_be_private() {
        let resolver = Resolver {
            lookup: system(),
            addresses: Vec::new(),
            private_hosts: Some(vec!["gateway.corp".to_owned(), ".link.test".to_owned()]),
        };
        for name in [
            "gateway.corp",
            "Gateway.Corp",
            "a.link.test",
            "localhost",
            "a.localhost",
        ] {
            assert!(resolver.may_be_private(name), "{name}");
        }
        for name in [
            "a.gateway.corp",
            "link.test",
            "evillink.test",
            "localhost.evil.test",
        ] {
            assert!(!resolver.may_be_private(name), "{name}");
        }
    }
}
