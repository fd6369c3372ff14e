//! The caller's headers: a short list passes, everything else is refused by name.
//!
//! A header that is not known here could carry another credential, another method or another host, so that nothing
//! is passed on because it looks harmless. `Host`, `Authorization`, `Content-Length` and `Accept-Encoding` are ours.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{Error, ErrorKind, Result, product::ProxyRules, scrub::scrub};

/// Headers that pass for every product; those that [`ProxyRules::takes_header`] names do too.
const PASSED: &[&str] = &[
    "accept",
    "accept-language",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "range",
];

/// Those of [`PASSED`] whose value is a list, so that the header may be repeated (RFC 9110, section 5.3).
const LISTS: &[&str] = &["accept", "accept-language", "if-match", "if-none-match"];

/// Headers of the hop between the caller and us, which HTTP clients and tracing libraries send by themselves. They
/// are taken off and not refused, since with an SDK the caller cannot leave them out, and so are those that
/// [`ProxyRules::ignored_headers`] names. `Authorization` is here
/// because in a streamed request it is the caller's own bearer token for Stead.
const OF_THE_HOP: &[&str] = &[
    "accept-encoding",
    "authorization",
    "baggage",
    "cache-control",
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "pragma",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "user-agent",
    "x-request-id",
];

/// Headers that a TLS proxy before us adds to every request. Taken off where there is one; from anyone else they are
/// an attempt to speak for another host or address.
const OF_A_PROXY: &[&str] = &[
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
];

/// Most headers that pass.
const MAX_COUNT: usize = 100;

/// Most bytes of the names and values that pass.
const MAX_BYTES: usize = 64 * 1024;

/// Most characters of a header's name in a message.
const MAX_ECHO: usize = 80;

/// Checks headers that the caller wrote out one by one.
///
/// # Errors
/// [`ErrorKind::HeaderNotAllowed`], naming the header.
pub(super) fn request_headers<'a>(
    rules: &ProxyRules,
    given: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Result<HeaderMap> {
    let mut passed = Passed::new(rules);
    for (name, value) in given {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| refused(name, "is not a header name"))?;
        // `HeaderValue` takes neither line breaks, and so no folded lines (RFC 9112, section 5.2), nor a zero byte.
        let value = HeaderValue::from_bytes(value)
            .map_err(|_| refused(name, "has a character that no header may have"))?;
        passed.add(parsed, value)?;
    }
    Ok(passed.headers)
}

/// Checks the headers of a request that is passed on as it came over HTTP. `behind_proxy` says that a TLS proxy stands
/// before us.
///
/// # Errors
/// [`ErrorKind::HeaderNotAllowed`], naming the header.
pub(super) fn streamed_headers(
    rules: &ProxyRules,
    given: &HeaderMap,
    behind_proxy: bool,
) -> Result<HeaderMap> {
    check_connection(given)?;
    check_framing(given)?;
    let mut passed = Passed::new(rules);
    for (name, value) in given {
        let name_text = name.as_str();
        let of_the_hop = OF_THE_HOP.contains(&name_text)
            || rules.ignored_headers.contains(&name_text)
            || (behind_proxy && OF_A_PROXY.contains(&name_text));
        if !of_the_hop {
            passed.add(name.clone(), value.clone())?;
        }
    }
    Ok(passed.headers)
}

/// Headers that have passed, and their size.
struct Passed<'r> {
    rules: &'r ProxyRules,
    headers: HeaderMap,
    bytes: usize,
}

impl<'r> Passed<'r> {
    fn new(rules: &'r ProxyRules) -> Self {
        Self {
            rules,
            headers: HeaderMap::new(),
            bytes: 0,
        }
    }

