//! From a text to parsed statements.

use sqlparser::{
    ast::Statement,
    dialect::SnowflakeDialect,
    parser::{Parser, ParserError},
    tokenizer::{Location, Token, TokenWithSpan, Tokenizer},
};

use super::{
    cursor::Cursor,
    names::{LONGEST_NAME, encode},
};
use crate::warehouse::errors::SqlError;

/// The tokens of one statement, without spaces and comments.
#[derive(Debug, Clone)]
pub(in crate::warehouse) struct Text(Vec<TokenWithSpan>);

/// The statements of a text, by the semicolons between them.
pub(in crate::warehouse) fn split(sql: &str) -> Result<Vec<Text>, SqlError> {
    let tokens = Tokenizer::new(&SnowflakeDialect {}, sql)
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
    /// A statement that begins with SHOW, behind that word.
    pub(super) fn show(&self) -> Option<Cursor> {
        let mut cursor = Cursor::new(self.0.clone());
        cursor.keyword("SHOW").then_some(cursor)
    }

    /// The parsed statement: quoted names are encoded, and `?` are numbered from 1. `bound` is how many values
    /// there are for them.
    pub(super) fn parse(&self, bound: usize) -> Result<Statement, SqlError> {
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
        let end = tokens
            .last()
            .map_or(Location::new(1, 1), |token| token.span.end);
        let mut parser = Parser::new(&SnowflakeDialect {}).with_tokens_with_locations(tokens);
        let parsed = parser
            .parse_statement()
            .map_err(|error| unexpected(&error, end))?;
        let rest = parser.peek_token();
        if rest.token != Token::EOF {
            return Err(SqlError::syntax(rest.span.start, &rest.token.to_string()));
        }
        if placeholders > bound {
            let message = format!(
                "SQL compilation error: error line 1 at position 0\nBind variable ? not set. ({})",
                bound + 1
            );
            return Err(SqlError::new("002049", "42601", message));
        }
        Ok(parsed)
    }
}

/// The library's `Expected: a, found: b at Line: 1, Column: 8` in Snowflake's words.
fn unexpected(error: &ParserError, end: Location) -> SqlError {
    let text = error.to_string();
    let found = text.rsplit_once("found: ").map_or("", |(_, found)| found);
    let Some((token, place)) = found.rsplit_once(" at Line: ") else {
        return SqlError::syntax(end, "<EOF>");
    };
    let place = place
        .split_once(", Column: ")
        .and_then(|(line, column)| Some(Location::new(line.parse().ok()?, column.parse().ok()?)));
    SqlError::syntax(place.unwrap_or(end), token)
}
