//! One error type and one table of its kinds.
//!
//! Every error says what went wrong, whether trying again can help, and who must act.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Result of everything that can fail in Stead.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who must act so that the call can succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ActBy {
    /// The developer of the application (or the model that wrote the input).
    AppDeveloper,
    /// The end user in whose stead the call was made.
    EndUser,
    /// Whoever runs this Stead environment.
    Operator,
    /// The product; waiting is all that others can do.
    Product,
}

impl ActBy {
    /// Stable snake_case name, as used on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AppDeveloper => "app_developer",
            Self::EndUser => "end_user",
            Self::Operator => "operator",
            Self::Product => "product",
        }
    }
}

macro_rules! kinds {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, $status:literal, $retry:literal, $act:ident; )+) => {
        /// What went wrong. The variants' documentation is the reference that users read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind { $( $(#[doc = $doc])+ $variant, )+ }

        impl ErrorKind {
            /// Every kind, in the order of the reference.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// Stable snake_case name, as used on the wire.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }
            /// HTTP status with which the service answers.
            pub const fn status(self) -> u16 {
                match self { $( Self::$variant => $status, )+ }
            }
            /// Whether the same call can succeed later without anybody changing anything.
            pub const fn retryable(self) -> bool {
                match self { $( Self::$variant => $retry, )+ }
            }
            /// Who must act.
            pub const fn act_by(self) -> ActBy {
                match self { $( Self::$variant => ActBy::$act, )+ }
            }
            /// One sentence about the kind, the same in every error of it.
            pub fn summary(self) -> &'static str {
                match self { $( Self::$variant => concat!($($doc, " "),+).trim(), )+ }
            }
            /// The kind with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $( $name => Some(Self::$variant), )+ _ => None }
            }
        }
    };
}

