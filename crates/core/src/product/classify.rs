//! Facts about a request to a product, for policies: its effect, and the people and things that it concerns.

use http::Method;

use crate::tool::Effect;

/// A request to the product, without the user's token.
#[derive(Debug, Clone, Copy)]
pub struct SentRequest<'a> {
    /// HTTP method.
    pub method: &'a Method,
    /// Path at the product's host, encoded, with the base of the origin: `/calendar/v3/calendars/primary/events`.
    pub path: &'a str,
    /// Query without the question mark.
    pub query: Option<&'a str>,
    /// The header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The whole body. `None` if it's streamed or compressed.
    pub body: Option<&'a [u8]>,
}

/// Facts of a request. Facts that can't be determined are marked, so rules about them deny the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classification {
    /// Its effect, if the method doesn't determine it.
    pub effect: Option<Effect>,
    /// The things that it concerns.
    pub facts: Vec<Fact>,
}

/// One thing that a request concerns, such as a recipient of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Kind of fact, one of [`Product::fact_kinds`](super::Product::fact_kinds), such as `recipient`.
    pub kind: &'static str,
    /// Value, such as `ada@example.com`. `None` if it can't be determined.
    pub value: Option<String>,
}

impl Classification {
    /// Sets its effect.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn fact(mut self, kind: &'static str, value: impl Into<String>) -> Self {
        let value = Some(value.into());
        self.facts.push(Fact { kind, value });
        self
    }

    /// Adds that the request may concern something of this kind, but doesn't say which.
    #[must_use]
    pub fn unknown(mut self, kind: &'static str) -> Self {
        self.facts.push(Fact { kind, value: None });
        self
    }
}

/// A kind of facts, for the rules that name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactKind {
    /// Its name in rules, one lower-case word: `recipient`.
    pub name: &'static str,
    /// Its meaning and the form of a value, in one sentence.
    pub description: &'static str,
}
