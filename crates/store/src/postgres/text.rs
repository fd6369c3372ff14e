//! Encodes texts for PostgreSQL, which can't store U+0000.
//!
//! That character becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. Each text has one encoding, and the order
//! stays the same. JSON and names contain neither, so they're stored unchanged.

use std::borrow::Cow;

const SPECIAL: [char; 2] = ['\0', '\u{1}'];

pub(super) fn stored(text: &str) -> Cow<'_, str> {
    if text.contains(SPECIAL) {
        let text = text.replace('\u{1}', "\u{1}\u{2}");
        return Cow::Owned(text.replace('\0', "\u{1}\u{1}"));
    }
    Cow::Borrowed(text)
}

pub(super) fn plain(text: String) -> String {
    if text.contains('\u{1}') {
        let text = text.replace("\u{1}\u{1}", "\0");
        return text.replace("\u{1}\u{2}", "\u{1}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks all texts of up to five characters, made of the four smallest ones.
    #[test]
    fn every_text_is_read_back_and_keeps_its_order() {
        let mut texts = vec![String::new()];
        let mut begin = 0;
        for _ in 0..5 {
            let end = texts.len();
            for at in begin..end {
                for next in ['\0', '\u{1}', '\u{2}', 'a'] {
                    texts.push(format!("{}{next}", texts[at]));
                }
            }
            begin = end;
        }
        texts.sort_unstable();
        let held: Vec<String> = texts.iter().map(|text| stored(text).into_owned()).collect();
        assert!(held.is_sorted_by(|one, other| one < other));
        assert!(held.iter().all(|text| !text.contains('\0')));
        assert_eq!(held.into_iter().map(plain).collect::<Vec<_>>(), texts);
    }
}