    fn add(&mut self, name: HeaderName, value: HeaderValue) -> Result<()> {
        // `HeaderName` keeps names in lower case.
        if !PASSED.contains(&name.as_str()) && !(self.rules.takes_header)(name.as_str()) {
            return Err(refused(name.as_str(), "is not passed on by the proxy"));
        }
        let bytes = value.as_bytes();
        if !bytes.is_ascii() || bytes.trim_ascii().len() != bytes.len() {
            return Err(refused(
                name.as_str(),
                "must be ASCII without blanks around it",
            ));
        }
        self.bytes += name.as_str().len() + bytes.len();
        if self.headers.len() == MAX_COUNT || self.bytes > MAX_BYTES {
            return Err(Error::new(
                ErrorKind::HeaderNotAllowed,
                format!("at most {MAX_COUNT} headers of {MAX_BYTES} bytes together pass"),
            ));
        }
        if self.headers.contains_key(&name) && !LISTS.contains(&name.as_str()) {
            return Err(refused(name.as_str(), "is given twice"));
        }
        self.headers.append(name, value);
        Ok(())
    }
}

/// `Connection` may speak of the connection, not nominate headers to take off (RFC 9110, section 7.6.1): the header
/// that is taken off could be one that the product relies on.
fn check_connection(given: &HeaderMap) -> Result<()> {
    let harmless = |option: &[u8]| {
        let option = option.trim_ascii();
        option.is_empty()
            || option.eq_ignore_ascii_case(b"keep-alive")
            || option.eq_ignore_ascii_case(b"close")
    };
    let all = given
        .get_all(header::CONNECTION)
        .iter()
        .all(|value| value.as_bytes().split(|byte| *byte == b',').all(harmless));
    if all {
        Ok(())
    } else {
        Err(refused("connection", "may only say keep-alive or close"))
    }
}