kinds! {
    /// The request is malformed: JSON, a parameter, or a value outside its rules.
    InvalidRequest = "invalid_request", 400, false, AppDeveloper;
    /// The tool's input breaks its schema; `violations` lists every place.
    SchemaViolation = "schema_violation", 422, false, AppDeveloper;
    /// No tool has this name; the message lists near ones.
    UnknownTool = "unknown_tool", 404, false, AppDeveloper;
    /// No connection has this name.
    UnknownConnection = "unknown_connection", 404, false, AppDeveloper;
    /// The connection belongs to another product than the tool.
    WrongProduct = "wrong_product", 400, false, AppDeveloper;
    /// There is no account for this connection and identifier.
    AccountNotFound = "account_not_found", 404, false, AppDeveloper;
    /// What was asked for does not exist.
    NotFound = "not_found", 404, false, AppDeveloper;
    /// The name is taken.
    AlreadyExists = "already_exists", 409, false, AppDeveloper;
    /// The asked tool or product version is unknown, or two versions disagree.
    UnsupportedVersion = "unsupported_version", 400, false, AppDeveloper;
    /// The proxied path or query could leave the product's origin, or is malformed.
    PathInvalid = "path_invalid", 400, false, AppDeveloper;
    /// The path, or the proxy, does not take this HTTP method.
    MethodNotAllowed = "method_not_allowed", 405, false, AppDeveloper;
    /// The proxy does not pass this header.
    HeaderNotAllowed = "header_not_allowed", 400, false, AppDeveloper;
    /// The application's own credentials are missing, wrong or expired.
    Unauthenticated = "unauthenticated", 401, false, AppDeveloper;
    /// The policy of this environment forbids the call.
    Forbidden = "forbidden", 403, false, Operator;
    /// The policy of this environment holds the call until somebody approves it.
    ApprovalRequired = "approval_required", 409, false, Operator;
    /// A form was sent from another site.
    OriginRejected = "origin_rejected", 403, false, AppDeveloper;
    /// The end user has to authorize; create a link and show it.
    AuthorizationRequired = "authorization_required", 409, false, EndUser;
    /// The end user came back and the application has not confirmed who it was.
    VerificationRequired = "verification_required", 409, false, AppDeveloper;
    /// The application named another identifier than the one that the link was made for.
    IdentifierMismatch = "identifier_mismatch", 403, false, AppDeveloper;
    /// No authorization has this id, link or state.
    AuthorizationNotFound = "authorization_not_found", 404, false, EndUser;
    /// The link or the authorization is past its time; create a new link.
    AuthorizationExpired = "authorization_expired", 410, false, EndUser;
    /// The link or the callback was used already; create a new link.
    AuthorizationConsumed = "authorization_consumed", 410, false, EndUser;
    /// The end user refused.
    AuthorizationDenied = "authorization_denied", 403, false, EndUser;
    /// The product did not complete the authorization; create a new link.
    AuthorizationFailed = "authorization_failed", 502, false, EndUser;
    /// The browser that returned is not the one that opened the link.
    BrowserMismatch = "browser_mismatch", 403, false, EndUser;
    /// The end user authorized with another account of the product than before.
    ProductAccountMismatch = "product_account_mismatch", 409, false, EndUser;
    /// A permission that the call needs was not granted; `required_scopes` names it.
    ScopeMissing = "scope_missing", 403, false, EndUser;
    /// The account is suspended.
    AccountSuspended = "account_suspended", 403, false, AppDeveloper;
    /// The connection is a draft or disabled.
    ConnectionNotReady = "connection_not_ready", 409, false, AppDeveloper;
    /// The product refuses the connection's client id or secret.
    ConnectionCredentialsRejected = "connection_credentials_rejected", 502, false, AppDeveloper;
    /// Another process is refreshing this account's credential.
    RefreshInProgress = "refresh_in_progress", 503, true, Product;
    /// The credential has expired and the product's token endpoint does not answer.
    RefreshUnavailable = "refresh_unavailable", 503, true, Product;
    /// The product refuses a token that it has just issued.
    ProductRejectedToken = "product_rejected_token", 502, true, EndUser;
    /// The product forbids this to the user (sharing, policy of the organization).
    ProductForbidden = "product_forbidden", 403, false, EndUser;
    /// The product has no such object, or the user may not see it.
    ProductNotFound = "product_not_found", 404, false, AppDeveloper;
    /// The product's object is in a state that does not allow this.
    ProductConflict = "product_conflict", 409, false, AppDeveloper;
    /// The product refuses the request's content.
    ProductInvalidRequest = "product_invalid_request", 422, false, AppDeveloper;
    /// The product throttles this user or application.
    ProductRateLimited = "product_rate_limited", 429, true, Product;
    /// The quota of the application at the product is used up for a longer time.
    ProductQuotaExhausted = "product_quota_exhausted", 429, true, AppDeveloper;
    /// The product's API is not enabled for the application.
    ProductNotEnabled = "product_not_enabled", 409, false, AppDeveloper;
    /// The product failed or cannot be reached.
    ProductUnavailable = "product_unavailable", 502, true, Product;
    /// The product did not answer in time; nothing was changed by it.
    ProductTimeout = "product_timeout", 504, true, Product;
    /// A write was sent and its answer never came: it may or may not have happened.
    OutcomeUnknown = "outcome_unknown", 502, false, AppDeveloper;
    /// The product said that a write may have been saved, and reading it back did not settle it.
    WriteUnconfirmed = "write_unconfirmed", 502, false, AppDeveloper;
    /// The product's answer cannot be understood.
    ProductProtocolError = "product_protocol_error", 502, false, Product;
    /// The product's result is no longer kept.
    ResultExpired = "result_expired", 410, false, AppDeveloper;
    /// The product's answer is larger than allowed.
    ResponseTooLarge = "response_too_large", 502, false, AppDeveloper;
    /// The product redirected; credentials are never sent along.
    UpstreamRedirectBlocked = "upstream_redirect_blocked", 502, false, AppDeveloper;
    /// The product's answer broke off.
    UpstreamTruncated = "upstream_truncated", 502, true, Product;
    /// This environment paces the account; the deadline would pass before its turn.
    RateLimited = "rate_limited", 429, true, AppDeveloper;
    /// The change is not possible in the present state.
    InvalidTransition = "invalid_transition", 409, false, AppDeveloper;
    /// The Stead service cannot be reached by its client.
    ServiceUnavailable = "service_unavailable", 503, true, Operator;
    /// The store does not answer.
    StorageUnavailable = "storage_unavailable", 503, true, Operator;
    /// The key that sealed a secret is missing or wrong.
    KeyUnavailable = "key_unavailable", 503, false, Operator;
    /// A stored row was changed from outside: its seal does not fit.
    IntegrityViolated = "integrity_violated", 500, false, Operator;
    /// This process is shutting down.
    ShuttingDown = "shutting_down", 503, true, Operator;
    /// An error in Stead.
    Internal = "internal", 500, true, Operator;
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ErrorKind {
    /// A name from a newer service is read as [`ErrorKind::Internal`].
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::from_name(&name).unwrap_or(Self::Internal))
    }
}

