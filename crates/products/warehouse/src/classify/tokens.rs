//! Splits SQL into tokens as Snowflake does. If the end of a comment, a text or a statement is ambiguous, the SQL isn't
//! read at all.
//!
//! Source: SQL reference, "String & binary data types" (constants), "Identifier requirements", "Comments".

/// Most bytes of SQL to read.
const LONGEST: usize = 128 * 1024;
/// Deepest nesting of brackets.
const DEEPEST: usize = 24;
/// Most operators that can be nested in a statement's syntax tree.
const MOST_OPERATORS: usize = 300;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word in upper case.
    Word(String),
    /// A name in double quotes.
    Quoted(String),
    /// A text constant, as written between its quotes.
    Text(String),
    /// A number.
    Number,
    /// Any other character.
    Mark(char),
}

impl Token {
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }
    pub(super) fn is_mark(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }
}

/// A statement.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) tokens: Vec<Token>,
    /// The SQL without comments, in which every text constant is `'s'`.
    pub(super) sql: String,
    /// The position after the last token in the original SQL.
    pub(super) end: usize,
}

impl Statement {
    /// Whether the statement begins with this word.
    pub(super) fn begins_with(&self, word: &str) -> bool {
        self.tokens.first().is_some_and(|first| first.is_word(word))
    }
}

/// The statements in a text; `None` if there are none, or if they can't be read with certainty.
pub(super) fn statements(sql: &str) -> Option<Vec<Statement>> {
    if sql.len() > LONGEST {
        return None;
    }
    let mut statements = vec![Statement::default()];
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let current = statements.last_mut()?;
        rest = match first {
            ' ' | '\t' | '\n' | '\r' => {
                current.sql.push(' ');
                &rest[1..]
            }
            ';' => {
                statements.push(Statement::default());
                &rest[1..]
            }
            _ => match after_comment(rest)? {
                Some(after) => {
                    current.sql.push(' ');
                    after
                }
                None => {
                    let after = token(current, rest)?;
                    current.end = sql.len() - after.len();
                    after
                }
            },
        };
    }
    statements.retain(|statement| !statement.tokens.is_empty());
    let is_sound = !statements.is_empty() && statements.iter().all(|one| is_flat(&one.tokens));
    is_sound.then_some(statements)
}

/// The rest after a comment, if there is one. Comments don't nest.
fn after_comment(text: &str) -> Option<Option<&str>> {
    if text.starts_with("--") || text.starts_with("//") {
        let end = text.find('\n').unwrap_or(text.len());
        let comment = &text[..end];
        let comment = comment.strip_suffix('\r').unwrap_or(comment);
        // Line ends that not every parser knows.
        let ends = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
        return (!comment.contains(ends)).then(|| Some(&text[end..]));
    }
    if let Some(inner) = text.strip_prefix("/*") {
        let (comment, after) = inner.split_once("*/")?;
        return (!comment.contains("/*") && !comment.ends_with('/')).then_some(Some(after));
    }
    Some(None)
}

/// Adds the next token, and returns the rest.
fn token<'a>(statement: &mut Statement, text: &'a str) -> Option<&'a str> {
    let first = text.chars().next()?;
    let before = statement.sql.bytes().last().unwrap_or(b' ');
    let is_joined = before.is_ascii_alphanumeric() || matches!(before, b'_' | b'$' | b'\'' | b'"');
    let in_word = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '$');
    let (token, sql, rest) = match first {
        // A prefix, or two constants in a row, can be read in more than one way.
        '\'' | '"' if is_joined => return None,
        '\'' => {
            let rest = after_text(&text[1..])?;
            let end = text.len() - rest.len() - 1;
            (Token::Text(text[1..end].to_owned()), "'s'", rest)
        }
        '"' => {
            let (name, rest) = quoted(&text[1..])?;
            (Token::Quoted(name), &text[..text.len() - rest.len()], rest)
        }
        '$' if text.starts_with("$$") => {
            let (inner, rest) = text[2..].split_once("$$").filter(|_| !is_joined)?;
            (Token::Text(inner.to_owned()), "'s'", rest)
        }
        _ if first.is_ascii_alphabetic() || first == '_' => {
            let end = text.find(|one| !in_word(one)).unwrap_or(text.len());
            let word = &text[..end];
            if word.contains("$$") {
                return None;
            }
            (Token::Word(word.to_ascii_uppercase()), word, &text[end..])
        }
        _ if first.is_ascii_digit() => {
            let end = number(text);
            if text[end..].starts_with(in_word) {
                return None;
            }
            (Token::Number, &text[..end], &text[end..])
        }
        // Chained statements, each of which works on the previous result.
        '-' if text.starts_with("->>") => return None,
        '|' if text.starts_with("|>") => return None,
        '(' | ')' | '[' | ']' | '{' | '}' | ',' | '.' | ':' | '=' | '<' | '>' | '!' | '+' | '-'
        | '*' | '/' | '%' | '|' | '?' | '@' | '$' | '~' => {
            (Token::Mark(first), &text[..1], &text[1..])
        }
        _ => return None,
    };
    statement.tokens.push(token);
    statement.sql.push_str(sql);
    Some(rest)
}

/// The rest after a text in single quotes, in which a backslash escapes the next character.
fn after_text(text: &str) -> Option<&str> {
    let mut letters = text.char_indices();
    loop {
        match letters.next()? {
            (_, '\\') => _ = letters.next()?,
            (at, '\'') => {
                let rest = &text[at + 1..];
                if !rest.starts_with('\'') {
                    return Some(rest);
                }
                letters.next();
            }
            _ => {}
        }
    }
}

/// A name in double quotes, and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut letters = text.char_indices();
    loop {
        if let (at, '"') = letters.next()? {
            let rest = &text[at + 1..];
            if !rest.starts_with('"') {
                let name = text[..at].replace("\"\"", "\"");
                return (!name.is_empty() && !name.contains('\0')).then_some((name, rest));
            }
            letters.next();
        }
    }
}

/// The position after a number.
fn number(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = &text[from..];
        from + rest
            .find(|one: char| !one.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    let exponent = text[end..].strip_prefix(['e', 'E']);
    if let Some(exponent) = exponent {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    end
}

/// Whether the statement's syntax tree is flat enough to be walked.
fn is_flat(tokens: &[Token]) -> bool {
    let mut open = vec![0];
    let mut joined = 0;
    for token in tokens {
        let operators = match token {
            Token::Mark('(' | '[' | '{') => {
                open.push(0);
                continue;
            }
            Token::Mark(')' | ']' | '}') if open.len() > 1 => {
                open.pop();
                continue;
            }
            Token::Mark(')' | ']' | '}') => return false,
            Token::Mark(',') => {
                if let Some(last) = open.last_mut() {
                    *last = 0;
                }
                continue;
            }
            Token::Mark('.') | Token::Quoted(_) | Token::Text(_) | Token::Number => 0,
            Token::Mark(_) => 1,
            Token::Word(word) => match word.as_str() {
                "UNION" | "EXCEPT" | "MINUS" | "INTERSECT" => {
                    joined += 1;
                    0
                }
                "AND" | "OR" | "NOT" | "LIKE" | "ILIKE" | "RLIKE" | "IN" | "IS" | "BETWEEN"
                | "COLLATE" | "CASE" | "ARRAY" | "MAP" | "DIV" | "REGEXP" | "PRIOR" => 1,
                _ => 0,
            },
        };
        if let Some(last) = open.last_mut() {
            *last += operators;
        }
        if open.len() > DEEPEST || joined + open.iter().sum::<usize>() > MOST_OPERATORS {
            return false;
        }
    }
    open.len() == 1
}
