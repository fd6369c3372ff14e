//! How a request to a product can fail before there is a whole response.

use std::fmt;

/// How far a request came before it failed; decides whether a retry is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The request cannot be sent as given.
    Refused,
    /// No connection came about: nothing was sent.
    Unreachable,
    /// This process has no file descriptors or ports left for a connection: nothing was sent.
    Exhausted,
    /// The request's own body broke off or came too slowly: the server did not get a whole request.
    Incomplete,
    /// The request may have been sent; the time was up.
    TimedOut,
    /// The request may have been sent; the connection broke.
    Cut,
    /// The request may have been sent; the server closed the connection before a response came. A connection that was kept
    /// open for the next request ends so if the server closes it just then.
    Unanswered,
    /// The response's body is larger than its limit.
    TooLarge,
}

/// Why no connection came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unreached {
    /// The host's name has no address.
    Name,
    /// The name leads to an address that is not public.
    NotPublic,
    /// Nothing listens there.
    Refused,
    /// The two sides agree on no TLS connection, or the certificate is not trusted.
    Tls,
    /// It took too long.
    Time,
}

impl Unreached {
    /// What happened at a host, in a sentence without its beginning and end.
    pub fn at(self, host: &str) -> String {
        match self {
            Self::Name => format!("the name {host} doesn't resolve"),
            Self::NotPublic => format!("the name {host} resolves to an address that isn't public"),
            Self::Refused => format!("{host} refuses connections"),
            Self::Tls => {
                format!("a TLS connection to {host} failed, or its certificate isn't trusted")
            }
            Self::Time => format!("connecting to {host} took too long"),
        }
    }
}

/// A request that failed without a whole response. Never holds the request's headers or body.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    message: String,
    unreached: Option<Unreached>,
    source: Option<BoxError>,
}

/// Any error.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl TransportError {
    /// An error of a kind.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            unreached: None,
            source: None,
        }
    }
    /// Says why no connection came about.
    #[must_use]
    pub fn with_unreached(mut self, why: Unreached) -> Self {
        self.unreached = Some(why);
        self
    }
    /// Why no connection came about, if that is known.
    pub fn unreached(&self) -> Option<Unreached> {
        self.unreached
    }
    /// Keeps the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
    /// How far the request came.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }
    /// Whether the product can have seen the whole request.
    pub fn may_have_been_sent(&self) -> bool {
        !matches!(
            self.kind,
            TransportErrorKind::Refused
                | TransportErrorKind::Unreachable
                | TransportErrorKind::Exhausted
                | TransportErrorKind::Incomplete
        )
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_never_left_was_certainly_not_sent() {
        use TransportErrorKind::{
            Cut, Exhausted, Incomplete, Refused, TimedOut, TooLarge, Unanswered, Unreachable,
        };
        for (kind, sent) in [
            (Refused, false),
            (Unreachable, false),
            (Exhausted, false),
            (Incomplete, false),
            (TimedOut, true),
            (Cut, true),
            (Unanswered, true),
            (TooLarge, true),
        ] {
            assert_eq!(
                TransportError::new(kind, "").may_have_been_sent(),
                sent,
                "{kind:?}"
            );
        }
    }
}
