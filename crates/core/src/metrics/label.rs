//! The values of labels.

use crate::{ErrorKind, tool::Effect};

/// Outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ok,
    /// The caller disconnected.
    Cancelled,
    Failed(ErrorKind),
}

impl Outcome {
    pub(super) const COUNT: usize = ErrorKind::ALL.len() + 2;

    pub(crate) fn of<T>(result: &crate::Result<T>) -> Self {
        match result {
            Ok(_) => Self::Ok,
            Err(error) => Self::Failed(error.kind()),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Cancelled => "cancelled",
            Self::Failed(kind) => kind.name(),
        }
    }

    pub(super) const fn index(self) -> usize {
        match self {
            Self::Ok => 0,
            Self::Cancelled => 1,
            Self::Failed(kind) => kind as usize + 2,
        }
    }

    /// In the order of their indices.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let failed = ErrorKind::ALL.iter().map(|kind| Self::Failed(*kind));
        [Self::Ok, Self::Cancelled].into_iter().chain(failed)
    }
}

/// Kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// No tool was found.
    Unknown,
    /// A raw request.
    Proxy,
    Read,
    Write,
    Delete,
}

impl CallKind {
    pub(super) const ALL: [Self; 5] = [
        Self::Unknown,
        Self::Proxy,
        Self::Read,
        Self::Write,
        Self::Delete,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Proxy => "proxy",
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

impl From<Effect> for CallKind {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Read => Self::Read,
            Effect::Write => Self::Write,
            Effect::Delete => Self::Delete,
        }
    }
}

/// Outcome of a token request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refresh {
    Ok,
    /// The product refused the refresh token.
    Refused,
    /// The product refused the client, or requests of this form from it.
    ClientRefused,
    /// A temporary failure.
    Unavailable,
    /// The request was sent, but no response was read.
    Unanswered,
}

impl Refresh {
    pub(super) const ALL: [Self; 5] = [
        Self::Ok,
        Self::Refused,
        Self::ClientRefused,
        Self::Unavailable,
        Self::Unanswered,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::ClientRefused => "client_refused",
            Self::Unavailable => "unavailable",
            Self::Unanswered => "unanswered",
        }
    }
}

/// Outcome of a request to a product: the class of its status, or no response.
pub(super) const RESPONSES: [&str; 6] = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];

pub(super) fn response(status: Option<http::StatusCode>) -> usize {
    let class = status.map_or(0, |status| usize::from(status.as_u16() / 100));
    if class < RESPONSES.len() { class } else { 0 }
}

/// Kind of operation of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreOperation {
    Read,
    Commit,
    Prune,
}

impl StoreOperation {
    pub(super) const ALL: [Self; 3] = [Self::Read, Self::Commit, Self::Prune];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Commit => "commit",
            Self::Prune => "prune",
        }
    }
}

/// Outcome of an operation of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreOutcome {
    Ok,
    /// Another process changed the same rows first.
    Conflict,
    Failed,
}

impl StoreOutcome {
    pub(super) const ALL: [Self; 3] = [Self::Ok, Self::Conflict, Self::Failed];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Conflict => "conflict",
            Self::Failed => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_at_their_indices() {
        for (index, outcome) in Outcome::all().enumerate() {
            assert_eq!(outcome.index(), index, "{}", outcome.name());
        }
        assert_eq!(Outcome::all().count(), Outcome::COUNT);
        for (index, kind) in CallKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
        }
        for (index, refresh) in Refresh::ALL.iter().enumerate() {
            assert_eq!(*refresh as usize, index);
        }
        for (status, expected) in [
            (None, "none"),
            (Some(200), "2xx"),
            (Some(503), "5xx"),
            (Some(999), "none"),
        ] {
            let status = status.map(|status| http::StatusCode::from_u16(status).unwrap());
            assert_eq!(RESPONSES[response(status)], expected);
        }
    }
}
