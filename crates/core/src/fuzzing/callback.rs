//! The query of a browser that comes back from the product.

use percent_encoding::percent_decode;

use crate::oauth::Callback;

/// Checks that a query is read as a simple `application/x-www-form-urlencoded` reader reads it, each name once or not
/// at all.
pub fn callback_query(query: &str) {
    let callback = Callback::from_query(query);
    let read = [
        ("state", &callback.state),
        ("code", &callback.code),
        ("iss", &callback.iss),
        ("error", &callback.error),
        ("error_description", &callback.error_description),
    ];
    let pairs = pairs(query);
    let values = |name: &str| {
        pairs
            .iter()
            .filter(|(one, _)| one == name)
            .map(|(_, value)| value)
            .collect::<Vec<_>>()
    };
    let is_clear = read.iter().all(|(name, _)| values(name).len() <= 1);
    for (name, found) in read {
        let expected = values(name)
            .first()
            .copied()
            .filter(|value| is_clear && !value.is_empty());
        assert_eq!(found.as_ref(), expected, "{name}");
    }
    // The debug output, which can end up in logs, has neither code nor state.
    let shown = format!("{callback:?}");
    assert_eq!(
        shown,
        format!("Callback {{ error: {:?}, .. }}", callback.error)
    );
}

/// Names and values according to WHATWG URL, section 5.1, implemented independently.
fn pairs(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode(text.as_bytes())
            .decode_utf8_lossy()
            .into_owned()
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_query_is_read_once(
            pairs in prop::collection::vec(("state|code|iss|error|st%61te|error_description|x", "[\\PC%+=;]{0,8}"), 0..6),
            any in any::<String>(),
        ) {
            let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            callback_query(&pairs.join("&"));
            callback_query(&any);
        }
    }
}
