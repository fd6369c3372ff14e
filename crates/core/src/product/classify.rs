//! What a request to a product is, for rules: its effect, and whom and what it concerns.

use http::Method;

use crate::tool::Effect;

/// A request as it goes to the product, but for the user's token.
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
    /// The whole body; `None` where it is not at hand, because it is streamed.
    pub body: Option<&'a [u8]>,
}

/// What a request is. What cannot be read from it is said as such, so that a rule about it refuses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classification {
    /// What it does, where the method does not say so.
    pub effect: Option<Effect>,
    /// What it concerns.
    pub facts: Vec<Fact>,
}

/// One thing that a request concerns, such as a recipient of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Which kind of thing, one of [`Product::fact_kinds`](super::Product::fact_kinds): `recipient`.
    pub kind: &'static str,
    /// Which one, such as `ada@example.com`; `None` where the request has one that cannot be read from it.
    pub value: Option<String>,
}

impl Classification {
    /// Says what it does.
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

    /// Adds that the request may concern something of this kind, but does not say what.
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
    /// What it is and what a value looks like, in one sentence.
    pub description: &'static str,
}
