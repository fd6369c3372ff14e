//! One error type and one table of its kinds.
//!
//! Every error says what went wrong, whether to try again, and who needs to act.

mod authorization_request;
mod details;
mod kind;
mod problem;
mod upstream;
mod violation;

use std::{fmt, sync::Arc, time::Duration};

use serde_json::{Map, Value};

pub use authorization_request::AuthorizationRequest;
pub use details::Details;
pub use kind::{ActBy, ErrorKind};
pub use problem::Problem;
pub use upstream::Upstream;
pub use violation::{Violation, Violations, push_segment};

#[cfg(feature = "platform")]
use crate::scrub::{Secrets, mask};

/// Result of everything that can fail in Stead.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Member of an error's context with the name of an invalid setting, such as `products.mail.token_url`.
#[cfg(feature = "catalogue")]
pub(crate) const SETTING: &str = "setting";

/// Default time before retrying when the store doesn't respond.
const STORE_BACK: Duration = Duration::from_secs(2);

/// An error of Stead: a [kind](ErrorKind), a message for people, and details that help you act on it.
///
/// It's the same whether you embed Stead or call a service. A few methods tell you what to do. Match on a kind only if
/// you handle it in a special way:
///
/// ```
/// use stead_core::{Error, ErrorKind, error::ActBy};
///
/// fn what_to_do(error: &Error) -> String {
///     if error.needs_user() {
///         return "show the user a new authorization link".into();
///     }
///     if error.is_outcome_unknown() {
///         return "look at the product first: it may have happened".into();
///     }
///     match error.retry_after() {
///         Some(after) => format!("call again after {} s", after.as_secs()),
///         None if error.retryable() => "call again".into(),
///         None if error.act_by() == ActBy::AppDeveloper => format!("change the request: {}", error.message()),
///         None => format!("tell the operator: {error:?}"),
///     }
/// }
///
/// let error = Error::new(ErrorKind::AuthorizationRequired, "ada has to authorize");
/// assert_eq!(what_to_do(&error), "show the user a new authorization link");
/// assert_eq!(error.to_string(), "authorization_required: ada has to authorize");
/// ```
///
/// | To learn | ask |
/// |---|---|
/// | what went wrong | [`kind`](Self::kind), [`message`](Self::message) |
/// | who must act | [`act_by`](Self::act_by), [`needs_user`](Self::needs_user) |
/// | whether to call again | [`retryable`](Self::retryable), [`retry_after`](Self::retry_after), [`is_outcome_unknown`](Self::is_outcome_unknown) |
/// | which part of the input is wrong | [`violation_list`](Self::violation_list) |
/// | what the user has to allow | [`required_scopes`](Self::required_scopes), [`authorization_link`](Self::authorization_link) |
/// | what the product said | [`upstream`](Self::upstream) |
/// | what exists although it failed | [`partial`](Self::partial) |
/// | where to look it up | [`request_id`](Self::request_id), [`execution_id`](Self::execution_id), [`context`](Self::context) |
///
/// `{}` is one line for people. `{:?}` is for logs and omits secrets. `{:#?}` puts each part on its own line.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    /// Name of a kind that only a newer service knows.
    unknown_kind: Option<String>,
    message: String,
    status: u16,
    retryable: bool,
    act_by: ActBy,
    details: Details,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of a kind with one sentence for people.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            unknown_kind: None,
            message: message.into(),
            status: kind.status(),
            retryable: kind.retryable(),
            act_by: kind.act_by(),
            details: Details {
                retry_after: (kind == ErrorKind::StorageUnavailable).then_some(STORE_BACK),
                ..Details::default()
            },
            source: None,
        }))
    }
    /// An invalid request with one violation: its JSON pointer and message.
    pub fn invalid_at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(vec![Violation::new(path, "format", message)])
    }
    /// An invalid request with violations. The message has the first one.
    pub fn invalid(violations: Vec<Violation>) -> Self {
        Self::at_places(ErrorKind::InvalidRequest, violations)
    }
    /// A schema violation with all violations. The message has the first one.
    pub fn violations(violations: Vec<Violation>) -> Self {
        Self::at_places(ErrorKind::SchemaViolation, violations)
    }
    fn at_places(kind: ErrorKind, violations: Vec<Violation>) -> Self {
        let place = |violation: &Violation| match (violation.path.as_str(), kind) {
            ("", ErrorKind::InvalidRequest) => format!("the body: {}", violation.message),
            _ => violation.to_string(),
        };
        let message = match violations.as_slice() {
            [] => String::from("the input doesn't match its schema"),
            [one] => place(one),
            [first, rest @ ..] => format!("{} (and {} more)", place(first), rest.len()),
        };
        let mut error = Self::new(kind, message);
        error.0.details.violations = violations;
        error
    }
    /// The same error with a different kind and message. All details stay, except that an unknown outcome has no time
    /// to wait, because you shouldn't repeat such a call.
    #[must_use]
    pub fn reclassify(mut self, kind: ErrorKind, message: impl Into<String>) -> Self {
        let other = Self::new(kind, message);
        *self.0 = Inner {
            details: std::mem::take(&mut self.0.details),
            source: self.0.source.take(),
            ..*other.0
        };
        if self.is_outcome_unknown() {
            self.0.details.retry_after = None;
        }
        self
    }
    /// Adds a fact, which must not be a secret.
    #[must_use]
    pub fn with_context(mut self, key: &str, value: impl Into<String>) -> Self {
        let context = &mut self.0.details.context;
        context.insert(key.to_owned(), Value::String(value.into()));
        self
    }
    /// Keeps the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }
    /// Adds the product's own error.
    #[must_use]
    pub fn with_upstream(mut self, upstream: Upstream) -> Self {
        self.0.details.upstream = Some(upstream);
        self
    }
    /// Adds what was created although the call failed.
    #[must_use]
    pub fn with_partial(mut self, partial: Value) -> Self {
        self.0.details.partial = Some(partial);
        self
    }
    /// Adds scopes, one of which the call needs.
    #[must_use]
    pub fn with_required_scopes<S: Into<String>>(
        mut self,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.details.required_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }
    /// Adds the request body for a link that the end user needs to open.
    #[must_use]
    pub fn with_authorization_request(mut self, request: AuthorizationRequest) -> Self {
        self.0.details.authorization_request = Some(request);
        self
    }
    /// Adds the link that the end user needs to open.
    #[must_use]
    pub fn with_authorization_link(mut self, link: impl Into<String>) -> Self {
        self.0.details.authorization_link = Some(link.into());
        self
    }
    /// Sets who needs to act, if it differs from the kind's default.
    #[cfg(feature = "platform")]
    #[must_use]
    pub fn with_act_by(mut self, act_by: ActBy) -> Self {
        self.0.act_by = act_by;
        self
    }
    /// Sets how long to wait before trying again.
    #[must_use]
    pub fn with_retry_after(mut self, after: Duration) -> Self {
        self.0.details.retry_after = Some(after);
        self
    }
    /// Sets the ID of the request.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.0.details.request_id = Some(id.into());
        self
    }
    /// Sets the ID of the execution.
    #[must_use]
    pub fn with_execution_id(mut self, id: impl Into<String>) -> Self {
        self.0.details.execution_id = Some(id.into());
        self
    }
    /// Marks the error as the result of an earlier call with the same idempotency key.
    #[must_use]
    pub fn with_replayed(mut self, replayed: bool) -> Self {
        self.0.details.replayed = replayed;
        self
    }
    /// Sets whether the same call can succeed later, if it differs from the kind's default. An error that isn't
    /// retryable has no [`retry_after`](Self::retry_after).
    #[cfg(feature = "platform")]
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        if !retryable {
            self.0.details.retry_after = None;
        }
        self
    }
    /// Removes credentials with these prefixes from all texts for people.
    #[cfg(feature = "platform")]
    #[must_use]
    pub(crate) fn without_credentials(self, prefixes: &[&str]) -> Self {
        self.cleaned(&mut |text| *text = mask(text, prefixes))
    }
    /// Removes the secrets of the request that failed from all texts.
    #[cfg(feature = "platform")]
    #[must_use]
    pub(crate) fn without_secrets(self, sent: &Secrets) -> Self {
        self.cleaned(&mut |text| *text = sent.mask(text))
    }
    #[cfg(feature = "platform")]
    fn cleaned(mut self, clean: &mut impl FnMut(&mut String)) -> Self {
        clean(&mut self.0.message);
        self.0.details.each_text(clean);
        self
    }

    /// The kind. Kinds that only a newer service knows become [`ErrorKind::Internal`], but keep their
    /// [name](Self::kind_name), [`retryable`](Self::retryable), [`act_by`](Self::act_by) and [`status`](Self::status).
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
    /// Stable name of the kind, as the service sent it.
    pub fn kind_name(&self) -> &str {
        let known = self.0.kind.name();
        self.0.unknown_kind.as_deref().unwrap_or(known)
    }
    /// Whether the end user needs to authorize or allow more. Create a link and show it.
    ///
    /// If this is true for a user who has just connected, check [`required_scopes`](Self::required_scopes). The user
    /// may have declined a permission.
    pub fn needs_user(&self) -> bool {
        self.act_by() == ActBy::EndUser
    }
    /// Whether a write was sent but its outcome is unknown. Check at the product before you call again, or use an
    /// idempotency key if the product deduplicates.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(
            self.0.kind,
            ErrorKind::OutcomeUnknown | ErrorKind::WriteUnconfirmed
        )
    }
    /// One sentence for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// Whether the same call can succeed later without a change.
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }
    /// The party that needs to act.
    pub fn act_by(&self) -> ActBy {
        self.0.act_by
    }
    /// HTTP status of the service's response.
    pub fn status(&self) -> u16 {
        self.0.status
    }
    /// Facts about the error's place, such as the connection.
    pub fn context(&self) -> &Map<String, Value> {
        &self.0.details.context
    }
    /// The product's own error.
    pub fn upstream(&self) -> Option<&Upstream> {
        self.0.details.upstream.as_ref()
    }
    /// Objects that were created although the call failed.
    pub fn partial(&self) -> Option<&Value> {
        self.0.details.partial.as_ref()
    }
    /// Whether this is the result of an earlier call with the same idempotency key, so nothing was sent now.
    pub fn is_replayed(&self) -> bool {
        self.0.details.replayed
    }
    /// All places where the input doesn't match its schema.
    pub fn violation_list(&self) -> &[Violation] {
        &self.0.details.violations
    }
    /// Scopes. The call needs one of them.
    pub fn required_scopes(&self) -> &[String] {
        &self.0.details.required_scopes
    }
    /// The request body for a link that lets the call succeed, if the end user needs to act.
    pub fn authorization_request(&self) -> Option<&AuthorizationRequest> {
        self.0.details.authorization_request.as_ref()
    }
    /// The link that the end user needs to open.
    pub fn authorization_link(&self) -> Option<&str> {
        self.0.details.authorization_link.as_deref()
    }
    /// How long to wait before trying again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.details.retry_after
    }
    /// ID of the request, which the operator can look up in the log.
    pub fn request_id(&self) -> Option<&str> {
        self.0.details.request_id.as_deref()
    }
    /// ID of the execution that failed.
    pub fn execution_id(&self) -> Option<&str> {
        self.0.details.execution_id.as_deref()
    }
}

