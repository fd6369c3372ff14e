//! Which headers are forwarded, in both forms.

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

/// A product that accepts a header of its own. Its client libraries send long queries as a form.
const RULES: ProxyRules = ProxyRules {
    takes_header: |name| name == "demo-version",
    takes_get_as_form: true,
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

fn map(headers: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

fn received(headers: &[(&'static str, &'static str)]) -> Result<HeaderMap> {
    received_headers(&RULES, &map(headers))
}

/// The rejected header comes first. See `docs/contribute/proxy-vectors.md`.
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
fn v45_to_v56_are_refused_in_the_json_form() {
    for (number, headers) in VECTORS {
        let message = check_refused(written(headers), headers[0].0);
        assert!(!message.contains("attacker"), "V{number}: {message}");
    }
    let numbers: std::collections::BTreeSet<u8> =
        VECTORS.iter().map(|(number, _)| *number).collect();
    assert!(numbers.into_iter().eq(45..=56));
}

#[test]
fn v45_to_v56_over_http_are_dropped_unless_ambiguous() {
    for (number, headers) in VECTORS {
        match number {
            // The error can name either of the two.
            49 => _ = check_refused(received(headers), headers[1].0),
            50 => _ = check_refused(received(headers), headers[0].0),
            52 => {
                let mut head = http::Request::new(()).into_parts().0;
                head.headers = map(headers);
                let error = is_get_as_form(&RULES, &head).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::HeaderNotAllowed, "{headers:?}");
            }
            // A `HeaderMap` can't contain such a header.
            54 | 55 => {}
            _ => assert!(received(headers).unwrap().is_empty(), "V{number}"),
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
    for passed in [written(&given).unwrap(), received(&given).unwrap()] {
        assert_eq!(passed.len(), given.len());
        for (name, value) in given {
            assert_eq!(passed[name], value);
        }
    }
}

#[test]
fn unlisted_headers_are_refused_by_name_or_dropped() {
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
        assert!(received(&[(name, "x")]).unwrap().is_empty(), "{name}");
    }
    for name in [
        "User-Agent",
        "Accept-Encoding",
        "Connection",
        "Content-Length",
    ] {
        check_refused(written(&[(name, "1")]), name);
    }
}

#[test]
fn headers_of_intermediaries_are_dropped_over_http() {
    let passed = received(&[
        ("host", "stead.example"),
        ("authorization", "Bearer ours"),
        ("user-agent", "demo-client/9"),
        ("accept", "*/*"),
        ("connection", "Upgrade, HTTP2-Settings, accept"),
        ("connection", "x-foo"),
        ("upgrade", "h2c"),
        ("keep-alive", "timeout=5"),
        ("transfer-encoding", "chunked"),
        ("traceparent", "00-1-1-00"),
        ("via", "1.1 balancer"),
        ("x-forwarded-for", "10.0.0.1"),
        ("demo-version", "2026-03-11"),
    ]);
    let passed = passed.unwrap();
    assert_eq!(passed.len(), 2, "{passed:?}");
    assert_eq!(passed["accept"], "*/*");
    assert_eq!(passed["demo-version"], "2026-03-11");
    assert!(received(&[("content-length", "12")]).unwrap().is_empty());
}

#[test]
fn the_caller_chooses_the_compression_over_http() {
    let given = [("accept-encoding", "gzip, deflate")];
    assert_eq!(received(&given).unwrap(), map(&given));
    check_refused(written(&given), "accept-encoding");
}

#[test]
fn a_get_may_be_sent_as_a_form_if_the_product_accepts_it() {
    const FORM: (&str, &str) = (
        "content-type",
        "application/x-www-form-urlencoded; charset=utf-8",
    );
    const GET: (&str, &str) = ("x-http-method-override", "GET");
    let asked = |rules: &ProxyRules, method: Method, headers: &[(&'static str, &'static str)]| {
        let mut head = http::Request::new(()).into_parts().0;
        head.method = method;
        head.headers = map(headers);
        is_get_as_form(rules, &head)
    };
    assert!(asked(&RULES, Method::POST, &[FORM, GET]).unwrap());
    assert!(!asked(&RULES, Method::POST, &[FORM]).unwrap());
    for (method, headers) in [
        (Method::POST, &[GET][..]),
        (Method::POST, &[GET, ("content-type", "application/json")]),
        (Method::POST, &[GET, FORM, ("content-encoding", "gzip")]),
        (
            Method::POST,
            &[GET, FORM, ("x-http-method-override", "DELETE")],
        ),
        (Method::POST, &[GET, FORM, ("x-http-method", "DELETE")]),
        (Method::POST, &[FORM, ("x-http-method-override", "PATCH")]),
        (Method::GET, &[FORM, GET]),
        (Method::PUT, &[FORM, GET]),
    ] {
        let error = asked(&RULES, method.clone(), headers).unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::HeaderNotAllowed,
            "{method} {headers:?}"
        );
    }
    assert!(asked(&ProxyRules::BASE, Method::POST, &[FORM, GET]).is_err());
}

#[test]
fn ambiguous_framing_is_refused() {
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
    ] {
        check_refused(received(headers), headers[0].0);
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
    check_refused(received(&[("range", "a"), ("range", "a")]), "range");
}

#[test]
fn count_and_size_are_bounded() {
    let many = |count| request_headers(&RULES, std::iter::repeat_n(("accept", &b"a"[..]), count));
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
