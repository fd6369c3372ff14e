//! Words of names and texts.

/// The words of a text: runs of letters and digits, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// What full text looks for: words, and phrases in double quotes.
pub(super) fn phrases(term: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (place, part) in term.split('"').enumerate() {
        if place % 2 == 1 {
            found.push(words(part));
        } else {
            found.extend(words(part).into_iter().map(|word| vec![word]));
        }
    }
    found.retain(|phrase| !phrase.is_empty());
    found
}

/// How often the phrase occurs among the words, whole words only.
pub(super) fn count(words: &[String], phrase: &[String]) -> usize {
    words
        .windows(phrase.len().max(1))
        .filter(|window| *window == phrase)
        .count()
}

/// Whether some words in sequence begin with the given ones: the last may be cut short.
pub(super) fn starts_with_words(words: &[String], given: &[String]) -> bool {
    let Some((last, whole)) = given.split_last() else {
        return false;
    };
    words.windows(given.len()).any(|window| {
        window
            .split_last()
            .is_some_and(|(cut, before)| before == whole && cut.starts_with(last.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drive API, "Search query terms and operators", the notes on `contains`.
    #[test]
    fn names_match_by_their_beginning_and_texts_by_whole_words() {
        let name = words("HelloWorld.txt");
        assert!(starts_with_words(&name, &words("Hello")));
        assert!(!starts_with_words(&name, &words("World")));
        assert!(starts_with_words(&name, &words("HelloWorld.t")));
        assert!(!starts_with_words(&name, &words("")));
        assert_eq!(count(&name, &words("hello")), 0);
        assert_eq!(count(&name, &words("helloworld")), 1);
        let text = words("Hello there world");
        assert_eq!(count(&text, &words("hello there")), 1);
        assert_eq!(count(&text, &words("hello world")), 0);
        assert_eq!(
            phrases("a \"b c\" d"),
            [words("a"), words("b c"), words("d")]
        );
    }
}
