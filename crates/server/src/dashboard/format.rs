//! The filters of the templates: how pages show values.

use jiff::Timestamp;
use minijinja::{HtmlEscape, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that need no escape in a path's segment (RFC 3986, "unreserved").
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A time in RFC 3339, shown in UTC. The page's script converts it to the viewer's time zone. Any other text isn't
/// changed.
pub(super) fn time(moment: &str) -> Value {
    let Ok(moment) = moment.parse::<Timestamp>() else {
        return Value::from(moment);
    };
    let text = moment.strftime("%-d %b %Y, %H:%M UTC");
    Value::from_safe_string(format!("<time datetime=\"{moment}\">{text}</time>"))
}

/// The same for a time today. Shows only the time of day.
pub(super) fn clock(moment: &str) -> Value {
    let Ok(moment) = moment.parse::<Timestamp>() else {
        return Value::from(moment);
    };
    let text = moment.strftime("%H:%M");
    Value::from_safe_string(format!(
        "<time datetime=\"{moment}\" data-style=\"clock\">{text}</time>"
    ))
}

/// The same, but shows only the day.
pub(super) fn day(moment: &str) -> Value {
    let Ok(moment) = moment.parse::<Timestamp>() else {
        return Value::from(moment);
    };
    let text = moment.strftime("%-d %b");
    Value::from_safe_string(format!(
        "<time datetime=\"{moment}\" data-style=\"day\">{text}</time>"
    ))
}

/// A number with separators between thousands.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Microseconds in a form for people.
pub(super) fn millis(micros: u64) -> String {
    match micros {
        0..=9_999 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        10_000..=999_999 => format!("{} ms", micros / 1_000),
        _ => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}

/// A sentence with code between backticks.
pub(super) fn prose(text: &str) -> Value {
    let mut html = String::new();
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        let part = HtmlEscape(part);
        // One backtick too many is a backtick.
        html += &match (index % 2, index + 1 == parts.len()) {
            (0, _) => part.to_string(),
            (_, true) => format!("`{part}"),
            (_, false) => format!("<code>{part}</code>"),
        };
    }
    Value::from_safe_string(html)
}

/// Words that can start a sentence and get a capital letter. Another first word can be a name that stays as it is:
/// `verify_url`, or a connection `mail`.
const FIRST_WORDS: &[&str] = &[
    "a", "all", "an", "another", "at", "both", "can't", "can’t", "check", "choose", "couldn't",
    "didn't", "doesn't", "each", "enter", "expected", "for", "from", "give", "has", "if", "in",
    "isn't", "it", "its", "links", "more", "must", "no", "none", "not", "of", "one", "only",
    "sign", "that", "the", "there", "these", "this", "those", "to", "too", "use", "wasn't", "what",
    "who", "with", "without", "you", "your",
];

/// An error as a sentence: with a capital letter, unless it starts with a name, and with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let first = text.split(' ').next().unwrap_or_default();
    let mut sentence = match text.chars().next() {
        Some(letter) if FIRST_WORDS.contains(&first) => {
            letter.to_ascii_uppercase().to_string() + &text[letter.len_utf8()..]
        }
        _ => text.to_owned(),
    };
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

/// A text as one segment of a path.
pub(super) fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_a_capital_letter_and_a_stop_and_names_stay() {
        for (text, shown) in [
            ("the password is too short", "The password is too short."),
            (
                "verify_url is required: say where",
                "verify_url is required: say where.",
            ),
            (
                "mail has no account of this user",
                "mail has no account of this user.",
            ),
            ("/q: unknown", "/q: unknown."),
            ("That is it.", "That is it."),
            ("", ""),
        ] {
            assert_eq!(sentence(text), shown);
        }
    }

    #[test]
    fn values_are_written_as_people_read_them() {
        assert_eq!(
            time("2026-11-21T09:30:05.5Z").to_string(),
            "<time datetime=\"2026-11-21T09:30:05.5Z\">21 Nov 2026, 09:30 UTC</time>"
        );
        assert!(!time("<b>").is_safe());
        for (text, html) in [
            ("`a<b` & `c`", "<code>a&lt;b</code> &amp; <code>c</code>"),
            ("an `open one", "an `open one"),
        ] {
            assert_eq!(prose(text).to_string(), html);
        }
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(count(number), text);
        }
        for (micros, text) in [(940, "0.9 ms"), (12_345, "12 ms"), (2_340_000, "2.3 s")] {
            assert_eq!(millis(micros), text);
        }
        assert_eq!(segment("a/b \"c\" é"), "a%2Fb%20%22c%22%20%C3%A9");
    }
}
