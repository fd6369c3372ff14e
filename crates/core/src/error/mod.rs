//! One error type and one table of its kinds.
//!
//! Every error says what went wrong, whether trying again can help, and who must act.

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
use crate::scrub::mask;

/// Result of everything that can fail in Stead.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of Stead: a [kind](ErrorKind), a message for people, and what helps to act on it.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
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
            message: message.into(),
            status: kind.status(),
            retryable: kind.retryable(),
            act_by: kind.act_by(),
            details: Details::default(),
            source: None,
        }))
    }
    /// A malformed request: one place, as a JSON pointer, and what is wrong there.
    pub fn invalid_at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(vec![Violation::new(path, "format", message)])
    }
    /// A malformed request with its places; the message names the first.
    pub fn invalid(violations: Vec<Violation>) -> Self {
        Self::at_places(ErrorKind::InvalidRequest, violations)
    }
    /// A schema violation with its places; the message names the first.
    pub fn violations(violations: Vec<Violation>) -> Self {
        Self::at_places(ErrorKind::SchemaViolation, violations)
    }
    fn at_places(kind: ErrorKind, violations: Vec<Violation>) -> Self {
        let message = match violations.as_slice() {
            [] => String::from("the input breaks its schema"),
            [one] => one.to_string(),
            [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        };
        let mut error = Self::new(kind, message);
        error.0.details.violations = violations;
        error
    }
    /// The same failure under another kind and message: what the product said, how long to wait and everything else stay.
    #[must_use]
    pub fn reclassify(mut self, kind: ErrorKind, message: impl Into<String>) -> Self {
        let other = Self::new(kind, message);
        *self.0 = Inner {
            details: std::mem::take(&mut self.0.details),
            source: self.0.source.take(),
            ..*other.0
        };
        self
    }
    /// Adds a fact that is not a secret.
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
    /// Keeps what the product said.
    #[must_use]
    pub fn with_upstream(mut self, upstream: Upstream) -> Self {
        self.0.details.upstream = Some(upstream);
        self
    }
    /// Says what exists already although the call failed.
    #[must_use]
    pub fn with_partial(mut self, partial: Value) -> Self {
        self.0.details.partial = Some(partial);
        self
    }
    /// Names the scopes of which one is needed.
    #[must_use]
    pub fn with_required_scopes<S: Into<String>>(
        mut self,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.details.required_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }
    /// Adds the body of the request for the link that the end user should open.
    #[must_use]
    pub fn with_authorization_request(mut self, request: AuthorizationRequest) -> Self {
        self.0.details.authorization_request = Some(request);
        self
    }
    /// Adds the link that the end user should open.
    #[must_use]
    pub fn with_authorization_link(mut self, link: impl Into<String>) -> Self {
        self.0.details.authorization_link = Some(link.into());
        self
    }
    /// Says after which time to try again.
    #[must_use]
    pub fn with_retry_after(mut self, after: Duration) -> Self {
        self.0.details.retry_after = Some(after);
        self
    }
    /// Names the request at the service.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.0.details.request_id = Some(id.into());
        self
    }
    /// Names the execution.
    #[must_use]
    pub fn with_execution_id(mut self, id: impl Into<String>) -> Self {
        self.0.details.execution_id = Some(id.into());
        self
    }
    /// Removes credentials with these prefixes from all texts for people.
    #[cfg(feature = "platform")]
    #[must_use]
    pub(crate) fn without_credentials(mut self, prefixes: &[&str]) -> Self {
        let clean = &mut |text: &mut String| *text = mask(text, prefixes);
        clean(&mut self.0.message);
        self.0.details.each_text(clean);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
    /// One sentence for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// Whether the same call can succeed later without any change.
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }
    /// Who must act.
    pub fn act_by(&self) -> ActBy {
        self.0.act_by
    }
    /// HTTP status of the service's response.
    pub fn status(&self) -> u16 {
        self.0.status
    }
    /// Facts about where it happened.
    pub fn context(&self) -> &Map<String, Value> {
        &self.0.details.context
    }
    /// What the product said.
    pub fn upstream(&self) -> Option<&Upstream> {
        self.0.details.upstream.as_ref()
    }
    /// What exists already although the call failed.
    pub fn partial(&self) -> Option<&Value> {
        self.0.details.partial.as_ref()
    }
    /// Every place where the input breaks its schema.
    pub fn violation_list(&self) -> &[Violation] {
        &self.0.details.violations
    }
    /// Scopes of which one is needed.
    pub fn required_scopes(&self) -> &[String] {
        &self.0.details.required_scopes
    }
    /// The body of the request for the link that lets the call succeed, where the end user has to act.
    pub fn authorization_request(&self) -> Option<&AuthorizationRequest> {
        self.0.details.authorization_request.as_ref()
    }
    /// The link that the end user should open.
    pub fn authorization_link(&self) -> Option<&str> {
        self.0.details.authorization_link.as_deref()
    }
    /// After which time to try again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.details.retry_after
    }
    /// Id of the request at the service, for its operator to look up.
    pub fn request_id(&self) -> Option<&str> {
        self.0.details.request_id.as_deref()
    }
    /// Id of the execution that failed.
    pub fn execution_id(&self) -> Option<&str> {
        self.0.details.execution_id.as_deref()
    }
}

impl fmt::Display for Error {
    /// One line: kind and message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.kind, self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            details, source, ..
        } = &*self.0;
        write!(f, "{self}")?;
        for (key, value) in &details.context {
            write!(f, "\n  {key}: {value}")?;
        }
        if let Some(upstream) = &details.upstream {
            write!(f, "\n  product: {upstream:?}")?;
        }
        if let Some(source) = source {
            write!(f, "\n  because: {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
