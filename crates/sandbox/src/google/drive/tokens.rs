//! The pieces of a query.

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    /// A field, an operator in letters, `true` or `false`.
    Word(String),
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`.
    Sign(&'static str),
    /// What is in quotes, without its backslashes.
    Text(String),
}

const SIGNS: [&str; 6] = ["!=", "<=", ">=", "=", "<", ">"];

/// All pieces; nothing where a quote is open or a character has no place.
pub(super) fn tokens(query: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = match first {
            '(' => (Token::Open, &rest[1..]),
            ')' => (Token::Close, &rest[1..]),
            '\'' | '"' => text(&rest[1..], first)?,
            letter if letter.is_ascii_alphabetic() => word(rest),
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
                (Token::Sign(sign), &rest[sign.len()..])
            }
        };
        tokens.push(token);
        rest = behind.trim_start();
    }
    Some(tokens)
}

fn word(rest: &str) -> (Token, &str) {
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
    (Token::Word(word.to_owned()), behind)
}

fn text(rest: &str, quote: char) -> Option<(Token, &str)> {
    let mut value = String::new();
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next()?.1 {
                escaped @ ('\\' | '\'' | '"') => value.push(escaped),
                _ => return None,
            },
            letter if letter == quote => {
                return Some((Token::Text(value), &rest[at + 1..]));
            }
            letter => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_everything() {
        let text = |text: &str| Token::Text(text.to_owned());
        let word = |word: &str| Token::Word(word.to_owned());
        assert_eq!(
            tokens("name contains 'a\\'b\\\\'").unwrap(),
            [word("name"), word("contains"), text("a'b\\")]
        );
        assert_eq!(
            tokens("(trashed=false)").unwrap(),
            [
                Token::Open,
                word("trashed"),
                Token::Sign("="),
                word("false"),
                Token::Close
            ]
        );
        for query in [
            "name = 'a",
            "name = 'it's'",
            "name = 'a\\b'",
            "name & 'a'",
            "name = “a”",
        ] {
            assert_eq!(tokens(query), None, "{query}");
        }
    }
}
