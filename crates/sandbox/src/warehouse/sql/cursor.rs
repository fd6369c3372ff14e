//! A statement as tokens, read from left to right.

use sqlparser::{
    dialect::SnowflakeDialect,
    keywords::Keyword,
    tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Word},
};

use super::bindings::BoundValue;
use crate::warehouse::errors::SqlError;

/// Longest name, in characters (SQL reference, "Identifier requirements").
const LONGEST_NAME: usize = 255;

/// One statement, and how far it has been read.
#[derive(Debug, Clone)]
pub(in crate::warehouse) struct Cursor {
    tokens: Vec<TokenWithSpan>,
    at: usize,
    bindings: Vec<BoundValue>,
    bound: usize,
}

impl Cursor {
    /// The statements of a text. Spaces and comments are gone, and so are statements of nothing.
    pub(super) fn statements(sql: &str) -> Result<Vec<Self>, SqlError> {
        let tokens = Tokenizer::new(&SnowflakeDialect {}, sql)
            .tokenize_with_location()
            .map_err(|error| syntax(error.location, "<EOF>"))?;
        let significant = tokens
            .into_iter()
            .filter(|token| !matches!(token.token, Token::Whitespace(_)));
        let significant: Vec<TokenWithSpan> = significant.collect();
        let statements: Vec<Self> = significant
            .split(|token| token.token == Token::SemiColon)
            .filter(|tokens| !tokens.is_empty())
            .map(|tokens| Self {
                tokens: tokens.to_vec(),
                at: 0,
                bindings: Vec::new(),
                bound: 0,
            })
            .collect();
        if statements.is_empty() {
            return Err(SqlError::new(
                "000900",
                "42601",
                "SQL compilation error:\nEmpty SQL statement.",
            ));
        }
        Ok(statements)
    }

    /// The same with values for its placeholders.
    pub(super) fn with_bindings(mut self, bindings: &[BoundValue]) -> Self {
        self.bindings = bindings.to_vec();
        self
    }

    /// Passes a word that is not quoted.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(given)) if given.quote_style.is_none() && given.value.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    /// Passes several words, or none of them.
    pub(super) fn keywords(&mut self, words: &str) -> bool {
        let start = self.at;
        let found = words.split(' ').all(|word| self.keyword(word));
        if !found {
            self.at = start;
        }
        found
    }

    /// Passes a word that must be there.
    pub(super) fn expect(&mut self, words: &str) -> Result<(), SqlError> {
        if self.keywords(words) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Passes a sign.
    pub(super) fn symbol(&mut self, symbol: &Token) -> bool {
        let found = self.peek() == Some(symbol);
        self.at += usize::from(found);
        found
    }

    /// Passes a sign that must be there.
    pub(super) fn expect_symbol(&mut self, symbol: &Token) -> Result<(), SqlError> {
        if self.symbol(symbol) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// A name: in double quotes as it is, otherwise in upper case.
    pub(super) fn name(&mut self) -> Result<String, SqlError> {
        let Some(Token::Word(word)) = self.peek() else {
            return Err(self.unexpected());
        };
        let name = match word.quote_style {
            Some('"') => word.value.clone(),
            None if is_plain(word) => word.value.to_uppercase(),
            _ => return Err(self.unexpected()),
        };
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(name)
    }

    /// Names with dots between them.
    pub(super) fn path(&mut self) -> Result<Vec<String>, SqlError> {
        let mut names = vec![self.name()?];
        while self.symbol(&Token::Period) {
            names.push(self.name()?);
        }
        Ok(names)
    }

    /// A string constant.
    pub(super) fn text(&mut self) -> Result<String, SqlError> {
        let Some(Token::SingleQuotedString(text)) = self.peek() else {
            return Err(self.unexpected());
        };
        let text = text.clone();
        self.at += 1;
        Ok(text)
    }

    /// A number as it is written.
    pub(super) fn number(&mut self) -> Option<String> {
        let Some(Token::Number(digits, false)) = self.peek() else {
            return None;
        };
        let digits = digits.clone();
        self.at += 1;
        Some(digits)
    }

    /// The value of the next placeholder, if there is one.
    pub(super) fn placeholder(&mut self) -> Result<Option<BoundValue>, SqlError> {
        let found = matches!(self.peek(), Some(Token::Placeholder(symbol)) if symbol == "?");
        if !found {
            return Ok(None);
        }
        self.at += 1;
        self.bound += 1;
        match self.bindings.get(self.bound - 1) {
            Some(bound) => Ok(Some(bound.clone())),
            None => Err(SqlError::new(
                "002049",
                "42601",
                format!(
                    "SQL compilation error: error line 1 at position 0\nBind variable ? not set. ({})",
                    self.bound
                ),
            )),
        }
    }

    /// The token to be read next.
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|token| &token.token)
    }

    /// Whether the token after the next one is this sign.
    pub(super) fn then(&self, symbol: &Token) -> bool {
        self.tokens
            .get(self.at + 1)
            .is_some_and(|token| token.token == *symbol)
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), SqlError> {
        if self.peek().is_none() {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// A syntax error at the next token.
    pub(super) fn unexpected(&self) -> SqlError {
        match self.tokens.get(self.at) {
            Some(token) => syntax(token.span.start, &token.token.to_string()),
            None => {
                let end = self
                    .tokens
                    .last()
                    .map_or(Location::new(1, 1), |token| token.span.end);
                syntax(end, "<EOF>")
            }
        }
    }
}

fn syntax(location: Location, token: &str) -> SqlError {
    let message = format!(
        "SQL compilation error:\nsyntax error line {} at position {} unexpected '{token}'.",
        location.line,
        location.column.saturating_sub(1)
    );
    SqlError::new("001003", "42000", message)
}

/// Whether a word without quotes is a name: words of the language are not.
fn is_plain(word: &Word) -> bool {
    const RESERVED: [Keyword; 14] = [
        Keyword::SELECT,
        Keyword::FROM,
        Keyword::WHERE,
        Keyword::ORDER,
        Keyword::GROUP,
        Keyword::BY,
        Keyword::LIKE,
        Keyword::ILIKE,
        Keyword::IN,
        Keyword::ON,
        Keyword::AND,
        Keyword::LEFT,
        Keyword::JOIN,
        Keyword::UNION,
    ];
    !RESERVED.contains(&word.keyword)
}
