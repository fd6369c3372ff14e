//! How a request to a product can fail before its whole response arrives.

use std::fmt;

/// How far a request got before it failed. It determines whether a retry is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The request isn't valid, so it can't be sent.
    Refused,
    /// Connecting failed. Nothing was sent.
    Unreachable,
    /// This process has no file descriptors or ports left for a connection. Nothing was sent.
    Exhausted,
    /// The request's own body was interrupted or arrived too slowly. The server didn't get the whole request.
    Incomplete,
    /// The request may have been sent, and timed out.
    TimedOut,
    /// The request may have been sent, and the connection broke.
    Cut,
    /// The request may have been sent, and the server closed the connection before a response arrived. This happens
    /// when a server closes an idle connection just as it is reused.
    Unanswered,
    /// The response's body is larger than its limit.
    TooLarge,
}

/// Why connecting failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unreached {
    /// The host's name has no address.
    Name,
    /// The name resolves to an address that isn't public.
    NotPublic,
    /// Nothing listens there.
    Refused,
    /// TLS failed, or the certificate isn't trusted.
    Tls,
    /// It took too long.
    Time,
}

impl Unreached {
    /// Describes the failure at a host, as part of a sentence.
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

/// A request that failed without a whole response. Never contains the request's headers or body.
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
    /// Sets why connecting failed.
    #[must_use]
    pub fn with_unreached(mut self, why: Unreached) -> Self {
        self.unreached = Some(why);
        self
    }
    /// Why connecting failed, if known.
    pub fn unreached(&self) -> Option<Unreached> {
        self.unreached
    }
    /// Keeps the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
    /// How far the request got.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }
    /// Whether the product could have received the whole request.
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
    fn each_error_says_whether_the_request_may_have_been_sent() {
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
