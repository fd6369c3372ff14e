//! Parses statements and the names in them.

use sqlparser::{
    ast::{Ident, ObjectName, Statement},
    dialect::SnowflakeDialect,
    parser::{Parser, ParserError},
    tokenizer::{Location, Token, TokenWithSpan, Tokenizer},
};

use crate::warehouse::errors::SqlError;

/// The longest name, in characters (SQL reference, "Identifier requirements").
const LONGEST_NAME: usize = 255;

static DIALECT: SnowflakeDialect = SnowflakeDialect {};

/// The tokens of one statement, without spaces and comments.
#[derive(Debug, Clone)]
pub(in crate::warehouse) struct Text(Vec<TokenWithSpan>);

/// Splits a text into statements at its semicolons.
pub(in crate::warehouse) fn split(sql: &str) -> Result<Vec<Text>, SqlError> {
    let tokens = Tokenizer::new(&DIALECT, sql)
        .tokenize_with_location()
        .map_err(|error| SqlError::syntax(error.location, "<EOF>"))?;
    let significant = tokens
        .into_iter()
        .filter(|token| !matches!(token.token, Token::Whitespace(_)));
    let significant: Vec<TokenWithSpan> = significant.collect();
    let statements: Vec<Text> = significant
        .split(|token| token.token == Token::SemiColon)
        .filter(|tokens| !tokens.is_empty())
        .map(|tokens| Text(tokens.to_vec()))
        .collect();
    if statements.is_empty() {
        let message = "SQL compilation error:\nEmpty SQL statement.";
        return Err(SqlError::new("000900", "42601", message));
    }
    Ok(statements)
}

impl Text {
    /// A parser with encoded names for quoted ones and with numbered `?`. Also returns how many `?` there are.
    pub(super) fn reader(&self) -> Result<(Parser<'static>, usize), SqlError> {
        let mut tokens = self.0.clone();
        let mut placeholders = 0;
        for token in &mut tokens {
            let start = token.span.start;
            match &mut token.token {
                Token::Word(word) if word.quote_style == Some('"') => {
                    if word.value.is_empty() || word.value.chars().count() > LONGEST_NAME {
                        return Err(SqlError::syntax(start, &format!("\"{}\"", word.value)));
                    }
                    word.value = encode(&word.value);
                }
                Token::Placeholder(text) if text == "?" => {
                    placeholders += 1;
                    *text = format!("?{placeholders}");
                }
                _ => {}
            }
        }
        let reader = Parser::new(&DIALECT).with_tokens_with_locations(tokens);
        Ok((reader, placeholders))
    }

    /// Parses the statement. `bound` is the number of values for its `?`.
    pub(super) fn parse(&self, bound: usize) -> Result<Statement, SqlError> {
        let (mut reader, placeholders) = self.reader()?;
        let parsed = reader.parse_statement();
        let parsed = parsed.map_err(|error| self.unexpected(&error))?;
        end(&reader)?;
        if placeholders > bound {
            let message = format!(
                "SQL compilation error: error line 1 at position 0\nBind variable ? not set. ({})",
                bound + 1
            );
            return Err(SqlError::new("002049", "42601", message));
        }
        Ok(parsed)
    }

    /// Turns sqlparser's `Expected: a, found: b at Line: 1, Column: 8` into Snowflake's error.
    pub(super) fn unexpected(&self, error: &ParserError) -> SqlError {
        let end = self.0.last().map(|token| token.span.end);
        let end = end.unwrap_or(Location::new(1, 1));
        let text = error.to_string();
        let found = text.rsplit_once("found: ").map_or("", |(_, found)| found);
        let Some((token, place)) = found.rsplit_once(" at Line: ") else {
            return SqlError::syntax(end, "<EOF>");
        };
        let place = place.split_once(", Column: ").and_then(|(line, column)| {
            Some(Location::new(line.parse().ok()?, column.parse().ok()?))
        });
        SqlError::syntax(place.unwrap_or(end), token)
    }
}

/// Checks that nothing is left.
pub(super) fn end(reader: &Parser<'_>) -> Result<(), SqlError> {
    let rest = reader.peek_token();
    if rest.token == Token::EOF {
        return Ok(());
    }
    Err(SqlError::syntax(rest.span.start, &rest.token.to_string()))
}

/// Encodes a quoted name for SQLite, which ignores case. A small ASCII letter becomes `~` and the capital, so that
/// `"id"` and `ID` differ. A name without quotes is in capitals, and doesn't change.
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

/// Decodes an encoded name.
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

/// The name in an identifier of a parsed statement. Quoted names were encoded.
pub(super) fn name_of(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => decode(&ident.value),
        None => ident.value.to_uppercase(),
    }
}

/// The names in an object's name, outermost first.
pub(super) fn path_of(name: &ObjectName) -> Vec<String> {
    let parts = name.0.iter().filter_map(|part| part.as_ident());
    parts.map(name_of).collect()
}

/// The identifier for this name in SQLite.
pub(super) fn ident(name: &str) -> Ident {
    Ident::with_quote('"', encode(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_kept_although_sqlite_ignores_it() {
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
