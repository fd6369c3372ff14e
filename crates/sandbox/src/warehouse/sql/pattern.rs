//! LIKE and ILIKE.

/// Whether the whole text matches, in any case: `%` stands for any text and `_` for one character; in SHOW a
/// backslash takes that from them.
pub(super) fn matches(pattern: &str, text: &str, escapes: bool) -> bool {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let pattern = pieces(&pattern.to_lowercase(), escapes);
    // reached[n]: the pattern so far matches the first n characters.
    let mut result = vec![false; text.len() + 1];
    result[0] = true;
    for piece in pattern {
        let mut next = vec![false; text.len() + 1];
        for index in 0..=text.len() {
            next[index] = match piece {
                Piece::Any => result[index] || (index > 0 && next[index - 1]),
                Piece::One => index > 0 && result[index - 1],
                Piece::Letter(letter) => {
                    index > 0 && result[index - 1] && text[index - 1] == letter
                }
            };
        }
        result = next;
    }
    result[text.len()]
}

enum Piece {
    Any,
    One,
    Letter(char),
}

fn pieces(pattern: &str, escapes: bool) -> Vec<Piece> {
    let mut letters = pattern.chars();
    let mut pieces = Vec::new();
    while let Some(letter) = letters.next() {
        pieces.push(match letter {
            '%' => Piece::Any,
            '_' => Piece::One,
            '\\' if escapes => Piece::Letter(letters.next().unwrap_or('\\')),
            letter => Piece::Letter(letter),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match() {
        for (pattern, text, expected) in [
            ("ord%", "ORDERS", true),
            ("%der%", "ORDERS", true),
            ("ORDER_", "orders", true),
            ("ORDER", "ORDERS", false),
            ("", "", true),
            ("%", "", true),
            ("a\\_b", "a_b", true),
            ("a\\_b", "axb", false),
        ] {
            assert_eq!(matches(pattern, text, true), expected, "{pattern} {text}");
        }
        assert!(!matches("a\\_b", "a_b", false));
    }
}
