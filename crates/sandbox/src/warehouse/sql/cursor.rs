//! A SHOW as tokens, read from left to right: what it may say is written here, token by token, so that nothing is
//! passed over.

use sqlparser::{
    keywords::Keyword,
    tokenizer::{Location, Token, TokenWithSpan, Word},
};

use super::names::LONGEST_NAME;
use crate::warehouse::errors::SqlError;

/// One statement, and how far it has been read.
#[derive(Debug)]
pub(super) struct Cursor {
    tokens: Vec<TokenWithSpan>,
    at: usize,
}

impl Cursor {
    /// A statement from its beginning.
    pub(super) fn new(tokens: Vec<TokenWithSpan>) -> Self {
        Self { tokens, at: 0 }
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

    /// A number.
    pub(super) fn number(&mut self) -> Result<(), SqlError> {
        let Some(Token::Number(..)) = self.peek() else {
            return Err(self.unexpected());
        };
        self.at += 1;
        Ok(())
    }

    /// The token to be read next.
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|token| &token.token)
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
            Some(token) => SqlError::syntax(token.span.start, &token.token.to_string()),
            None => {
                let end = self
                    .tokens
                    .last()
                    .map_or(Location::new(1, 1), |token| token.span.end);
                SqlError::syntax(end, "<EOF>")
            }
        }
    }
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
