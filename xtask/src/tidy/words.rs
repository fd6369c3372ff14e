//! Words that are not used, and what is written instead: in names, comments, texts of errors, and pages.
//!
//! What somebody else said is left alone: code spans and quotations are skipped, and so are the strings of tests, which
//! are data.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::{imports::is_for_tests, text::File};

/// What is not used, and what is. A pattern is a row of words with alternatives; one that begins with `!` stands for any
/// word but these, and `.` for a mark or the end.
const EVERYWHERE: &[(&str, &str)] = &[
    ("anew", "again"),
    ("nobody", "no one, or the passive"),
    ("mend|mends|mended", "fix"),
    ("beside", "next to, or besides"),
    ("is|are wanted", "expected … found …"),
    ("!there is|are none", "is not one"),
    (
        "!there|here|where is|are no !longer|more|one|need|way|reason|other|less|better",
        "is not a",
    ),
    ("has|have not .", "does not have"),
    ("taken for", "treated as"),
    ("!let|leave|leaves|left|stand|stands|stood alone", "only"),
    (
        "a|an|the|its|each|every|this|that|one|no|another answer",
        "response",
    ),
    ("the|its|these|those answers", "response"),
    ("pace|paces|paced|pacing", "rate limit"),
    ("verdict|verdicts", "decision"),
    ("fingerprint|fingerprints", "digest"),
    ("quarantine|quarantined", "pending"),
    ("horizon|horizons", "retention, or cutoff"),
    ("!single|in flight|flights", "single flight"),
    ("house", "project, or stack"),
];

/// Names of up to three words; a longer one is a sentence.
const NAMES: &[(&str, &str)] = &[
    ("answer|answers", "response"),
    ("resend|resends", "retry"),
    ("gate|gates", "policy"),
    ("intent|intents", "policy request"),
    ("landing|landings", "guard"),
    ("fly", "refresh_now"),
    ("understand|understands", "coerce"),
    ("settle|settled|settles", "classify"),
    ("furnish", "configure"),
    ("judge|judges", "validate"),
    ("teller", "reporter"),
    ("salvaged", "orphaned"),
];

/// Names that have another meaning elsewhere.
const NAMES_IN: &[(&str, &str, &str)] = &[
    ("crates/sandbox/", "door|doors", "router"),
    ("crates/sandbox/", "mint|mints", "ids"),
    ("crates/sandbox/", "ledger|ledgers", "grants"),
    ("crates/sandbox/", "agenda|agendas", "calendars"),
    ("crates/sandbox/", "library", "files"),
    ("crates/cli/", "reach|reached", "target"),
    ("crates/cli/", "tell|told", "print"),
];
const SENTENCE: usize = 4;

/// A line for each place where one of them is used.
///
/// # Errors
/// Where a source is not Rust.
pub(crate) fn unused_words(files: &[File]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    // This list, and the history of releases.
    let own = [file!(), "CHANGELOG.md"];
    for file in files
        .iter()
        .filter(|file| !own.contains(&file.path.as_str()))
    {
        let mut reader = Reader {
            path: &file.path,
            faults: &mut faults,
        };
        if file.path.ends_with(".md") {
            reader.blocks(&file.text, |line| {
                Some(line).filter(|line| !line.trim().is_empty())
            });
        } else if file.path.ends_with(".rs") {
            reader.blocks(&file.text, |line| {
                let comment = line.trim_start().strip_prefix("//")?;
                Some(comment.trim_start_matches(['/', '!']))
            });
            let tokens: TokenStream = file
                .text
                .parse()
                .map_err(|error| anyhow!("{} is not Rust: {error}", file.path))?;
            let tests = file.path.contains("/tests/") || file.path.ends_with("tests.rs");
            reader.tokens(tokens, tests);
        }
    }
    Ok(faults)
}

struct Reader<'a> {
    path: &'a str,
    faults: &'a mut Vec<String>,
}

/// A word in lower case, or a mark, with its line.
type Word = (String, usize);

