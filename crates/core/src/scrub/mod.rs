//! Cleans external texts before they reach an error, a log or a page. It limits their length, removes control
//! characters, and masks the secrets that were just sent and anything else that looks like a credential.
//!
//! The products' own forms of tokens come from the catalogue. They are masked later, when an error is recorded.

#[cfg(feature = "platform")]
mod secrets;

#[cfg(feature = "platform")]
pub(crate) use secrets::Secrets;
use serde_json::Value;

/// Prefixes of credentials that don't belong to one product: JWTs (RFC 7519), and Stead's own.
const PREFIXES: &[&str] = &["eyJ", "stead_"];

/// Minimum length of a text that can be a credential. No ordinary word has one of the prefixes and this length.
const SHORTEST: usize = 16;

/// Truncates a product's text to `limit` characters, removes control characters, and masks anything that looks like a
/// credential.
pub(crate) fn scrub(text: &str, limit: usize) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let masked = mask(&clean, PREFIXES);
    if masked.chars().count() <= limit {
        return masked;
    }
    masked
        .chars()
        .take(limit.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Replaces every word that contains a credential with one of these prefixes. A truncated word is replaced however
/// short it is.
pub(crate) fn mask(text: &str, prefixes: &[&str]) -> String {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '<' | '>' | '(' | ')');
    text.split_inclusive(ends)
        .map(|word| mask_word(word, prefixes))
        .collect()
}

fn mask_word<'a>(word: &'a str, prefixes: &[&str]) -> &'a str {
    let is_credential = |prefix: &&str| {
        word.find(*prefix)
            .is_some_and(|at| word.len() - at >= SHORTEST || word.contains('…'))
    };
    if prefixes.iter().any(is_credential) {
        "[removed] "
    } else {
        word
    }
}

/// Applies [`scrub`] to every text of a value.
pub(crate) fn scrub_value(value: &mut Value) {
    each_text(value, &mut |text| *text = scrub(text, 1000));
}

/// Calls `change` with every text of a value.
pub(crate) fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| each_text(member, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_and_texts_are_cut() {
        assert_eq!(
            scrub("token stead_abcdefghijklmnop is bad", 500),
            "token [removed] is bad"
        );
        assert_eq!(scrub("line\nbreak", 500), "line break");
        assert_eq!(scrub(&"x".repeat(600), 500).chars().count(), 500);
    }

    #[test]
    fn credentials_with_a_known_prefix_are_masked() {
        let mask = |text| mask(text, &["demo."]);
        assert_eq!(
            mask("token demo.abcdefghijk is bad"),
            "token [removed] is bad"
        );
        assert_eq!(mask("see demo.rs"), "see demo.rs");
        assert_eq!(mask("at \"/x/demo.ab…\""), "at \"[removed] ");
    }
}
