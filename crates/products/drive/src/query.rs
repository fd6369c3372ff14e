//! Parses the product's query language (Drive API, "Search query terms and operators") far enough to add a condition. Text
//! in quotes is separated from words, so a file's name is never treated as a term.

/// The terms that a query uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// Whether it uses `trashed`.
    pub(crate) trashed: bool,
    /// Whether it uses `fullText`.
    pub(crate) full_text: bool,
}

/// Parses a query.
///
/// # Errors
/// Returns a sentence if a quote or a parenthesis isn't closed. Such a query would change the meaning of a condition that
/// is put around it.
fn read(query: &str) -> Result<Terms, &'static str> {
    let mut terms = Terms::default();
    let mut depth = 0_usize;
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        match first {
            '\'' | '"' => {
                rest = after_text(&rest[1..], first).ok_or(
                    "a quote isn't closed; put a backslash before a quote that belongs to the text",
                )?;
                continue;
            }
            '(' => depth += 1,
            ')' => {
                depth = depth
                    .checked_sub(1)
                    .ok_or("a closing parenthesis has no opening one")?
            }
            _ if is_word(first) => {
                let end = rest
                    .find(|character| !is_word(character))
                    .unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                terms.trashed |= word.eq_ignore_ascii_case("trashed");
                terms.full_text |= word.eq_ignore_ascii_case("fullText");
                rest = after;
                continue;
            }
            _ => {}
        }
        rest = &rest[first.len_utf8()..];
    }
    if depth > 0 {
        return Err("a parenthesis isn't closed");
    }
    Ok(terms)
}

/// The query and its terms. Excludes trashed files unless the query uses `trashed`, because the product includes them by
/// default (Drive API, `files.list`).
///
/// # Errors
/// As [`read`]. If the query has no operator, the message suggests a query that looks for its words in file names.
pub(crate) fn without_trash(query: &str) -> Result<(String, Terms), String> {
    let query = with_straight_quotes(query.trim());
    let query = query.as_str();
    let terms = read(query)?;
    if let Some(words) = only_words(query) {
        return Err(format!(
            "expected a query with an operator; to find these words in names, use: name contains {}",
            quoted(words)
        ));
    }
    let query = if query.is_empty() {
        String::from("trashed = false")
    } else if terms.trashed {
        query.to_owned()
    } else {
        format!("({query}) and trashed = false")
    };
    Ok((query, terms))
}

/// The query with straight quotes around its texts. Editors and chats insert curved quotes, which the product takes for
/// words. A text in straight quotes doesn't change.
fn with_straight_quotes(query: &str) -> String {
    let mut straight = String::new();
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let begins = !straight.ends_with(char::is_alphanumeric);
        let curved = CURVED
            .iter()
            .find(|quotes| begins && quotes.contains(&first));
        let next = match curved.and_then(|quotes| text_until(after, quotes)) {
            Some((text, next)) => {
                straight.push_str(&quoted(text));
                next
            }
            None => {
                let is_quote = matches!(first, '\'' | '"');
                let next = is_quote.then(|| after_text(after, first)).flatten();
                let next = next.unwrap_or(after);
                straight.push_str(&rest[..rest.len() - next.len()]);
                next
            }
        };
        rest = next;
    }
    straight
}

/// Curved quotes, single and double. Languages use them in different orders to open and close a text.
const CURVED: [[char; 3]; 2] = [['‘', '’', '‚'], ['“', '”', '„']];

/// The text up to its closing quote, and the rest. An apostrophe within a word doesn't close the text.
fn text_until<'a>(text: &'a str, quotes: &[char]) -> Option<(&'a str, &'a str)> {
    let mut places = text.match_indices(quotes);
    places.find_map(|(at, quote)| {
        let after = &text[at + quote.len()..];
        (!after.starts_with(char::is_alphanumeric)).then(|| (&text[..at], after))
    })
}

/// The words of a query without an operator, bare or in quotes. The product would refuse it. Boolean terms need no
/// operator.
fn only_words(query: &str) -> Option<&str> {
    let mut outside = String::new();
    let mut rest = query;
    while let Some(at) = rest.find(['\'', '"']) {
        outside.push_str(&rest[..at]);
        outside.push('\'');
        let quote = if rest[at..].starts_with('"') {
            '"'
        } else {
            '\''
        };
        rest = after_text(&rest[at + 1..], quote)?;
    }
    outside.push_str(rest);
    let has_text = outside.contains('\'');
    let names = |word: &str, known: &[&str]| {
        let mut known = known.iter();
        known.any(|known| word.eq_ignore_ascii_case(known))
    };
    let mut words = outside
        .split(|character| !is_word(character))
        .filter(|word| !word.is_empty());
    let compares = outside.contains(['=', '<', '>'])
        || (has_text && words.clone().any(|word| names(word, &OPERATORS)));
    if compares || (!has_text && words.all(|word| names(word, &FLAGS))) {
        return None;
    }
    let inside = query
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    let inside = inside.or_else(|| query.strip_prefix('"')?.strip_suffix('"'));
    Some(inside.unwrap_or(query))
}