impl Reader<'_> {
    /// Neighbouring lines of text, as far as `text` finds some in a line; without blocks of code.
    fn blocks<'t>(&mut self, file: &'t str, text: impl Fn(&'t str) -> Option<&'t str>) {
        let mut block = Vec::new();
        let mut code = false;
        for (number, line) in file.lines().enumerate() {
            let found = text(line);
            let fence = found.is_some_and(|line| line.trim_start().starts_with("```"));
            code = code != fence;
            match found {
                Some(found) if !code && !fence => block.push((found, number + 1)),
                Some(_) => {}
                None => self.text(&std::mem::take(&mut block)),
            }
        }
        self.text(&block);
    }

    fn text(&mut self, lines: &[(&str, usize)]) {
        let mut words: Vec<Word> = Vec::new();
        let mut quote = None;
        for (line, number) in lines {
            let mut inside = false;
            for letter in line.chars() {
                match quote {
                    Some(end) if letter == end => quote = None,
                    Some(_) => {}
                    None if letter == '`' || letter == '"' => {
                        quote = Some(letter);
                        words.push((String::from("\""), *number));
                    }
                    None if letter.is_alphanumeric() || matches!(letter, '\'' | '_' | '-') => {
                        if !inside {
                            words.push((String::new(), *number));
                        }
                        if let Some((word, _)) = words.last_mut() {
                            word.extend(letter.to_lowercase());
                        }
                        inside = true;
                        continue;
                    }
                    None if letter.is_whitespace() => {}
                    None => words.push((String::from("."), *number)),
                }
                inside = false;
            }
        }
        if let Some((_, last)) = lines.last() {
            words.push((String::from("."), *last));
        }
        self.find(&words, EVERYWHERE);
    }

    fn tokens(&mut self, tokens: TokenStream, tests: bool) {
        let mut tests_follow = false;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => self.name(&name.to_string(), name.span().start().line),
                TokenTree::Literal(literal) if !tests => {
                    let text = literal.to_string();
                    if text.contains('"') {
                        let line = literal.span().start().line;
                        let text = text.trim_start_matches(['b', 'r', '#']);
                        let text = text.trim_matches(['#', '"']).replace("\\\"", "\"");
                        let lines: Vec<_> = text
                            .lines()
                            .enumerate()
                            .map(|(number, text)| (text, line + number))
                            .collect();
                        self.text(&lines);
                    }
                }
                TokenTree::Group(group) => {
                    let attribute = group.delimiter() == Delimiter::Bracket;
                    if attribute && is_for_tests(&group) {
                        tests_follow = true;
                    } else if !(attribute && is_comment_or_name(&group)) {
                        self.tokens(group.stream(), tests || tests_follow);
                        tests_follow &= group.delimiter() != Delimiter::Brace;
                    }
                }
                _ => {}
            }
        }
    }

    fn name(&mut self, name: &str, line: usize) {
        let mut words: Vec<Word> = vec![(String::from("."), line)];
        let mut before = '_';
        for letter in name.chars() {
            let begins = before == '_' || (letter.is_uppercase() && !before.is_uppercase());
            if letter != '_' {
                if begins {
                    words.push((String::new(), line));
                }
                if let Some((word, _)) = words.last_mut() {
                    word.extend(letter.to_lowercase());
                }
            }
            before = letter;
        }
        if words.len() > SENTENCE {
            self.find(&words, EVERYWHERE);
        } else {
            // Longer phrases are for sentences: `is_none` is a name.
            let short = EVERYWHERE
                .iter()
                .filter(|(pattern, _)| pattern.split(' ').count() < 3);
            self.find(&words, &short.copied().collect::<Vec<_>>());
            self.find(&words, NAMES);
            for (folder, pattern, instead) in NAMES_IN {
                if self.path.starts_with(folder) {
                    self.find(&words, &[(*pattern, *instead)]);
                }
            }
        }
    }

    fn find(&mut self, words: &[Word], patterns: &[(&str, &str)]) {
        for (pattern, instead) in patterns {
            let steps: Vec<&str> = pattern.split(' ').collect();
            for found in words.windows(steps.len()) {
                let same = |(step, (word, _)): (&&str, &Word)| matches(step, word);
                if steps.iter().zip(found).all(same) {
                    let said: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
                    let line = found[0].1;
                    let said = said.join(" ");
                    self.faults
                        .push(format!("{}:{line}: {said:?}; use: {instead}", self.path));
                }
            }
        }
    }
}

/// A comment is the attribute `doc`; `serde` says how something is called elsewhere.
fn is_comment_or_name(attribute: &Group) -> bool {
    let first = attribute.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if name == "doc" || name == "serde")
}

fn matches(step: &str, word: &str) -> bool {
    match step.strip_prefix('!') {
        Some(others) => others.split('|').all(|other| other != word),
        None => step.split('|').any(|known| known == word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_comments_strings_and_names() {
        let text = "//! Sent\n//! anew: \"it is no URL\", `nobody`.\n\n\
            /// The answer\n/// of the product alone; let alone:\n/// ```\n/// nobody\n/// ```\n\
            fn answer(x: SingleFlight) { bail!(\"this is no URL \\\"nobody\\\", which it has not\") }\n\
            fn an_answer_is_not_a_name_here() {}\n\
            #[cfg(test)]\nmod tests { const X: &str = \"nobody\"; #[serde(alias = \"paced\")] struct Verdict; }\n";
        assert_eq!(
            found("crates/core/src/a.rs", text),
            [
                "2: \"anew\"; use: again",
                "5: \"product alone\"; use: only",
                "4: \"the answer\"; use: response",
                "9: \"answer\"; use: response",
                "9: \"this is no url\"; use: is not a",
                "9: \"has not .\"; use: does not have",
                "10: \"an answer\"; use: response",
                "12: \"verdict\"; use: decision",
            ]
        );
    }

    #[test]
    fn a_page_is_read_without_its_code() {
        let text = "There is no way.\nIt\nis no number.\n\n```rust\n// nobody\n```\n\nCalls in flight, and `house`.\n";
        assert_eq!(
            found("docs/a.md", text),
            ["2: \"it is no number\"; use: is not a"]
        );
    }

    #[test]
    fn a_name_may_mean_something_elsewhere() {
        let text = "struct Ledger;\n";
        assert_eq!(
            found("crates/sandbox/src/a.rs", text),
            ["1: \"ledger\"; use: grants"]
        );
        assert!(found("crates/core/src/a.rs", text).is_empty());
    }

    fn found(path: &str, text: &str) -> Vec<String> {
        let faults = unused_words(&[File::of(path, text)]).unwrap();
        faults
            .iter()
            .map(|fault| fault.replace(&format!("{path}:"), ""))
            .collect()
    }
}
