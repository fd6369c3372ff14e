//! What must hold for every text there is.

use http::uri::PathAndQuery;
use proptest::{prelude::*, test_runner::RngSeed};
use url::Url;

use super::{vectors::RULES, *};

pub(super) const ORIGIN: &str = "https://api.product.test";

/// What holds for a target: every parser reads it as it is, and undoing escapes moves it nowhere.
#[track_caller]
pub(super) fn check_target(target: &str) {
    assert_eq!(target.parse::<PathAndQuery>().unwrap().as_str(), target);
    let url = Url::parse(&format!("{ORIGIN}{target}")).unwrap();
    assert_eq!(url.as_str(), format!("{ORIGIN}{target}"));
    assert_eq!(url.host_str(), Some("api.product.test"));
    let (path, _) = target.split_once('?').unwrap_or((target, ""));
    assert_eq!(url.path(), path);
    let mut text = path.as_bytes().to_vec();
    for _ in 0..path.len() {
        let has_dots = text
            .split(|byte| matches!(byte, b'/' | b'\\'))
            .map(|segment| segment.split(|byte| *byte == b';').next().unwrap())
            .any(|name| name == b"." || name == b"..");
        assert!(!has_dots, "{target:?}");
        text = percent_encoding::percent_decode(&text).collect();
    }
}

/// Texts made of what hostile paths are made of.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "/",
        "//",
        ".",
        "..",
        "%2e",
        "%2E",
        "%252e",
        "%2f",
        "%2F",
        "%252F",
        "%5c",
        "\\",
        ";",
        "%3b",
        "%",
        "%25",
        "%2",
        "?",
        "#",
        "@",
        ":",
        "&",
        "=",
        "'",
        "\"",
        "a",
        "v1",
        "values",
        "key",
        "%6bey",
        "%00",
        "%0d%0a",
        "\r\n",
        "\t",
        " ",
        "%20",
        "%c0%ae",
        "%ef%bc%8e",
        "\u{FF0E}",
        "\u{2025}",
        "é",
        "{",
        "|",
        "[",
        "<",
        "`",
        "^",
        "~",
        "evil.test",
    ]);
    let prefix = prop::sample::select(vec![
        "",
        "/",
        "/v1",
        "/v1/",
        "/v1/x?",
        "/v4/spreadsheets/ID/values/",
        "/calendar/v3/",
    ]);
    (prefix, prop::collection::vec(piece, 0..12))
        .prop_map(|(prefix, pieces)| format!("{prefix}{}", pieces.concat()))
}

fn holds(path: &str) {
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
                .unwrap();
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_refused_or_kept(text in any::<String>(), below in "/v1/[!-~]{0,12}") {
        holds(&text);
        holds(&format!("/v1/{text}"));
        holds(&format!("/v1?{text}"));
        holds(&below);
    }

    #[test]
    fn any_hostile_text_is_refused_or_kept(path in hostile()) {
        holds(&path);
    }
}