/// One length, or chunks: what could be read in two ways is not read at all (RFC 9112, section 6.3). The body goes
/// on with a framing of our own in any case.
fn check_framing(given: &HeaderMap) -> Result<()> {
    let mut codings = given.get_all(header::TRANSFER_ENCODING).iter();
    let coding = codings.next();
    if codings.next().is_some()
        || coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
    {
        return Err(refused("transfer-encoding", "may only say chunked"));
    }
    let mut lengths = given.get_all(header::CONTENT_LENGTH).iter();
    let length = lengths.next();
    if lengths.next().is_some() || length.is_some_and(|length| !is_number(length.as_bytes())) {
        return Err(refused("content-length", "must be one number"));
    }
    if coding.is_some() && length.is_some() {
        return Err(refused(
            "content-length",
            "cannot go together with transfer-encoding",
        ));
    }
    Ok(())
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn refused(name: &str, why: &str) -> Error {
    Error::new(
        ErrorKind::HeaderNotAllowed,
        format!("the header {:?} {why}", scrub(name, MAX_ECHO)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(result: Result<HeaderMap>, name: &str) -> String {
        let error = result.expect_err(name);
        assert_eq!(error.kind(), ErrorKind::HeaderNotAllowed, "{name}");
        let shown = format!("{:?}", name.to_ascii_lowercase());
        let message = error.message().to_owned();
        assert!(message.to_ascii_lowercase().contains(&shown), "{message}");
        message
    }

    /// A product with a header of its own, and a client library that adds another.
    const RULES: ProxyRules = ProxyRules {
        takes_header: |name| name == "demo-version",
        ignored_headers: &["demo-client"],
        ..ProxyRules::BASE
    };

    fn written(headers: &[(&'static str, &'static str)]) -> Result<HeaderMap> {
        request_headers(
            &RULES,
            headers
                .iter()
                .map(|(name, value)| (*name, value.as_bytes())),
        )
    }

    fn streamed(headers: &[(&'static str, &'static str)]) -> Result<HeaderMap> {
        let mut given = HeaderMap::new();
        for (name, value) in headers {
            given.append(*name, HeaderValue::from_static(value));
        }
        streamed_headers(&RULES, &given, false)
    }

    /// The header that is refused comes first.
    /// See `docs/proxy-vectors.md`.
    const VECTORS: &[(u8, &[(&str, &str)])] = &[
        (45, &[("Host", "evil.test")]),
        (46, &[("Authorization", "Bearer attacker")]),
        (47, &[("Proxy-Authorization", "Basic eDp5")]),
        (48, &[("Cookie", "session=1")]),
        (
            49,
            &[("Transfer-Encoding", "chunked"), ("Content-Length", "3")],
        ),
        (50, &[("Content-Length", "+5")]),
        (50, &[("Content-Length", "5"), ("Content-Length", "6")]),
        (51, &[("Connection", "Authorization")]),
        (52, &[("X-HTTP-Method-Override", "DELETE")]),
        (52, &[("X-Method-Override", "DELETE")]),
        (52, &[("X-HTTP-Method", "DELETE")]),
        (53, &[("X-Forwarded-Host", "evil.test")]),
        (53, &[("X-Forwarded-For", "127.0.0.1")]),
        (53, &[("Forwarded", "host=evil.test")]),
        (54, &[("Accept", "a\nHost: evil.test")]),
        (55, &[("Host ", "x")]),
        (56, &[("Expect", "100-continue")]),
        (56, &[("Upgrade", "websocket")]),
        (56, &[("TE", "trailers")]),
    ];

    #[test]
    fn v45_to_v56_are_refused_where_the_caller_writes_them() {
        for (number, headers) in VECTORS {
            let message = check_refused(written(headers), headers[0].0);
            assert!(!message.contains("attacker"), "V{number}: {message}");
        }
        let numbers: std::collections::BTreeSet<u8> =
            VECTORS.iter().map(|(number, _)| *number).collect();
        assert!(numbers.into_iter().eq(45..=56));
    }

    #[test]
    fn v47_to_v56_are_refused_where_they_come_over_http() {
        for (number, headers) in VECTORS {
            match number {
                // The hop's own: taken off.
                45 | 46 => assert!(streamed(headers).unwrap().is_empty(), "V{number}"),
                // Whichever of the two is named.
                49 => _ = check_refused(streamed(headers), headers[1].0),
                // No `HeaderMap` holds such a header.
                54 | 55 => {}
                _ => _ = check_refused(streamed(headers), headers[0].0),
            }
        }
    }

    #[test]
    fn the_list_passes_in_both_forms() {
        let given = [
            ("Accept", "application/json"),
            ("accept-language", "*"),
            ("Content-Type", "application/json; charset=utf-8"),
            ("If-Match", "\"a\""),
            ("If-None-Match", "\"a\", \"b\""),
            ("If-Modified-Since", "Sat, 21 Nov 2026 00:00:00 GMT"),
            ("Idempotency-Key", "1"),
            ("Range", "bytes=0-1"),
            ("Demo-Version", "2026-03-11"),
        ];
        for passed in [written(&given).unwrap(), streamed(&given).unwrap()] {
            assert_eq!(passed.len(), given.len());
            for (name, value) in given {
                assert_eq!(passed[name], value);
            }
        }
    }

    #[test]
    fn what_is_not_on_the_list_is_refused_by_name() {
        for name in [
            "Demo-Version-2",
            "Demo-Client-2",
            "X-Api-Key",
            "X-Real-IP",
            "Via",
            "Origin",
            "Referer",
            "Content-Encoding",
            "Proxy-Connection",
            "Trailer",
            "X-Anything",
        ] {
            check_refused(written(&[(name, "x")]), name);
            check_refused(streamed(&[(name, "x")]), name);
        }
        for name in [
            "User-Agent",
            "Accept-Encoding",
            "Connection",
            "Content-Length",
            "Demo-Client",
        ] {
            check_refused(written(&[(name, "1")]), name);
        }
    }

    #[test]
    fn what_clients_send_by_themselves_is_taken_off() {
        let passed = streamed(&[
            ("host", "stead.example"),
            ("authorization", "Bearer ours"),
            ("user-agent", "demo-client/9"),
            ("accept-encoding", "gzip, deflate"),
            ("accept", "*/*"),
            ("connection", "Keep-Alive, close,"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("cache-control", "no-cache"),
            ("pragma", "no-cache"),
            ("sec-fetch-mode", "cors"),
            ("traceparent", "00-1-1-00"),
            ("demo-client", "node/22"),
            ("demo-version", "2026-03-11"),
        ])
        .unwrap();
        assert_eq!(passed.len(), 2);
        assert_eq!(passed["accept"], "*/*");
        assert_eq!(passed["demo-version"], "2026-03-11");
        assert!(streamed(&[("content-length", "12")]).unwrap().is_empty());
    }

    #[test]
    fn framing_that_reads_in_two_ways_is_refused() {
        for headers in [
            &[("transfer-encoding", "gzip, chunked")][..],
            &[("transfer-encoding", "identity")],
            &[
                ("transfer-encoding", "chunked"),
                ("transfer-encoding", "chunked"),
            ],
            &[("transfer-encoding", "xchunked")],
            &[("content-length", "")],
            &[("content-length", "0x5")],
            &[("content-length", "5, 5")],
            &[("content-length", "5"), ("content-length", "5")],
            &[("connection", "close"), ("connection", "x-foo")],
            &[("connection", "upgrade")],
        ] {
            check_refused(streamed(headers), headers[0].0);
        }
    }

    #[test]
    fn names_and_values_are_checked() {
        for value in [
            " a", "a ", "\ta", "a\t", "a\r\n b", "a\0", "a\u{e9}", "a\u{7f}",
        ] {
            let result = request_headers(&RULES, [("Accept", value.as_bytes())].into_iter());
            check_refused(result, "accept");
        }
        assert!(request_headers(&RULES, [("Accept", &[b'a', 0xFF][..])].into_iter()).is_err());
        for name in ["", "Ho:st", "a b", "a\tb", "é"] {
            assert!(written(&[(name, "x")]).is_err(), "{name:?}");
        }
        let long = "x".repeat(500);
        let error = request_headers(&RULES, [(long.as_str(), &b"x"[..])].into_iter()).unwrap_err();
        assert!(error.message().chars().count() <= 150, "{error}");
    }

    #[test]
    fn lists_may_be_repeated_and_single_values_may_not() {
        let passed = written(&[("accept", "a"), ("Accept", "b")]).unwrap();
        assert_eq!(passed.get_all("accept").iter().count(), 2);
        check_refused(
            written(&[("content-type", "a"), ("Content-Type", "b")]),
            "content-type",
        );
        check_refused(streamed(&[("range", "a"), ("range", "a")]), "range");
    }

    #[test]
    fn count_and_size_are_bounded() {
        let many =
            |count| request_headers(&RULES, std::iter::repeat_n(("accept", &b"a"[..]), count));
        assert_eq!(many(100).unwrap().len(), 100);
        assert_eq!(many(101).unwrap_err().kind(), ErrorKind::HeaderNotAllowed);
        let large = |size| {
            let value = "a".repeat(size);
            request_headers(&RULES, [("accept", value.as_bytes())].into_iter())
                .map(|passed| passed.len())
        };
        assert_eq!(large(64 * 1024 - 6).unwrap(), 1);
        assert_eq!(
            large(64 * 1024 - 5).unwrap_err().kind(),
            ErrorKind::HeaderNotAllowed
        );
    }

    #[test]
    fn what_a_tls_proxy_adds_is_taken_off_where_there_is_one() {
        for name in OF_A_PROXY {
            let given = HeaderMap::from_iter([(
                HeaderName::from_static(name),
                HeaderValue::from_static("evil.test"),
            )]);
            assert!(
                streamed_headers(&RULES, &given, true).unwrap().is_empty(),
                "{name}"
            );
            assert_eq!(
                streamed_headers(&RULES, &given, false).unwrap_err().kind(),
                ErrorKind::HeaderNotAllowed,
                "{name}"
            );
        }
    }
}
