//! Registered OAuth clients.

use std::collections::BTreeMap;

use url::{Host, Url};

/// Clients by id.
#[derive(Debug, Default)]
pub(crate) struct Clients(BTreeMap<String, Client>);

/// One OAuth client.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    secret: String,
    /// Registered addresses; without one, every address of an allowed form is accepted.
    redirect_uris: Vec<String>,
}

impl Clients {
    /// Registers a client, or replaces it.
    pub(crate) fn add(&mut self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.0.insert(
            id.to_owned(),
            Client {
                secret: secret.to_owned(),
                redirect_uris: redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
            },
        );
    }

    /// The client of this id.
    pub(crate) fn find(&self, id: &str) -> Option<&Client> {
        self.0.get(id)
    }
}

impl Client {
    /// Whether this is the client's secret.
    pub(crate) fn has_secret(&self, secret: &str) -> bool {
        self.secret == secret
    }

    /// Whether the client may receive responses at this address.
    pub(crate) fn accepts(&self, redirect_uri: &str) -> bool {
        if self.redirect_uris.is_empty() {
            is_allowed(redirect_uri)
        } else {
            self.redirect_uris.iter().any(|uri| uri == redirect_uri)
        }
    }
}

/// Google's rules for web clients: https except on loopback; no fragment, no user, no bare IP address, no
/// wildcard (OAuth 2.0 for Web Server Applications, "Redirect URI validation rules").
fn is_allowed(redirect_uri: &str) -> bool {
    let Ok(url) = Url::parse(redirect_uri) else {
        return false;
    };
    let plain = url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && !redirect_uri.contains('*');
    let place = match (url.scheme(), url.host()) {
        ("https", Some(Host::Domain(_))) => true,
        ("http" | "https", Some(Host::Ipv4(address))) => address.is_loopback(),
        ("http" | "https", Some(Host::Ipv6(address))) => address.is_loopback(),
        ("http", Some(Host::Domain(name))) => name == "localhost",
        _ => false,
    };
    plain && place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_allowed() {
        for good in [
            "http://127.0.0.1:8080/cb",
            "http://localhost/cb",
            "http://[::1]:1/cb",
            "https://app.example.com/sso/v1/oauth/x/callback?a=b",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "http://app.example.com/cb",
            "https://203.0.113.7/cb",
            "https://app.example.com/cb#top",
            "https://u@app.example.com/cb",
            "https://*.example.com/cb",
            "javascript:alert(1)",
            "/cb",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn a_registered_address_matches_byte_for_byte() {
        let mut clients = Clients::default();
        clients.add("1-a", "s", &["https://a.example/cb"]);
        let client = clients.find("1-a").unwrap();
        assert!(client.accepts("https://a.example/cb"));
        assert!(!client.accepts("https://a.example/cb/"));
        assert!(!client.accepts("https://A.example/cb"));
    }
}
