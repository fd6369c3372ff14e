//! Names: as statements write them, and as SQLite, which ignores their case, keeps them apart.

use sqlparser::ast::{Ident, ObjectName};

/// Longest name, in characters (SQL reference, "Identifier requirements").
pub(super) const LONGEST_NAME: usize = 255;

/// A quoted name for SQLite: small letters of ASCII are `~` and the capital, so that `"id"` is another name than
/// `ID`. Without quotes a name is in capitals, and stays as it is.
pub(super) fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_lowercase() || letter == '~' {
            encoded.push('~');
        }
        encoded.push(letter.to_ascii_uppercase());
    }
    encoded
}

/// The name of an encoded one.
pub(super) fn decode(encoded: &str) -> String {
    let mut name = String::with_capacity(encoded.len());
    let mut letters = encoded.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '~' => name.extend(letters.next().map(|letter| letter.to_ascii_lowercase())),
            other => name.push(other),
        }
    }
    name
}

/// The name that an identifier of a parsed statement stands for. What was quoted has been encoded.
pub(super) fn name_of(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => decode(&ident.value),
        None => ident.value.to_uppercase(),
    }
}

/// The names of an object, outermost first.
pub(super) fn path_of(name: &ObjectName) -> Vec<String> {
    let parts = name.0.iter().filter_map(|part| part.as_ident());
    parts.map(name_of).collect()
}

/// An identifier that SQLite takes for this name.
pub(super) fn ident(name: &str) -> Ident {
    Ident::with_quote('"', encode(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_kept_where_sqlite_ignores_it() {
        for (name, encoded) in [
            ("ID", "ID"),
            ("id", "~I~D"),
            ("größe", "~G~Röß~E"),
            ("a~b", "~A~~~B"),
        ] {
            assert_eq!(encode(name), encoded);
            assert_eq!(decode(&encode(name)), name);
        }
    }
}
