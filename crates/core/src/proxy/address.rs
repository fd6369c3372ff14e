//! The address at which an account's raw requests arrive, instead of the product's own.

use std::borrow::Cow;

use percent_encoding::{percent_decode_str, utf8_percent_encode};
use url::Url;

use super::path;
use crate::{Error, ErrorKind, Result, product::ProxyRules, tool::UNRESERVED};

/// The public address for one account's raw requests.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Address<'a> {
    /// Below `/proxy/{connection_name}/{identifier}` of the public URL.
    Path {
        public_url: &'a Url,
        connection_name: &'a str,
        identifier: &'a str,
    },
    /// The proxy host, where the caller's token selects the account.
    Host { proxy_url: &'a Url },
}

impl Address<'_> {
    /// The URL for a path of the product.
    fn url(&self, path_and_query: &str) -> String {
        match self {
            Self::Path {
                public_url,
                connection_name,
                identifier,
            } => format!(
                "{}/proxy/{}/{}{path_and_query}",
                public_url.as_str().trim_end_matches('/'),
                utf8_percent_encode(connection_name, UNRESERVED),
                utf8_percent_encode(identifier, UNRESERVED),
            ),
            Self::Host { proxy_url } => {
                let url = proxy_url.as_str().trim_end_matches('/');
                format!("{url}{path_and_query}")
            }
        }
    }

    /// Returns the product's path for a request target. Client libraries build the requests of a batch from their base
    /// URL, so the target may be a path below this address or a whole URL there. Any other path is already the
    /// product's own.
    ///
    /// # Errors
    /// [`ErrorKind::PathInvalid`]: the target is of another account, or a URL of another place.
    pub(super) fn product_path<'t>(&self, target: &'t str) -> Result<&'t str> {
        let elsewhere = || {
            Error::new(
                ErrorKind::PathInvalid,
                "expected a path of the product, or a proxy URL of this connection and identifier",
            )
        };
        let without_scheme = ["https://", "http://"]
            .iter()
            .find_map(|scheme| target.strip_prefix(scheme));
        let path = match without_scheme {
            Some(rest) => rest.find('/').map(|at| &rest[at..]).ok_or_else(elsewhere)?,
            None => target,
        };
        let (public_url, own_connection, own_identifier) = match self {
            Self::Path {
                public_url,
                connection_name,
                identifier,
            } => (public_url, connection_name, identifier),
            Self::Host { proxy_url } => {
                let host = proxy_url.as_str().trim_end_matches('/');
                let is_here = target.strip_prefix(host).is_some_and(|rest| rest == path);
                return if without_scheme.is_none() || is_here {
                    Ok(path)
                } else {
                    Err(elsewhere())
                };
            }
        };
        let base = public_url.path().trim_end_matches('/');
        let below = [base, ""]
            .iter()
            .find_map(|base| path.strip_prefix(base)?.strip_prefix("/proxy/"));
        let Some(below) = below else {
            return if without_scheme.is_none() {
                Ok(path)
            } else {
                Err(elsewhere())
            };
        };
        let (connection_name, rest) = below.split_once('/').ok_or_else(elsewhere)?;
        let (identifier, rest) = rest.split_at(rest.find('/').ok_or_else(elsewhere)?);
        if decoded(connection_name) == *own_connection && decoded(identifier) == *own_identifier {
            Ok(rest)
        } else {
            Err(elsewhere())
        }
    }

    /// Translates an address of the product into one here, if a route leads to it. `bases` are the origin's addresses:
    /// the one that this environment uses, and the one that the product itself writes.
    pub(crate) fn of_location(
        &self,
        rules: &ProxyRules,
        origin: &str,
        bases: [&str; 2],
        location: &str,
    ) -> Option<String> {
        let own = bases.iter().find_map(|base| location.strip_prefix(base));
        let path = own.unwrap_or(location);
        if !path.starts_with('/') || path.starts_with("//") {
            return None;
        }
        path::unresolve(rules, origin, path).map(|path| self.url(&path))
    }
}

