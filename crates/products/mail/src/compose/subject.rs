//! The header of the subject.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mail_builder::headers::{HeaderType, raw::Raw, text::Text};
use stead_core::error::Violations;

/// Bytes of text in an encoded word, which has at most 75 characters (RFC 2047, 2).
const WORD: usize = 42;

/// The subject as a header; none if it's empty.
pub(super) fn header(subject: &str, violations: &mut Violations) -> Option<HeaderType<'static>> {
    if subject.chars().any(char::is_control) {
        let message = "a subject is one line; remove line breaks and other control characters";
        violations.add("/subject", "pattern", message);
        return None;
    }
    if subject.is_empty() {
        return None;
    }
    // Readers decode a text that looks like an encoded word, and remove spaces at its start.
    Some(match subject.contains("=?") || subject.starts_with(' ') {
        true => Raw::new(encoded(subject)).into(),
        false => Text::new(subject.to_owned()).into(),
    })
}

/// The text in encoded words.
fn encoded(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.floor_char_boundary(WORD));
        words.push(format!("=?utf-8?B?{}?=", STANDARD.encode(word)));
        rest = after;
    }
    words.join(" ")
}
