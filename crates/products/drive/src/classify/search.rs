//! The folder to which a search is limited.

use stead_core::product::{Classification, SentRequest};

use super::FOLDER;

/// Adds the folder of `'ID' in parents and …`, or marks it as unknown.
pub(super) fn folder(known: Classification, request: &SentRequest<'_>) -> Classification {
    let query = request.query_values("q");
    let folder = match query.as_deref() {
        Ok([query]) => kept_to(query),
        _ => None,
    };
    match folder {
        Some(id) => known.fact(FOLDER, id),
        None => known.unknown(FOLDER),
    }
}

/// The folder's id at the beginning of a query, if the rest can't widen the search.
fn kept_to(query: &str) -> Option<&str> {
    let (id, rest) = query.trim_start().strip_prefix('\'')?.split_once('\'')?;
    let of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if id.is_empty() || !id.bytes().all(of_id) {
        return None;
    }
    let words = outside_quotes(rest)?;
    let mut words = words.split_ascii_whitespace();
    let begins = words.next() == Some("in") && words.next() == Some("parents");
    let goes_on = match words.next() {
        None => true,
        Some(word) => word == "and",
    };
    let is_plain = |word: &str| {
        let word = word.to_ascii_lowercase();
        !matches!(word.as_str(), "or" | "not") && !word.contains(['(', ')'])
    };
    (begins && goes_on && words.all(is_plain)).then_some(id)
}

/// The query with each quoted text replaced by one character. `None` if a quote isn't closed.
fn outside_quotes(query: &str) -> Option<String> {
    let mut outside = String::new();
    let mut letters = query.chars();
    while let Some(letter) = letters.next() {
        if letter != '\'' {
            outside.push(letter);
            continue;
        }
        loop {
            match letters.next()? {
                '\'' => break,
                '\\' => _ = letters.next()?,
                _ => {}
            }
        }
        outside.push('"');
    }
    outside.is_ascii().then_some(outside)
}