impl fmt::Display for Error {
    /// One line: kind and message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind_name(), self.0.message)
    }
}

impl fmt::Debug for Error {
    /// Details for logs. Omits the link, which anyone could open, and the product's error object, which can be long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            message, details, ..
        } = &*self.0;
        let mut shown = f.debug_struct("Error");
        shown
            .field("kind", &format_args!("{}", self.kind_name()))
            .field("act_by", &format_args!("{}", self.act_by().name()))
            .field("retryable", &self.retryable())
            .field("message", message);
        if let Some(after) = &details.retry_after {
            shown.field("retry_after", after);
        }
        if !details.violations.is_empty() {
            shown.field("violations", &details.violations);
        }
        if !details.required_scopes.is_empty() {
            shown.field("required_scopes", &details.required_scopes);
        }
        for (key, value) in &details.context {
            shown.field(key, value);
        }
        if let Some(upstream) = &details.upstream {
            shown.field("upstream", &upstream.in_short());
        }
        for (name, id) in [
            ("request_id", &details.request_id),
            ("execution_id", &details.execution_id),
        ] {
            if let Some(id) = id {
                shown.field(name, id);
            }
        }
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            shown.field("source", &format_args!("{cause}"));
            source = cause.source();
        }
        shown.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_what_a_log_needs_and_no_link() {
        let cause = std::io::Error::other("connection reset");
        let error = Error::violations(vec![Violation::new("/a", "type", "expected string")])
            .reclassify(ErrorKind::ScopeMissing, "needs a scope")
            .with_required_scopes(["notes.read"])
            .with_context("connection", "notes")
            .with_upstream(Upstream::new(403).with_code("insufficient"))
            .with_request_id("req_1")
            .with_execution_id("exec_1")
            .with_authorization_link("https://stead.test/connect/SECRET")
            .with_source(Error::new(ErrorKind::Internal, "outer").with_source(cause));
        let shown = format!("{error:?}");
        for part in [
            "kind: scope_missing",
            "act_by: end_user",
            "retryable: false",
            "needs a scope",
            "/a",
            "expected string",
            "notes.read",
            "connection: String(\"notes\")",
            "status: 403",
            "insufficient",
            "req_1",
            "exec_1",
            "source: internal: outer",
            "source: connection reset",
        ] {
            assert!(shown.contains(part), "{part} is not in {shown}");
        }
        assert!(!shown.contains("SECRET"), "{shown}");
        assert!(!shown.contains('\n') && format!("{error:#?}").contains('\n'));
    }

    #[test]
    fn the_predicates_follow_the_table() {
        for kind in ErrorKind::ALL {
            let error = Error::new(*kind, "");
            assert_eq!(error.needs_user(), kind.act_by() == ActBy::EndUser);
            assert_eq!(error.kind_name(), kind.name());
            assert!(!(error.is_outcome_unknown() && error.retryable()), "{kind}");
        }
        assert!(Error::new(ErrorKind::OutcomeUnknown, "").is_outcome_unknown());
        assert!(!Error::new(ErrorKind::ProductTimeout, "").is_outcome_unknown());
    }
}
