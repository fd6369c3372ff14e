//! Headers of raw requests.

use http::{HeaderMap, HeaderName, HeaderValue, Method, request};
use serde_json::Map;

use crate::{
    ErrorKind,
    product::{ProxyRoute, ProxyRules},
    proxy::{check_received, check_written, is_get_as_form},
};

const RULES: ProxyRules = ProxyRules {
    routes: &[ProxyRoute::new("/v1", "main")],
    takes_header: |name| name == "demo-version",
    takes_get_as_form: true,
    ..ProxyRules::BASE
};

/// Headers that never pass: those for one hop (RFC 9110, section 7.6.1), another host, another caller or another
/// method.
const NEVER: &[&str] = &[
    "authorization",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Headers that ask a server to treat a request as one with another method.
const OVERRIDES: [&str; 3] = [
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Checks headers, given as one `name:value` per line. They are rejected, or exactly the allowed ones pass.
pub fn headers(lines: &[u8]) {
    let given: Vec<(&str, &[u8])> = lines
        .split(|byte| *byte == b'\n')
        .filter_map(pair)
        .collect();
    written(&given);
    received(&given);
}

fn pair(line: &[u8]) -> Option<(&str, &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = std::str::from_utf8(&line[..colon]).ok()?;
    Some((name, &line[colon + 1..]))
}

/// Headers that the caller listed all pass, or the request is rejected.
fn written(given: &[(&str, &[u8])]) {
    let none = Map::new();
    let result = check_written(&RULES, "GET", "/v1/x", &none, given.iter().copied(), false);
    match result {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::HeaderNotAllowed);
            assert!(error.message().chars().count() <= 300, "{error}");
        }
        Ok(checked) => {
            check(&checked.headers);
            assert_eq!(checked.headers.len(), given.len());
            for (name, value) in given {
                let mut all = checked.headers.get_all(*name).iter();
                assert!(all.any(|one| one.as_bytes() == *value), "{name} is another");
            }
        }
    }
}

/// Headers that came over HTTP pass unchanged, or they are dropped.
fn received(given: &[(&str, &[u8])]) {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    for method in [Method::GET, Method::POST] {
        let head = head(method.clone(), headers.clone());
        match is_get_as_form(&RULES, &head) {
            Err(error) => assert_eq!(error.kind(), ErrorKind::HeaderNotAllowed),
            Ok(as_form) => {
                let changes = headers.iter().any(|(name, value)| {
                    OVERRIDES.contains(&name.as_str())
                        && !value.as_bytes().eq_ignore_ascii_case(b"get")
                });
                assert!(!as_form || method == Method::POST && !changes);
            }
        }
        match check_received(&RULES, &head) {
            Err(error) => assert_eq!(error.kind(), ErrorKind::HeaderNotAllowed),
            Ok(checked) => {
                assert_eq!(checked.method, method);
                check(&checked.headers);
                for name in checked.headers.keys() {
                    let came: Vec<_> = headers.get_all(name).iter().collect();
                    let passed: Vec<_> = checked.headers.get_all(name).iter().collect();
                    assert_eq!(came, passed, "{name}");
                }
            }
        }
    }
}

fn head(method: Method, headers: HeaderMap) -> request::Parts {
    let mut head = http::Request::new(()).into_parts().0;
    head.method = method;
    head.uri = http::Uri::from_static("/v1/x");
    head.headers = headers;
    head
}

/// Checks what must hold for all headers that pass.
fn check(headers: &HeaderMap) {
    let mut bytes = 0;
    for (name, value) in headers {
        assert!(!NEVER.contains(&name.as_str()), "{name} passes");
        assert!(!name.as_str().starts_with("x-forwarded-"), "{name} passes");
        let value = value.as_bytes();
        let is_plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
        assert!(value.iter().all(is_plain), "{name} is not plain");
        assert_eq!(value.trim_ascii(), value, "{name} has blanks around it");
        bytes += name.as_str().len() + value.len();
    }
    for single in [
        "content-type",
        "idempotency-key",
        "range",
        "if-range",
        "demo-version",
    ] {
        assert!(
            headers.get_all(single).iter().count() <= 1,
            "{single} comes twice"
        );
    }
    assert!(headers.len() <= 100 && bytes <= 64 * 1024);
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    fn names() -> impl Strategy<Value = String> {
        let known = [
            "accept",
            "Accept",
            "content-type",
            "demo-version",
            "if-match",
            "range",
            "accept-encoding",
            "x-a",
        ];
        prop::sample::select([&known[..], NEVER].concat()).prop_map(str::to_owned)
    }

    #[test]
    fn a_header_that_is_no_method_override_is_ignored() {
        headers(
            b"x-http-method-other:x\nx-http-method-override:GET\ncontent-type:application/x-www-form-urlencoded",
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_headers_are_refused_or_pass(
            lines in prop::collection::vec((names(), "[\\PC\r\t\0]{0,8}|GET|chunked|[0-9]{1,2}"), 0..5),
            any in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let lines: Vec<String> = lines.iter().map(|(name, value)| format!("{name}:{value}")).collect();
            headers(lines.join("\n").as_bytes());
            headers(&any);
        }
    }
}
