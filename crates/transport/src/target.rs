//! The request target: as given, or not at all.

use std::net::Ipv4Addr;

use http::{Uri, uri::Scheme};
use reqwest::Url;
use stead_core::ports::{TransportError, TransportErrorKind};

/// Whether exactly `uri` can be put on the wire, by the same rule on both ways.
///
/// # Errors
/// As [`url`].
pub(crate) fn check(uri: &Uri) -> Result<(), TransportError> {
    if is_plain(uri) {
        return Ok(());
    }
    url(uri).map(drop)
}

/// Whether the bytes of `uri` show that [`url`] has nothing to object to, as those of nearly all do. It says no where only the
/// parser of URLs knows.
fn is_plain(uri: &Uri) -> bool {
    let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
        return false;
    };
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    (*scheme == Scheme::HTTPS || *scheme == Scheme::HTTP)
        && is_plain_authority(authority.as_str())
        && is_plain_target(target.as_bytes())
}

/// A name or an IPv4 address, and maybe a port.
fn is_plain_authority(authority: &str) -> bool {
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_port =
        |port: &str| port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit());
    // A name whose last label begins with a digit is an address, maybe in an odd form.
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next();
    let may_be_address = last.is_none_or(|last| {
        last.bytes()
            .next()
            .is_none_or(|first| first.is_ascii_digit())
    });
    host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        // Names of other scripts have rules of their own.
        && !host.as_bytes().windows(4).any(|bytes| bytes.eq_ignore_ascii_case(b"xn--"))
        && (!may_be_address || host.parse::<Ipv4Addr>().is_ok())
        && port.is_none_or(is_port)
}

/// A path without dot segments, and maybe a query, of characters that need not be encoded.
fn is_plain_target(target: &[u8]) -> bool {
    let end = target.iter().position(|byte| *byte == b'?');
    let (path, query) = target.split_at(end.unwrap_or(target.len()));
    let may_be_dots = |bytes: &[u8]| {
        matches!(
            bytes,
            [b'/', b'.', ..] | [b'/', b'%', b'2', b'e' | b'E', ..]
        )
    };
    path.first() == Some(&b'/')
        && path
            .iter()
            .all(|byte| is_plain_byte(*byte) || *byte == b'\'')
        && !(0..path.len()).any(|start| may_be_dots(&path[start..]))
        && query
            .iter()
            .all(|byte| is_plain_byte(*byte) || *byte == b'?')
}

/// Whether a byte may stand in a path and in a query.
fn is_plain_byte(byte: u8) -> bool {
    const PLAIN: [bool; 256] = {
        let mut plain = [false; 256];
        let others = b"-._~!$&()*+,;=:@/%";
        let mut index = 0;
        while index < 256 {
            plain[index] = (index as u8).is_ascii_alphanumeric();
            index += 1;
        }
        index = 0;
        while index < others.len() {
            plain[others[index] as usize] = true;
            index += 1;
        }
        plain
    };
    PLAIN[usize::from(byte)]
}

/// The URL that puts exactly `uri` on the wire.
///
/// reqwest takes a [`Url`], whose parser rewrites what it considers equal: it resolves `..`, encodes quotes and braces, reads
/// `0x7f.1` as an address. A target that it would change is refused, so that what was checked is what is sent.
///
/// # Errors
/// [`TransportErrorKind::Refused`]; the message repeats neither path nor query.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_stays_as_it_is_passes() {
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
            // Where each digit may be part of an odd address, only the parser knows.
            assert_eq!(is_plain(&uri), !target.contains('['), "{target}");
            let url = url(&uri).unwrap_or_else(|error| panic!("{target}: {error}"));
            let sent: Uri = url.as_str().parse().unwrap();
            assert_eq!(sent.path_and_query(), uri.path_and_query(), "{target}");
        }
    }

    #[test]
    fn what_would_be_rewritten_is_refused() {
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
            let error = check(&uri).expect_err(target);
            assert_eq!(error.to_string(), url(&uri).expect_err(target).to_string());
            assert_eq!(error.kind(), TransportErrorKind::Refused, "{target}");
            assert!(!error.may_have_been_sent());
            assert!(!format!("{error} {error:?}").contains("canary"));
        }
    }
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn what_is_plain_stays_as_it_is(
            scheme in "https?",
            host in "([a-zA-Z0-9._-]{1,6}\\.)?(0x)?[a-zA-Z0-9._-]{1,6}|([0-9]{1,3}\\.){3}[0-9]{1,3}\\.?|xn--[a-z0-9-]{1,5}",
            port in "(:[0-9+]{0,6})?",
            target in "(/(%2e|%2E|[.]|[!-~]){0,12}){0,3}(\\?[ -~]{0,12})?",
        ) {
            if let Ok(uri) = format!("{scheme}://{host}{port}{target}").parse::<Uri>()
                && is_plain(&uri)
            {
                let url = url(&uri);
                prop_assert!(url.is_ok(), "{}", uri);
            }
        }
    }
}
