//! Properties that hold for every path, checked with two independent parsers: those of `http` and `url`.

use http::uri::PathAndQuery;
use url::Url;

use super::*;
use crate::product::RouteKind;

pub(super) const ORIGIN: &str = "https://api.product.test";

/// Checks a target: every parser reads it unchanged, and decoding escapes doesn't lead anywhere else.
#[track_caller]
pub(super) fn check_target(target: &str) {
    assert_eq!(
        target.parse::<PathAndQuery>().expect("a path").as_str(),
        target
    );
    let url = Url::parse(&format!("{ORIGIN}{target}")).expect("a URL");
    assert_eq!(url.as_str(), format!("{ORIGIN}{target}"));
    assert_eq!(url.host_str(), Some("api.product.test"));
    let (path, _) = target.split_once('?').unwrap_or((target, ""));
    assert_eq!(url.path(), path);
    let mut text = path.as_bytes().to_vec();
    loop {
        let has_dots = text
            .split(|byte| matches!(byte, b'/' | b'\\'))
            .map(|segment| segment.split(|byte| *byte == b';').next())
            .any(|name| matches!(name, Some(b"." | b"..")));
        assert!(!has_dots, "{target:?}");
        let undone: Vec<u8> = percent_encoding::percent_decode(&text).collect();
        if undone == text {
            break;
        }
        text = undone;
    }
}

pub(super) const RULES: ProxyRules = ProxyRules {
    routes: &[
        route("/mail/v1", "/mail/v1"),
        route("/v1", "/mail/v1"),
        route("/calendar/v3", "/calendar/v3"),
        route("/drive/v3", "/drive/v3"),
        ProxyRoute {
            encoded_slash_after: Some("values"),
            ..route("/v4/spreadsheets", "/v4/spreadsheets")
        },
    ],
    ..ProxyRules::BASE
};

pub(super) const fn route(prefix: &'static str, rewrite: &'static str) -> ProxyRoute {
    ProxyRoute {
        prefix,
        rewrite,
        origin: "main",
        encoded_slash_after: None,
        kind: RouteKind::Plain,
    }
}

/// Checks any text: it's either rejected, or kept and read unchanged by every parser.
pub(crate) fn holds(path: &str) {
    match resolve(&RULES, path) {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::PathInvalid);
            assert!(error.message().chars().count() <= 300);
        }
        Ok(Resolved { path_and_query, .. }) => {
            let route = RULES
                .routes
                .iter()
                .find(|route| path.starts_with(route.prefix))
                .expect("a route");
            assert!(path_and_query.starts_with(route.rewrite));
            let rest = &path_and_query[route.rewrite.len()..];
            let given = &path[route.prefix.len()..];
            match (rest.split_once('?'), given.split_once('?')) {
                (None, None) => assert_eq!(rest, given),
                (Some((rest, query)), Some((given, raw))) => {
                    assert_eq!(rest, given);
                    let raw = raw.replace('\'', "%27").replace('"', "%22");
                    assert_eq!(query, raw.replace('<', "%3C").replace('>', "%3E"));
                }
                _ => panic!("{path:?} became {path_and_query:?}"),
            }
            check_target(&path_and_query);
        }
    }
}
