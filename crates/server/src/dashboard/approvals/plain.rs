//! Makes the arguments of a call readable: shows invisible characters, and decodes encoded texts.

use std::fmt::Write as _;

use base64::{
    Engine as _,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::Value;

/// Shorter texts are never decoded.
const SHORTEST: usize = 16;
/// Number of layers to decode: a mail, and a part of it.
const LAYERS: usize = 3;

/// Base64 in the URL-safe alphabet, with or without padding. Texts in the standard alphabet are converted first.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// JSON with invisible characters escaped.
pub(super) fn json(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    shown(&text, |one, shown| {
        for unit in one.encode_utf16(&mut [0; 2]) {
            _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// A text with invisible characters replaced by their codes.
pub(super) fn text(text: &str) -> String {
    shown(text, |one, shown| {
        _ = write!(shown, "⟨U+{:04X}⟩", u32::from(one));
    })
}

fn shown(text: &str, escape: impl Fn(char, &mut String)) -> String {
    let mut shown = String::with_capacity(text.len());
    for one in text.chars() {
        if is_seen(one) {
            shown.push(one);
        } else {
            escape(one, &mut shown);
        }
    }
    shown
}

/// Whether a character is visible: it doesn't change the direction of the text, hide, or only take up space.
fn is_seen(one: char) -> bool {
    if one.is_ascii() {
        return one == '\n' || one == ' ' || one.is_ascii_graphic();
    }
    // The test puts a letter in front, because a combining mark is only visible on one.
    let pair: String = ['a', one].into_iter().collect();
    let is_blank = matches!(
        one,
        '\u{115F}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}'
    );
    let is_selector = matches!(one, '\u{FE00}'..='\u{FE0E}' | '\u{E0100}'..='\u{E01EF}');
    !is_blank && !is_selector && pair.escape_debug().eq(pair.chars())
}

/// The encoded texts in a value, decoded, each with its place.
pub(super) fn decoded(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk(value, &mut String::new(), LAYERS, &mut found);
    found
}

fn walk(value: &Value, place: &mut String, layers: usize, found: &mut Vec<(String, String)>) {
    let length = place.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                _ = write!(place, "/{name}");
                walk(member, place, layers, found);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                _ = write!(place, "/{index}");
                walk(item, place, layers, found);
                place.truncate(length);
            }
        }
        Value::String(text) if layers > 0 => {
            // A body in JSON is a text among the arguments.
            match serde_json::from_str(text) {
                Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                    walk(&inner, place, layers - 1, found);
                }
                _ => in_text(text, place, layers, found),
            }
        }
        _ => {}
    }
}

/// A text that is encoded as a whole, and the encoded parts of a text.
fn in_text(text: &str, place: &mut String, layers: usize, found: &mut Vec<(String, String)>) {
    let plain = text.replace("\r\n", "\n");
    let parts = plain.split("\n\n").filter_map(|part| decode(part.trim()));
    for part in parts {
        found.push((place.clone(), part.clone()));
        if layers > 1 {
            in_text(&part, place, layers - 1, found);
        }
    }
}

fn decode(text: &str) -> Option<String> {
    let joined: String = text.split('\n').map(str::trim).collect();
    if joined.len() < SHORTEST {
        return None;
    }
    let bytes = BASE64
        .decode(joined.replace('+', "-").replace('/', "_"))
        .ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let is_text = |one: char| !one.is_control() || matches!(one, '\n' | '\r' | '\t');
    text.chars().all(is_text).then_some(text)
}
