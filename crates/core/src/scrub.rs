//! Cleans texts that come from outside before they reach an error, a log or a page: bounded, without control characters
//! and without anything that looks like a credential.

use std::borrow::Cow;

use serde_json::Value;

/// Cuts a product's text to `limit` characters, drops control characters, and masks what looks like a credential.
pub(crate) fn scrub(text: &str, limit: usize) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let masked = clean
        .split_inclusive(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '<' | '>' | '(' | ')')
        })
        .map(mask_word)
        .collect::<String>();
    if masked.chars().count() <= limit {
        return masked;
    }
    masked
        .chars()
        .take(limit.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Shapes of the products' tokens: a prefix that only credentials have, and a length that no word has.
const CREDENTIAL_PREFIXES: &[&str] = &[
    "ya29.", "1//", "ntn_", "secret_", "ver:", "eyJ", "GOCSPX-", "stead_",
];

fn mask_word(word: &str) -> Cow<'_, str> {
    let credential = word.len() >= 16
        && CREDENTIAL_PREFIXES
            .iter()
            .any(|prefix| word.find(prefix).is_some_and(|at| word.len() - at >= 16));
    if credential {
        Cow::Borrowed("[removed] ")
    } else {
        Cow::Borrowed(word)
    }
}

pub(crate) fn scrub_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = scrub(text, 1000),
        Value::Array(items) => items.iter_mut().for_each(scrub_value),
        Value::Object(members) => members.values_mut().for_each(scrub_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_and_texts_are_cut() {
        assert_eq!(
            scrub("token ya29.abcdefghijklmnop is bad", 500),
            "token [removed] is bad"
        );
        assert_eq!(scrub("line\nbreak", 500), "line break");
        assert_eq!(scrub(&"x".repeat(600), 500).chars().count(), 500);
    }
}
