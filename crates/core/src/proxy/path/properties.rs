//! Properties that hold for every text.

use proptest::{prelude::*, test_runner::RngSeed};

use super::property::holds;

/// Texts built from the parts of hostile paths.
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
