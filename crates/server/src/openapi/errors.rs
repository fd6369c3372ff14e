//! The kinds of errors that an operation can have. Most of them follow from its form.

use std::collections::BTreeSet;

use stead::ErrorKind;

/// The form of an operation.
pub(crate) struct Form<'a> {
    pub(crate) path: &'a str,
    /// Whether it needs an application's token.
    pub(crate) authenticated: bool,
    pub(crate) has_body: bool,
    /// Whether it sends requests to a product.
    pub(crate) calls: bool,
    pub(crate) own: &'a [ErrorKind],
}

/// Kinds that every operation can have.
const ANY: &[ErrorKind] = &[
    ErrorKind::Internal,
    ErrorKind::Overloaded,
    ErrorKind::ShuttingDown,
];
/// Kinds that reading and writing the store can cause.
const STORE: &[ErrorKind] = &[
    ErrorKind::StorageUnavailable,
    ErrorKind::KeyUnavailable,
    ErrorKind::IntegrityViolated,
];
/// Kinds that only occur on pages, in clients' connections or in the client itself.
const ELSEWHERE: &[ErrorKind] = &[
    ErrorKind::AlreadyExists,
    ErrorKind::AuthorizationConsumed,
    ErrorKind::AuthorizationDenied,
    ErrorKind::AuthorizationExpired,
    ErrorKind::AuthorizationFailed,
    ErrorKind::AuthorizationNotFound,
    ErrorKind::BrowserMismatch,
    ErrorKind::HostRejected,
    ErrorKind::IdentifierMismatch,
    ErrorKind::InvalidTransition,
    ErrorKind::IssuerUnavailable,
    ErrorKind::NotFound,
    ErrorKind::OriginRejected,
    ErrorKind::ProductAccountMismatch,
    ErrorKind::RangeNotSatisfiable,
    ErrorKind::ServiceUnavailable,
    ErrorKind::SignInFailed,
    ErrorKind::SignInProviderFailed,
    ErrorKind::SignInRefused,
];

impl Form<'_> {
    /// The kinds, in the order of the reference.
    pub(crate) fn kinds(&self) -> Vec<ErrorKind> {
        let mut names: BTreeSet<&str> = self.own.iter().map(|kind| kind.name()).collect();
        let mut add = |kinds: &[ErrorKind]| names.extend(kinds.iter().map(|kind| kind.name()));
        add(ANY);
        if self.authenticated {
            add(STORE);
            add(&[
                ErrorKind::InvalidRequest,
                ErrorKind::Unauthenticated,
                ErrorKind::InsufficientScope,
                ErrorKind::RateLimited,
            ]);
        }
        if self.has_body {
            add(&[ErrorKind::RequestTooLarge]);
        }
        if self.path.contains("{connection_name}") {
            add(&[ErrorKind::UnknownConnection]);
        }
        if self.path.contains("{identifier}") {
            add(&[ErrorKind::AccountNotFound]);
        }
        if self.calls {
            let all = ErrorKind::ALL.iter().copied();
            let of_calls: Vec<_> = all.filter(|kind| !ELSEWHERE.contains(kind)).collect();
            add(&of_calls);
        }
        let all = ErrorKind::ALL.iter().copied();
        all.filter(|kind| names.contains(kind.name())).collect()
    }
}