/// What the product itself said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Upstream {
    /// HTTP status.
    pub status: u16,
    /// The product's own code or reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The product's own message, at most 500 characters, scrubbed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The product's own id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The product's own error object, at most 4 KB, scrubbed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl Upstream {
    /// What is known of an answer with this status.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }
    /// Sets the product's own code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(scrub(&code.into(), 100));
        self
    }
    /// Sets the product's own message: scrubbed, at most 500 characters.
    #[must_use]
    pub fn with_message(mut self, message: &str) -> Self {
        self.message = Some(scrub(message, 500));
        self
    }
    /// Sets the product's own error object when it serializes to at most 4 KB; its strings are scrubbed.
    #[must_use]
    pub fn with_details(mut self, mut details: Value) -> Self {
        scrub_value(&mut details);
        self.details = (details.to_string().len() <= 4096).then_some(details);
        self
    }
}

/// One place where an input breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer into the input; empty for the whole.
    pub path: String,
    /// The schema's keyword that is broken, such as `required` or `maximum`.
    pub keyword: String,
    /// One sentence.
    pub message: String,
}

impl Violation {
    /// A violation at a JSON pointer.
    pub fn new(
        path: impl Into<String>,
        keyword: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            keyword: keyword.into(),
            message: message.into(),
        }
    }
}

/// An error of Stead: a [kind](ErrorKind), a message for people, and what helps to act on it.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    operation: Option<&'static str>,
    context: Vec<(Cow<'static, str>, String)>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    upstream: Option<Upstream>,
    partial: Option<Value>,
    violations: Vec<Violation>,
    required_scopes: Vec<String>,
    authorization_link: Option<String>,
    retry_after: Option<Duration>,
    request_id: Option<String>,
    execution_id: Option<String>,
}

