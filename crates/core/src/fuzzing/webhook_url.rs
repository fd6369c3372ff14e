//! URLs of webhooks.

use std::net::IpAddr;

use url::{Host, Url};

use crate::{
    ErrorKind,
    domain::webhook_url::check_url,
    ports::{is_loopback, is_public},
};

const PRIVATE: [&str; 3] = ["hooks.test", ".corp.example", "127.0.0.1"];
const PRODUCTS: [&str; 1] = ["gateway.example"];

/// A URL is rejected, or it uses https and its host looks public, or the operator allows its host.
pub fn webhook_url(text: &str) {
    let private = PRIVATE.map(str::to_owned);
    let products = PRODUCTS.map(str::to_owned);
    match check_url(text, &private, &products) {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
            assert!(error.violation_list().iter().all(|one| one.path == "/url"));
        }
        Ok(url) => {
            accepted(&url);
            // Stead stores the URL as a text and checks it again before every attempt.
            assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(&url));
            if url.as_str().len() <= 2048 {
                let again = check_url(url.as_str(), &private, &products);
                assert_eq!(again.ok().as_ref(), Some(&url));
            }
            // If the operator hasn't allowed the host, the URL is public or rejected.
            if let Ok(url) = check_url(text, &[], &products) {
                assert_eq!(url.scheme(), "https", "{url}");
                assert!(is_public_host(&url), "{url}");
            }
        }
    }
}

fn accepted(url: &Url) {
    let host = url.host_str().unwrap_or_default();
    // A different URL parser finds the same host and port.
    let other: http::Uri = url.as_str().parse().expect("a URI");
    assert_eq!(other.host(), Some(host), "{url}");
    assert_eq!(other.port_u16(), url.port(), "{url}");
    assert_eq!(other.scheme_str(), Some(url.scheme()), "{url}");
    let authority = other.authority().map_or("", |authority| authority.as_str());
    assert!(!authority.contains('@'), "{url}");
    assert!(url.fragment().is_none() && url.as_str().is_ascii(), "{url}");
    let is_named = PRIVATE
        .iter()
        .any(|named| host == *named || named.starts_with('.') && host.ends_with(named));
    assert!(is_named || is_public_host(url), "{url}");
    assert!(is_named || url.scheme() == "https", "{url}");
}

fn is_public_host(url: &Url) -> bool {
    match url.host() {
        // A trailing dot (the DNS root) doesn't change a name.
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            !is_loopback(name) && !PRODUCTS.contains(&name)
        }
        Some(Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "https://",
            "http://",
            "HTTPS:",
            "/",
            "\\",
            "@",
            ":",
            "8443",
            "example.com",
            "localhost",
            "LOCALHOST",
            ".",
            "。",
            "gateway.example",
            "hooks.test",
            "a.corp.example",
            "127.0.0.1",
            "0x7f",
            "2130706433",
            "017700000001",
            "[::1]",
            "[::ffff:7f00:1]",
            "[fd00::]",
            "10.0.0.1",
            "%31",
            "%2e",
            "#",
            "?",
            "\t",
            "\n",
            " ",
            "ß",
            "１",
            "a",
        ]);
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_address_is_refused_or_public(text in hostile(), any in any::<String>()) {
            for text in [&text, &any] {
                webhook_url(text);
                webhook_url(&format!("https://{text}"));
            }
        }
    }
}