/// Operators that are words (Drive API, "Search query terms and operators").
const OPERATORS: [&str; 3] = ["contains", "in", "has"];
/// Words of a query that need neither a text nor a comparison.
const FLAGS: [&str; 6] = ["trashed", "starred", "sharedWithMe", "and", "or", "not"];

/// A text in the query language: in single quotes, with a backslash before backslashes and quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The rest after the quote that closes a text.
fn after_text(text: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(&text[at + character.len_utf8()..]),
            _ => {}
        }
    }
    None
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_count_and_texts_do_not() {
        for (query, trashed, full_text) in [
            ("", false, false),
            ("name contains 'plan'", false, false),
            ("trashed = true", true, false),
            ("trashed=true", true, false),
            ("not trashed != false", true, false),
            ("(name = 'a' or (trashed=false))", true, false),
            ("name contains 'trashed = true'", false, false),
            ("name contains \"trashed = true\"", false, false),
            ("name = 'it\\'s trashed'", false, false),
            ("name = 'back\\\\' and trashed = true", true, false),
            ("fullText contains 'x' and trashed = false", true, true),
            ("name = 'fullText'", false, false),
            (
                "properties has { key='trashed' and value='x' }",
                false,
                false,
            ),
            ("untrashed = true", false, false),
            ("'trashed@example.com' in owners", false, false),
        ] {
            let terms = Terms { trashed, full_text };
            assert_eq!(read(query), Ok(terms), "{query}");
        }
    }

    #[test]
    fn unbalanced_quotes_and_parentheses_are_refused() {
        for query in [
            "name = 'a",
            "name = 'a\\'",
            "name = \"a",
            "(name = 'a'",
            "name = 'a')",
            "name = 'a') or (name = 'b'",
        ] {
            assert!(read(query).is_err(), "{query}");
            assert!(without_trash(query).is_err(), "{query}");
        }
    }

    #[test]
    fn the_trash_is_left_out_unless_asked_for() {
        for (query, sent) in [
            ("", "trashed = false"),
            ("  ", "trashed = false"),
            ("trashed = true", "trashed = true"),
            (
                "name = 'a' or name = 'b'",
                "(name = 'a' or name = 'b') and trashed = false",
            ),
            (
                "name contains 'trashed = true'",
                "(name contains 'trashed = true') and trashed = false",
            ),
        ] {
            assert_eq!(without_trash(query).unwrap().0, sent, "{query}");
        }
    }

    #[test]
    fn plain_words_are_refused_with_the_query_to_use() {
        for (query, ready) in [
            ("budget", "name contains 'budget'"),
            ("  meeting in Berlin ", "name contains 'meeting in Berlin'"),
            ("a\\b", "name contains 'a\\\\b'"),
            ("'plan'", "name contains 'plan'"),
            ("\"plan 2026\"", "name contains 'plan 2026'"),
            ("starred notes", "name contains 'starred notes'"),
        ] {
            let refused = without_trash(query).unwrap_err();
            assert!(refused.ends_with(&format!("use: {ready}")), "{refused}");
        }
        for query in [
            "starred",
            "not trashed and sharedWithMe",
            "'root' in parents",
            "name contains 'a'",
            "properties has { key='a' and value='b' }",
            "modifiedTime>'2026-05-01T00:00:00'",
        ] {
            assert!(without_trash(query).is_ok(), "{query}");
        }
    }

    #[test]
    fn curved_quotes_around_texts_become_straight() {
        for (query, sent) in [
            ("name contains ‘plan’", "name contains 'plan'"),
            ("name contains “plan”", "name contains 'plan'"),
            (
                "name = „Plan“ and (name = ‚x‘)",
                "name = 'Plan' and (name = 'x')",
            ),
            ("name = ‘it’s Ada's’", "name = 'it’s Ada\\'s'"),
            ("name = 'it’s ‘so’'", "name = 'it’s ‘so’'"),
            ("name = \"‘so’\" or starred", "name = \"‘so’\" or starred"),
        ] {
            let sent = format!("({sent}) and trashed = false");
            assert_eq!(without_trash(query).unwrap().0, sent, "{query}");
        }
        for (query, ready) in [("‘plan’", "'plan'"), ("it’s a plan", "'it’s a plan'")] {
            let refused = without_trash(query).unwrap_err();
            assert!(
                refused.ends_with(&format!("name contains {ready}")),
                "{refused}"
            );
        }
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        assert_eq!(quoted("quinn's paper\\essay"), "'quinn\\'s paper\\\\essay'");
        assert_eq!(quoted("\\'"), "'\\\\\\''");
    }

    proptest::proptest! {
        #[test]
        fn a_quoted_text_is_one_text(text in "\\PC{0,40}") {
            let quoted = quoted(&text);
            proptest::prop_assert_eq!(after_text(&quoted[1..], '\''), Some(""));
            proptest::prop_assert_eq!(read(&quoted), Ok(Terms::default()));
        }

        #[test]
        fn nothing_panics_and_accepted_queries_stay_grouped(query in "['\"()\\\\a-z= ]{0,40}") {
            if let Ok((sent, _)) = without_trash(&query) {
                proptest::prop_assert!(read(&sent).is_ok_and(|terms| terms.trashed), "{}", sent);
            }
        }
    }
}