impl Error {
    /// An error of a kind with one sentence for people.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            operation: None,
            context: Vec::new(),
            source: None,
            upstream: None,
            partial: None,
            violations: Vec::new(),
            required_scopes: Vec::new(),
            authorization_link: None,
            retry_after: None,
            request_id: None,
            execution_id: None,
        }))
    }
    /// A malformed request with its places; the message names the first.
    pub fn invalid(violations: Vec<Violation>) -> Self {
        let mut error = Self::violations(violations);
        error.0.kind = ErrorKind::InvalidRequest;
        error
    }
    /// A schema violation with its places; the message names the first.
    pub fn violations(violations: Vec<Violation>) -> Self {
        let message = match violations.as_slice() {
            [] => String::from("the input breaks its schema"),
            [one] => format!("{}: {}", display_path(&one.path), one.message),
            [first, rest @ ..] => {
                format!(
                    "{}: {} (and {} more)",
                    display_path(&first.path),
                    first.message,
                    rest.len()
                )
            }
        };
        let mut error = Self::new(ErrorKind::SchemaViolation, message);
        error.0.violations = violations;
        error
    }
    /// Names the operation that failed.
    #[must_use]
    pub fn with_operation(mut self, operation: &'static str) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }
    /// Adds a fact that is no secret.
    #[must_use]
    pub fn with_context(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.0.context.push((Cow::Borrowed(key), value.into()));
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
        self.0.upstream = Some(upstream);
        self
    }
    /// Says what exists already although the call failed.
    #[must_use]
    pub fn with_partial(mut self, partial: Value) -> Self {
        self.0.partial = Some(partial);
        self
    }
    /// Names the scopes of which one is needed.
    #[must_use]
    pub fn with_required_scopes<S: Into<String>>(
        mut self,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        self.0.required_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }
    /// Adds the link that the end user should open.
    #[must_use]
    pub fn with_authorization_link(mut self, link: impl Into<String>) -> Self {
        self.0.authorization_link = Some(link.into());
        self
    }
    /// Says after which time to try again.
    #[must_use]
    pub fn with_retry_after(mut self, after: Duration) -> Self {
        self.0.retry_after = Some(after);
        self
    }
    /// Names the request at the service.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.0.request_id = Some(id.into());
        self
    }
    /// Names the execution.
    #[must_use]
    pub fn with_execution_id(mut self, id: impl Into<String>) -> Self {
        self.0.execution_id = Some(id.into());
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
    /// Whether the same call can succeed later without anybody changing anything.
    pub fn retryable(&self) -> bool {
        self.0.kind.retryable()
    }
    /// Who must act.
    pub fn act_by(&self) -> ActBy {
        self.0.kind.act_by()
    }
    /// Facts about the place of the error.
    pub fn context(&self) -> &[(Cow<'static, str>, String)] {
        &self.0.context
    }
    /// What the product said.
    pub fn upstream(&self) -> Option<&Upstream> {
        self.0.upstream.as_ref()
    }
    /// What exists already although the call failed.
    pub fn partial(&self) -> Option<&Value> {
        self.0.partial.as_ref()
    }
    /// Every place where the input breaks its schema.
    pub fn violation_list(&self) -> &[Violation] {
        &self.0.violations
    }
    /// Scopes of which one is needed.
    pub fn required_scopes(&self) -> &[String] {
        &self.0.required_scopes
    }
    /// The link that the end user should open.
    pub fn authorization_link(&self) -> Option<&str> {
        self.0.authorization_link.as_deref()
    }
    /// After which time to try again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }
    /// Id of the execution that failed.
    pub fn execution_id(&self) -> Option<&str> {
        self.0.execution_id.as_deref()
    }

    /// The error as the body of an HTTP answer.
    pub fn to_problem(&self) -> Problem {
        let inner = &self.0;
        Problem {
            problem_type: format!("urn:stead:error:{}", inner.kind.name()),
            title: inner.kind.summary().to_owned(),
            status: inner.kind.status(),
            detail: inner.message.clone(),
            kind: inner.kind,
            retryable: inner.kind.retryable(),
            act_by: inner.kind.act_by(),
            request_id: inner.request_id.clone(),
            execution_id: inner.execution_id.clone(),
            context: inner
                .context
                .iter()
                .map(|(key, value)| (key.clone().into_owned(), Value::String(value.clone())))
                .collect(),
            violations: inner.violations.clone(),
            required_scopes: inner.required_scopes.clone(),
            authorization_link: inner.authorization_link.clone(),
            retry_after_seconds: inner
                .retry_after
                .map(|after| after.as_secs_f64().ceil() as u64),
            upstream: inner.upstream.clone(),
            partial: inner.partial.clone(),
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        let mut error = Self::new(problem.kind, problem.detail);
        let text = |value: Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        error.0.context = problem
            .context
            .into_iter()
            .map(|(key, value)| (Cow::Owned(key), text(value)))
            .collect();
        error.0.request_id = problem.request_id;
        error.0.execution_id = problem.execution_id;
        error.0.violations = problem.violations;
        error.0.required_scopes = problem.required_scopes;
        error.0.authorization_link = problem.authorization_link;
        error.0.retry_after = problem.retry_after_seconds.map(Duration::from_secs);
        error.0.upstream = problem.upstream;
        error.0.partial = problem.partial;
        error
    }
}

impl fmt::Display for Error {
    /// One line: kind, message, and who must act.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.kind, self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        write!(f, "{}: {}", inner.kind, inner.message)?;
        if let Some(operation) = inner.operation {
            write!(f, "\n  in {operation}")?;
        }
        for (key, value) in &inner.context {
            write!(f, "\n  {key}: {value}")?;
        }
        if let Some(upstream) = &inner.upstream {
            write!(f, "\n  product: {upstream:?}")?;
        }
        if let Some(source) = &inner.source {
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

/// An [`Error`] on the wire: RFC 9457 `application/problem+json` with Stead's members.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// URI that names the kind; it identifies and is not meant to be opened.
    #[serde(rename = "type")]
    pub problem_type: String,
    /// One sentence about the kind.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// One sentence about this error.
    pub detail: String,
    /// The kind.
    pub kind: ErrorKind,
    /// Whether the same call can succeed later.
    pub retryable: bool,
    /// Who must act.
    pub act_by: ActBy,
    /// Id of the request at the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Id of the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// Facts about the place of the error.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub context: serde_json::Map<String, Value>,
    /// Every place where the input breaks its schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// Scopes of which one is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_scopes: Vec<String>,
    /// The link that the end user should open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_link: Option<String>,
    /// Seconds to wait before trying again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u64>,
    /// What the product said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// What exists already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Value>,
}

fn display_path(path: &str) -> &str {
    if path.is_empty() { "input" } else { path }
}

/// Cuts a product's text to `limit` characters, drops control characters, and masks what looks like a credential.
pub(crate) fn scrub(text: &str, limit: usize) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let masked = clean
        .split_inclusive(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '<' | '>' | '(' | ')')
        })
        .map(mask_word)
        .collect::<String>();
    if masked.chars().count() <= limit {
        return masked;
    }
    masked
        .chars()
        .take(limit.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Shapes of the products' tokens: a prefix that only credentials have, and a length that no word has.
const CREDENTIAL_PREFIXES: &[&str] = &[
    "ya29.", "1//", "ntn_", "secret_", "ver:", "eyJ", "GOCSPX-", "stead_",
];

fn mask_word(word: &str) -> Cow<'_, str> {
    let credential = word.len() >= 16
        && CREDENTIAL_PREFIXES
            .iter()
            .any(|prefix| word.find(prefix).is_some_and(|at| word.len() - at >= 16));
    if credential {
        Cow::Borrowed("[removed] ")
    } else {
        Cow::Borrowed(word)
    }
}

fn scrub_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = scrub(text, 1000),
        Value::Array(items) => items.iter_mut().for_each(scrub_value),
        Value::Object(members) => members.values_mut().for_each(scrub_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::from_name(kind.name()), Some(*kind));
            assert!((400..600).contains(&kind.status()), "{kind}");
        }
    }

    #[test]
    fn a_problem_reads_back_as_the_same_error() {
        let error = Error::new(ErrorKind::ScopeMissing, "needs a scope")
            .with_required_scopes(["a", "b"])
            .with_upstream(Upstream::new(403).with_code("insufficientPermissions"));
        let wire = serde_json::to_string(&error.to_problem()).unwrap();
        let back = Error::from(serde_json::from_str::<Problem>(&wire).unwrap());
        assert_eq!(back.kind(), ErrorKind::ScopeMissing);
        assert_eq!(back.required_scopes(), ["a", "b"]);
        assert_eq!(
            back.upstream().unwrap().code.as_deref(),
            Some("insufficientPermissions")
        );
    }

    #[test]
    fn credentials_are_masked_and_texts_are_cut() {
        assert_eq!(
            scrub("token ya29.abcdefghijklmnop is bad", 500),
            "token [removed] is bad"
        );
        assert_eq!(scrub("line\nbreak", 500), "line break");
        assert_eq!(scrub(&"x".repeat(600), 500).chars().count(), 500);
    }
}
