//! The request target: sent as given or refused, by the same rule for both clients.

use http::Uri;
use reqwest::Url;
use stead_core::ports::{TransportError, TransportErrorKind};

/// The URL that puts exactly `uri` on the wire.
///
/// reqwest needs a [`Url`]. Its parser rewrites forms that it considers equal: it resolves `..`, encodes quotes and
/// braces, and reads `0x7f.1` as an address. A target that it would change is rejected, so that Stead sends what it
/// checked.
///
/// # Errors
/// [`TransportErrorKind::Refused`]. The message repeats neither path nor query.
pub(crate) fn url(uri: &Uri) -> Result<Url, TransportError> {
    let refused = |message: &str| TransportError::new(TransportErrorKind::Refused, message);
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(refused("the request has no host"));
    };
    let (scheme, default_port) = match scheme {
        "https" => ("https", 443),
        "http" => ("http", 80),
        _ => {
            return Err(refused(
                "the request's address doesn't start with http:// or https://",
            ));
        }
    };
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let url = Url::parse(&[scheme, "://", authority.as_str(), target].concat())
        .map_err(|_| refused("the request's address can't be read"))?;
    let same_host = url
        .host_str()
        .is_some_and(|host| host.eq_ignore_ascii_case(authority.host()))
        && url.port_or_known_default() == Some(authority.port_u16().unwrap_or(default_port))
        && !authority.as_str().contains('@');
    if !same_host {
        return Err(refused("the request's host isn't in its canonical form"));
    }
    let start =
        url.as_str().len() - url.path().len() - url.query().map_or(0, |query| query.len() + 1);
    if url.as_str().get(start..) != Some(target) {
        return Err(refused(
            "the request's path or query has characters that must be percent-encoded, or dot segments",
        ));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_targets_are_accepted() {
        for target in [
            "https://api.example/",
            "https://api.example",
            "https://API.example:443/a",
            "http://127.0.0.1:8080/a",
            "http://[::1]:8080/a",
            "https://api.example/a?",
            "https://api.example/a?b=c&d=%27e%27&f=../g",
            "https://api.example/v4/spreadsheets/ID/values/My%20Tab!A1:B2",
            "https://api.example/calendars/en.usa%23holiday%40group.v.calendar.google.com/events",
            "https://api.example/a%2Fb%5c//c;d=e,f@g:h'i~",
        ] {
            let uri: Uri = target.parse().unwrap();
            let url = url(&uri).unwrap_or_else(|error| panic!("{target}: {error}"));
            let sent: Uri = url.as_str().parse().unwrap();
            assert_eq!(sent.path_and_query(), uri.path_and_query(), "{target}");
        }
    }

    #[test]
    fn targets_that_would_be_rewritten_are_refused() {
        for target in [
            "https://api.example/a/../b",
            "https://api.example/a/./b",
            "https://api.example/a/%2e%2e/b",
            "https://api.example/a/.%2E",
            "https://api.example/a\\b",
            "https://api.example/a\"b",
            "https://api.example/a{b}",
            "https://api.example/a?b='c'",
            "https://api.example/a?b=\"c\"",
            "https://api.example?a",
            "https://api.example/\u{e9}",
            "https://user:canary@api.example/a",
            "https://user@api.example/a",
            "http://0x7f.1/a",
            "http://2130706433/a",
            "http://127.1/a",
            "ftp://api.example/a",
            "/a",
            "api.example:443",
            "*",
        ] {
            let Ok(uri) = target.parse::<Uri>() else {
                continue;
            };
            let error = url(&uri).expect_err(target);
            assert_eq!(error.kind(), TransportErrorKind::Refused, "{target}");
            assert!(!error.may_have_been_sent());
            assert!(!format!("{error} {error:?}").contains("canary"));
        }
    }
}