fn decoded(segment: &str) -> Cow<'_, str> {
    percent_decode_str(segment).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::ProxyRoute;

    const RULES: ProxyRules = ProxyRules {
        routes: &[
            ProxyRoute::new("/upload/v1", "api").upload(),
            ProxyRoute::new("/short", "api").rewrite("/long"),
        ],
        ..ProxyRules::BASE
    };

    fn here<T>(use_it: impl FnOnce(Address<'_>) -> T) -> T {
        use_it(Address::Path {
            public_url: &Url::parse("https://stead.example/base/").unwrap(),
            connection_name: "mail",
            identifier: "a/b ü",
        })
    }

    #[test]
    fn a_location_at_the_product_becomes_one_here() {
        let bases = ["http://127.0.0.1:1/api.demo.test", "https://api.demo.test"];
        let moved = |location: &str| here(|here| here.of_location(&RULES, "api", bases, location));
        let expected =
            "https://stead.example/base/proxy/mail/a%2Fb%20%C3%BC/upload/v1/x?upload_id=1";
        for location in [
            "https://api.demo.test/upload/v1/x?upload_id=1",
            "http://127.0.0.1:1/api.demo.test/upload/v1/x?upload_id=1",
            "/upload/v1/x?upload_id=1",
        ] {
            assert_eq!(moved(location).as_deref(), Some(expected), "{location}");
        }
        assert!(moved("/long/x").unwrap().ends_with("/short/x"));
        for location in [
            "https://api.demo.test.evil.test/upload/v1/x",
            "https://api.demo.test@evil.test/upload/v1/x",
            "https://api.demo.test",
            "https://evil.test/upload/v1/x",
            "//evil.test/upload/v1/x",
            "/elsewhere",
            "/upload/v1/../x",
            "upload/v1/x",
            "",
        ] {
            assert_eq!(moved(location), None, "{location}");
        }
    }

    #[test]
    fn a_target_below_this_address_is_a_path_of_the_product() {
        for (target, path) in [
            ("/short/x?a=/proxy/", "/short/x?a=/proxy/"),
            ("/base/proxy/mail/a%2Fb%20%C3%BC/short/x?a", "/short/x?a"),
            ("/proxy/mail/a%2fb%20%c3%bc/short/x", "/short/x"),
            (
                "https://stead.example/base/proxy/mail/a%2Fb%20%C3%BC/short",
                "/short",
            ),
            (
                "http://10.0.0.1:8080/proxy/mail/a%2Fb%20%C3%BC/short",
                "/short",
            ),
        ] {
            assert_eq!(
                here(|here| here.product_path(target).unwrap().to_owned()),
                path
            );
        }
        for target in [
            "/proxy/mail/other/short",
            "/base/proxy/other/a%2Fb%20%C3%BC/short",
            "/proxy/mail",
            "/proxy/mail/a%2Fb%20%C3%BC",
            "https://api.demo.test/short",
            "https://stead.example",
        ] {
            assert!(here(|here| here.product_path(target).is_err()), "{target}");
        }
    }

    #[test]
    fn at_the_proxy_host_paths_are_those_of_the_product() {
        let proxy_url = &Url::parse("https://proxy.stead.example").unwrap();
        let here = Address::Host { proxy_url };
        let bases = ["http://127.0.0.1:1/api.demo.test", "https://api.demo.test"];
        let moved = |location: &str| here.of_location(&RULES, "api", bases, location);
        assert_eq!(
            moved("https://api.demo.test/upload/v1/x?upload_id=1").as_deref(),
            Some("https://proxy.stead.example/upload/v1/x?upload_id=1")
        );
        assert_eq!(moved("https://evil.test/upload/v1/x"), None);
        for (target, path) in [
            ("/short/x?a=/proxy/", "/short/x?a=/proxy/"),
            ("https://proxy.stead.example/short/x?a", "/short/x?a"),
            ("/proxy/mail/ada/short", "/proxy/mail/ada/short"),
        ] {
            assert_eq!(here.product_path(target).unwrap(), path);
        }
        for target in [
            "https://api.demo.test/short",
            "https://proxy.stead.example.evil.test/short",
            "https://proxy.stead.example@evil.test/short",
            "https://proxy.stead.example:8443/short",
            "https://proxy.stead.example",
        ] {
            assert!(here.product_path(target).is_err(), "{target}");
        }
    }
}
