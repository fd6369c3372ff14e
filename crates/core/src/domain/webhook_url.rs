//! Validation of webhooks' URLs.

use std::net::IpAddr;

use url::{Host, Url};

use crate::{
    Error, Result,
    ports::{is_loopback, is_public},
};

/// Rejects a URL that Stead can't send events to: without https, or with a host that is an address of this machine or a
/// private network. `private_hosts` are the operator's exceptions. Other names are checked again after DNS lookup.
/// `product_hosts` aren't, so they are rejected here, because only requests to products can reach them.
pub(crate) fn check_url(
    text: &str,
    private_hosts: &[String],
    product_hosts: &[String],
) -> Result<Url> {
    let refused = |message: &str| Err(Error::invalid_at("/url", message));
    let Some(url) = Url::parse(text).ok().filter(|_| text.len() <= 2048) else {
        return refused("expected an https URL of at most 2048 characters");
    };
    let (Some(host), Some(name)) = (url.host(), url.host_str()) else {
        return refused("expected an https URL with a host");
    };
    let by_name = is_named(name, private_hosts);
    match url.scheme() {
        "https" => {}
        "http" if by_name => {}
        _ => {
            return refused(
                "expected an https URL; http is allowed only for hosts that the operator lists in private_hosts",
            );
        }
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return refused("expected a URL without user, password and fragment");
    }
    // The URL standard and RFC 3986 allow different characters in hosts, and the HTTP client follows the latter.
    if url.as_str().parse::<http::Uri>().is_err() {
        return refused("expected an https URL with a host that Stead can send requests to");
    }
    let reachable = match host {
        Host::Domain(name) => {
            // A dot at the end is the DNS root and doesn't change a name. Some resolvers accept several.
            let name = name.trim_end_matches('.');
            !is_loopback(name) && product_hosts.iter().all(|host| host != name)
        }
        Host::Ipv4(address) => is_public(IpAddr::V4(address)),
        Host::Ipv6(address) => is_public(IpAddr::V6(address)),
    };
    if !reachable && !by_name {
        return refused(
            "this host may be in a private network; the operator can add its name to private_hosts",
        );
    }
    Ok(url)
}

/// Whether the operator allows this host, or a domain above it as `.example.com`.
fn is_named(host: &str, private_hosts: &[String]) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    private_hosts.iter().any(|named| {
        let named = named.trim_start_matches('[').trim_end_matches(']');
        named.eq_ignore_ascii_case(host)
            || (named.starts_with('.')
                && host
                    .to_ascii_lowercase()
                    .ends_with(&named.to_ascii_lowercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_public_https_or_allowed_by_name() {
        let allowed = [
            "hooks.test".to_owned(),
            "127.0.0.1".into(),
            ".corp.example".into(),
        ];
        let products = ["gateway.example".to_owned(), "hooks.test".into()];
        for good in [
            "https://example.com/hooks?a=b",
            "https://93.184.216.34:8443/",
            "http://hooks.test:8080/x",
            "http://127.0.0.1:9/",
            "http://a.corp.example/",
        ] {
            assert!(check_url(good, &allowed, &products).is_ok(), "{good}");
        }
        for bad in [
            "http://example.com/",
            "ftp://example.com/",
            "https://",
            "nonsense",
            "https://user:pass@example.com/",
            "https://example.com/#part",
            "https://localhost/",
            "https://a.localhost/",
            "https://127.0.0.2/",
            "https://2130706434/",
            "https://0x7f.2/",
            "https://10.0.0.1/",
            "https://169.254.169.254/latest/meta-data",
            "https://[::ffff:169.254.169.254]/",
            "https://100.64.0.1/",
            "https://Gateway.example/",
            "https://gateway.example./",
            "https://localhost./",
            "https://a.localhost.../",
            "https://a`b.example/",
            "https://168.63.129.16/",
            "https://0.0.0.0/",
            "https://[::1]/",
            "https://[fd00::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[64:ff9b::7f00:1]/",
            "http://evilcorp.example/",
        ] {
            let error = check_url(bad, &allowed, &products).unwrap_err();
            assert_eq!(error.violation_list()[0].path, "/url", "{bad}");
        }
        assert!(check_url("http://127.0.0.1/", &[], &[]).is_err());
    }
}
