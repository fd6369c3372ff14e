//! The query language of `q` (Drive API, "Search query terms and operators").
//!
//! The sandbox supports `name`, `fullText`, `mimeType`, `createdTime`, `modifiedTime`, `trashed`, `starred`,
//! `sharedWithMe`, `parents`, `owners`, `writers` and `readers`. It refuses the rest of the language with 501 instead
//! of returning a wrong response, and everything else with 400. `and` and `or` have the same precedence.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::{count, phrases, starts_with_words, words as words_of};
use crate::google::{
    ApiError,
    world::files::{File, Files},
};

/// Terms that the sandbox doesn't support.
const UNSUPPORTED: [&str; 8] = [
    "viewedByMeTime",
    "sharedWithMeTime",
    "properties",
    "appProperties",
    "visibility",
    "shortcutDetails.targetId",
    "memberCount",
    "labels",
];

/// A parsed query. An empty one matches every file.
#[derive(Debug)]
pub(super) struct Query(Option<Node>);

#[derive(Debug)]
enum Node {
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Not(Box<Self>),
    Term(Term),
}

#[derive(Debug)]
enum Term {
    NameBegins(Vec<String>),
    NameIs(String),
    FullText(Vec<Vec<String>>),
    TypeContains(String),
    TypeIs(String),
    Created(&'static str, Timestamp),
    Modified(&'static str, Timestamp),
    Trashed(bool),
    Starred(bool),
    SharedWithMe(bool),
    Parent(String),
    Owner(String),
    Writer(String),
    Reader(String),
}

impl Query {
    pub(super) fn parse(text: &str) -> Result<Self, ApiError> {
        if text.trim().is_empty() {
            return Ok(Self(None));
        }
        let tokens = tokens(text).ok_or_else(invalid_query)?;
        let mut reader = Reader {
            tokens: tokens.into_iter().peekable(),
        };
        let node = reader.expression()?;
        match reader.tokens.next() {
            None => Ok(Self(Some(node))),
            Some(_) => Err(invalid_query()),
        }
    }

    /// Whether it has a `fullText` term.
    pub(super) fn uses_full_text(&self) -> bool {
        self.0.as_ref().is_some_and(Node::uses_full_text)
    }

    /// Whether the query finds a file.
    pub(super) fn matches(&self, files: &Files, me: &str, file: &File) -> bool {
        self.0
            .as_ref()
            .is_none_or(|node| node.matches(files, me, file))
    }

    /// How well a file matches the `fullText` terms: how often their words occur.
    pub(super) fn relevance(&self, file: &File) -> usize {
        self.0
            .as_ref()
            .map_or(0, |node| node.relevance(&indexed(file)))
    }
}

impl Node {
    fn uses_full_text(&self) -> bool {
        match self {
            Self::And(one, other) | Self::Or(one, other) => {
                one.uses_full_text() || other.uses_full_text()
            }
            Self::Not(node) => node.uses_full_text(),
            Self::Term(term) => matches!(term, Term::FullText(_)),
        }
    }

    fn matches(&self, files: &Files, me: &str, file: &File) -> bool {
        match self {
            Self::And(one, other) => one.matches(files, me, file) && other.matches(files, me, file),
            Self::Or(one, other) => one.matches(files, me, file) || other.matches(files, me, file),
            Self::Not(node) => !node.matches(files, me, file),
            Self::Term(term) => term.matches(files, me, file),
        }
    }

    fn relevance(&self, words: &[String]) -> usize {
        match self {
            Self::And(one, other) | Self::Or(one, other) => {
                one.relevance(words) + other.relevance(words)
            }
            Self::Term(Term::FullText(phrases)) => {
                phrases.iter().map(|phrase| count(words, phrase)).sum()
            }
            Self::Not(_) | Self::Term(_) => 0,
        }
    }
}

impl Term {
    fn matches(&self, files: &Files, me: &str, file: &File) -> bool {
        let own = file.owner.as_deref() == Some(me);
        match self {
            Self::NameBegins(words) => starts_with_words(&words_of(&file.name), words),
            Self::NameIs(name) => file.name.to_lowercase() == name.to_lowercase(),
            Self::FullText(phrases) => {
                let words = indexed(file);
                !phrases.is_empty() && phrases.iter().all(|phrase| count(&words, phrase) > 0)
            }
            Self::TypeContains(part) => file.mime_type.starts_with(part.as_str()),
            Self::TypeIs(kind) => file.mime_type == *kind,
            Self::Created(sign, at) => compare_times(file.created, sign, *at),
            Self::Modified(sign, at) => compare_times(file.modified, sign, *at),
            Self::Trashed(wanted) => file.trashed == *wanted,
            Self::Starred(wanted) => (file.starred && own) == *wanted,
            Self::SharedWithMe(wanted) => (!own && file.drive.is_none()) == *wanted,
            Self::Parent(id) if id == "root" => files
                .root(me)
                .is_some_and(|root| file.parents.contains(&root.id)),
            Self::Parent(id) => file.parents.contains(id),
            Self::Owner(email) => file.owner.as_deref() == Some(person(email, me)),
            Self::Writer(email) => files.may_change(file, person(email, me)),
            Self::Reader(email) => files.may_see(file, person(email, me)),
        }
    }
}

/// `me` means the caller.
fn person<'a>(email: &'a str, me: &'a str) -> &'a str {
    if email == "me" { me } else { email }
}

/// The words that a full-text search finds: in the name, the description and the content.
fn indexed(file: &File) -> Vec<String> {
    let description = file.description.as_deref().unwrap_or_default();
    words_of(&format!("{} {description} {}", file.name, file.text))
}

fn compare_times(given: Timestamp, sign: &str, wanted: Timestamp) -> bool {
    match sign {
        "<" => given < wanted,
        "<=" => given <= wanted,
        ">" => given > wanted,
        ">=" => given >= wanted,
        _ => given == wanted,
    }
}

struct Reader {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl Reader {
    fn expression(&mut self) -> Result<Node, ApiError> {
        let mut node = self.operand()?;
        loop {
            let join = if self.take_keyword("and") {
                Node::And
            } else if self.take_keyword("or") {
                Node::Or
            } else {
                return Ok(node);
            };
            node = join(Box::new(node), Box::new(self.operand()?));
        }
    }

    fn operand(&mut self) -> Result<Node, ApiError> {
        if self.take_keyword("not") {
            return Ok(Node::Not(Box::new(self.operand()?)));
        }
        match self.tokens.next() {
            Some(Token::Open) => {
                let node = self.expression()?;
                match self.tokens.next() {
                    Some(Token::Close) => Ok(node),
                    _ => Err(invalid_query()),
                }
            }
            Some(Token::Text(value)) if self.take_keyword("in") => match self.tokens.next() {
                Some(Token::Word(field)) => member(&field, value).map(Node::Term),
                _ => Err(invalid_query()),
            },
            Some(Token::Word(field)) => self.comparison(&field),
            _ => Err(invalid_query()),
        }
    }

    fn comparison(&mut self, field: &str) -> Result<Node, ApiError> {
        if UNSUPPORTED.contains(&field) {
            return Err(ApiError::unimplemented(format!(
                "The sandbox does not support the query term {field}."
            )));
        }
        let operator = match self.tokens.next() {
            Some(Token::Sign(sign)) => sign,
            Some(Token::Word(word)) if word == "contains" => "contains",
            _ => return Err(invalid_query()),
        };
        let value = self.tokens.next().ok_or_else(invalid_query)?;
        let negated = operator == "!=" && !field.ends_with("Time");
        let operator = if negated { "=" } else { operator };
        let term = Node::Term(term(field, operator, value)?);
        Ok(if negated {
            Node::Not(Box::new(term))
        } else {
            term
        })
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let is_keyword = |token: &Token| matches!(token, Token::Word(word) if word == keyword);
        self.tokens.next_if(is_keyword).is_some()
    }
}

fn term(field: &str, operator: &'static str, value: Token) -> Result<Term, ApiError> {
    Ok(match (field, operator, value) {
        ("name", "contains", Token::Text(text)) => Term::NameBegins(words_of(&text)),
        ("name", "=", Token::Text(text)) => Term::NameIs(text),
        ("fullText", "contains", Token::Text(text)) => Term::FullText(phrases(&text)),
        ("mimeType", "contains", Token::Text(text)) => Term::TypeContains(text),
        ("mimeType", "=", Token::Text(text)) => Term::TypeIs(text),
        ("createdTime", "contains", _) | ("modifiedTime", "contains", _) => {
            return Err(invalid_query());
        }
        ("createdTime", sign, Token::Text(text)) => Term::Created(sign, moment(&text)?),
        ("modifiedTime", sign, Token::Text(text)) => Term::Modified(sign, moment(&text)?),
        ("trashed", "=", value) => Term::Trashed(truth(&value)?),
        ("starred", "=", value) => Term::Starred(truth(&value)?),
        ("sharedWithMe", "=", value) => Term::SharedWithMe(truth(&value)?),
        _ => return Err(invalid_query()),
    })
}

/// `value in field`.
fn member(field: &str, value: String) -> Result<Term, ApiError> {
    Ok(match field {
        "parents" => Term::Parent(value),
        "owners" => Term::Owner(value),
        "writers" => Term::Writer(value),
        "readers" => Term::Reader(value),
        _ => return Err(invalid_query()),
    })
}

fn truth(value: &Token) -> Result<bool, ApiError> {
    match value {
        Token::Word(word) if word == "true" => Ok(true),
        Token::Word(word) if word == "false" => Ok(false),
        _ => Err(invalid_query()),
    }
}

/// Parses an RFC 3339 time. Without an offset it's UTC, and without a time it's midnight.
fn moment(text: &str) -> Result<Timestamp, ApiError> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let civil: DateTime = text.parse().map_err(|_| invalid_query())?;
    let zoned = civil.to_zoned(TimeZone::UTC).map_err(|_| invalid_query())?;
    Ok(zoned.timestamp())
}

fn invalid_query() -> ApiError {
    ApiError::invalid_value("q")
}

/// A token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    /// A field, an operator in letters, `true` or `false`.
    Word(String),
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`.
    Sign(&'static str),
    /// A quoted text, without its backslashes.
    Text(String),
}

const SIGNS: [&str; 6] = ["!=", "<=", ">=", "=", "<", ">"];

/// Splits a query into tokens. `None` if a quote isn't closed, or a character isn't allowed.
fn tokens(query: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = match first {
            '(' => (Token::Open, &rest[1..]),
            ')' => (Token::Close, &rest[1..]),
            '\'' | '"' => text_token(&rest[1..], first)?,
            letter if letter.is_ascii_alphabetic() => word_token(rest),
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

fn word_token(rest: &str) -> (Token, &str) {
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
    (Token::Word(word.to_owned()), behind)
}

fn text_token(rest: &str, quote: char) -> Option<(Token, &str)> {
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

    /// Names of the files that Ada finds, in alphabetical order.
    fn found(query: &str) -> Vec<String> {
        let files = Files::seeded();
        let query = Query::parse(query).unwrap_or_else(|_| panic!("{query}"));
        let me = "ada@example.com";
        let mut names: Vec<String> = files
            .all
            .iter()
            .filter(|file| {
                !file.is_root && files.may_see(file, me) && query.matches(&files, me, file)
            })
            .map(|file| file.name.clone())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn terms_find_matching_files() {
        for (query, names) in [
            ("name contains 'hello'", &["HelloWorld.txt"][..]),
            ("name contains 'World'", &[]),
            (
                "name = 'quinn\\'s paper\\\\essay.txt'",
                &["quinn's paper\\essay.txt"],
            ),
            ("name contains 'trashed = true'", &["trashed = true.txt"]),
            ("trashed = true", &["Old budget.txt"]),
            ("fullText contains '\"bernoulli numbers\"'", &["Note G.pdf"]),
            ("fullText contains 'Hello'", &[]),
            ("mimeType contains 'image/'", &["card 12.png"]),
            (
                "'root' in parents and mimeType = 'application/vnd.google-apps.folder'",
                &["Engine"],
            ),
            ("sharedWithMe = true", &["Guest list", "Moth log"]),
            (
                "'grace@example.com' in owners and not mimeType contains 'application/vnd.google-apps.sp'",
                &["Moth log"],
            ),
            (
                "'grace@example.com' in writers and 'me' in owners",
                &["Budget 2026"],
            ),
            ("starred != false", &["card 12.png"]),
            (
                "modifiedTime > '2026-05-02T07:45:00' and modifiedTime <= '2026-05-02T10:00:00+02:00'",
                &["Budget"],
            ),
            (
                "name = 'Budget' and trashed = true or name = 'HelloWorld.txt'",
                &["HelloWorld.txt"],
            ),
            (
                "name = 'HelloWorld.txt' or name = 'Budget' and trashed = true",
                &[],
            ),
            (
                "name = 'HelloWorld.txt' or (name = 'Budget' and trashed = true)",
                &["HelloWorld.txt"],
            ),
        ] {
            assert_eq!(found(query), names, "{query}");
        }
    }

    #[test]
    fn invalid_queries_are_refused() {
        for query in [
            "name",
            "name contains",
            "name contains hello",
            "Name contains 'hello'",
            "name like 'hello'",
            "name < 'hello'",
            "fullText = 'hello'",
            "trashed = 'true'",
            "trashed = maybe",
            "'a' in name",
            "modifiedTime > 'yesterday'",
            "name = 'a' name = 'b'",
            "name = 'a' and",
            "(name = 'a'",
            "name = 'a')",
            "name = 'it's'",
            "()",
        ] {
            assert!(Query::parse(query).is_err(), "{query}");
        }
    }

    #[test]
    fn quoted_text_can_have_any_character() {
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
