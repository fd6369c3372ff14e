//! The table of error kinds: what went wrong, whether to retry, and who needs to act.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The party that needs to act so that the call can succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ActBy {
    /// The developer of the application (or the model that wrote the input).
    AppDeveloper,
    /// The end user for whom the call was made.
    EndUser,
    /// The product. Everyone else can only wait.
    Product,
    /// The operator of this Stead environment. Also used for values that only a newer service knows.
    #[serde(other)]
    Operator,
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
        /// Kind of an error. The variants' documentation is the public reference.
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
            /// HTTP status of the service's response.
            pub const fn status(self) -> u16 {
                match self { $( Self::$variant => $status, )+ }
            }
            /// Whether the same call can succeed later without a change.
            pub const fn retryable(self) -> bool {
                match self { $( Self::$variant => $retry, )+ }
            }
            /// The party that needs to act.
            pub const fn act_by(self) -> ActBy {
                match self { $( Self::$variant => ActBy::$act, )+ }
            }
            /// One sentence about the kind, the same for all its errors.
            pub fn summary(self) -> &'static str {
                match self { $( Self::$variant => concat!($($doc),+).trim(), )+ }
            }
            /// The kind with this name, if this version knows it.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $( $name => Some(Self::$variant), )+ _ => None }
            }
        }
    };
}

kinds! {
    /// The request isn't valid: its JSON, a parameter or a value.
    InvalidRequest = "invalid_request", 400, false, AppDeveloper;
    /// The tool's input doesn't match its schema; `violations` lists every problem.
    SchemaViolation = "schema_violation", 422, false, AppDeveloper;
    /// No tool has this name; the message lists similar ones.
    UnknownTool = "unknown_tool", 404, false, AppDeveloper;
    /// No connection has this name.
    UnknownConnection = "unknown_connection", 404, false, AppDeveloper;
    /// The tool and the connection belong to different products.
    WrongProduct = "wrong_product", 400, false, AppDeveloper;
    /// No account exists for this connection and identifier.
    AccountNotFound = "account_not_found", 404, false, AppDeveloper;
    /// The requested resource doesn't exist.
    NotFound = "not_found", 404, false, AppDeveloper;
    /// This name already exists.
    AlreadyExists = "already_exists", 409, false, AppDeveloper;
    /// The requested tool or product version is unknown, or two versions contradict each other.
    UnsupportedVersion = "unsupported_version", 400, false, AppDeveloper;
    /// The content has no bytes in the requested range; the message says how many it has.
    RangeNotSatisfiable = "range_not_satisfiable", 416, false, AppDeveloper;
    /// The proxied path or query isn't valid, or could leave the product's origin.
    PathInvalid = "path_invalid", 400, false, AppDeveloper;
    /// A different request used this idempotency key in the last 24 hours.
    IdempotencyMismatch = "idempotency_mismatch", 422, false, AppDeveloper;
    /// A call with this idempotency key is still running, or its response was too large to store.
    IdempotencyConflict = "idempotency_conflict", 409, false, AppDeveloper;
    /// The body is larger than the service allows.
    RequestTooLarge = "request_too_large", 413, false, AppDeveloper;
    /// The path or the proxy doesn't accept this HTTP method.
    MethodNotAllowed = "method_not_allowed", 405, false, AppDeveloper;
    /// The proxy doesn't forward this header.
    HeaderNotAllowed = "header_not_allowed", 400, false, AppDeveloper;
    /// The application's own credentials are missing, wrong or expired.
    Unauthenticated = "unauthenticated", 401, false, AppDeveloper;
    /// The bearer token is valid but doesn't allow this; if a scope is missing, `required_scopes` names it.
    InsufficientScope = "insufficient_scope", 403, false, AppDeveloper;
    /// A policy, the connection, or the caller's role forbids this.
    Forbidden = "forbidden", 403, false, Operator;
    /// A policy requires a person to approve this call first.
    ApprovalRequired = "approval_required", 409, false, Operator;
    /// Another site sent this form.
    OriginRejected = "origin_rejected", 403, false, AppDeveloper;
    /// The `Host` header isn't the public URL's host or another host that this environment serves.
    HostRejected = "host_rejected", 403, false, Operator;
    /// The end user needs to authorize; create a link with `authorization_request` as the body and show it.
    AuthorizationRequired = "authorization_required", 409, false, EndUser;
    /// The end user came back, but the application hasn't confirmed who it was yet.
    VerificationRequired = "verification_required", 409, false, AppDeveloper;
    /// The link was made for a different identifier.
    IdentifierMismatch = "identifier_mismatch", 403, false, AppDeveloper;
    /// No authorization has this id, link or state.
    AuthorizationNotFound = "authorization_not_found", 404, false, EndUser;
    /// The link or the authorization has expired; create a new link.
    AuthorizationExpired = "authorization_expired", 410, false, EndUser;
    /// The link or the callback was already used; create a new link.
    AuthorizationConsumed = "authorization_consumed", 410, false, EndUser;
    /// The end user declined to give access.
    AuthorizationDenied = "authorization_denied", 403, false, EndUser;
    /// The product didn't complete the authorization; create a new link.
    AuthorizationFailed = "authorization_failed", 502, false, EndUser;
    /// A member's sign-in at the provider wasn't completed; start it again.
    SignInFailed = "sign_in_failed", 403, false, EndUser;
    /// The person signed in at the provider, but this environment doesn't allow them.
    SignInRefused = "sign_in_refused", 403, false, Operator;
    /// The members' sign-in provider can't be reached, or its response isn't valid.
    SignInProviderFailed = "sign_in_provider_failed", 502, true, Operator;
    /// The operator's issuer of agents' tokens can't be reached, or doesn't publish valid keys.
    IssuerUnavailable = "issuer_unavailable", 503, true, Operator;
    /// A different browser came back than the one that opened the link.
    BrowserMismatch = "browser_mismatch", 403, false, EndUser;
    /// The end user signed in to the product with a different account than last time.
    ProductAccountMismatch = "product_account_mismatch", 409, false, EndUser;
    /// The user hasn't granted a permission that the call needs; create a link with `authorization_request` as the
    /// body.
    ScopeMissing = "scope_missing", 403, false, EndUser;
    /// The account is suspended.
    AccountSuspended = "account_suspended", 403, false, AppDeveloper;
    /// The connection is a draft or disabled.
    ConnectionNotReady = "connection_not_ready", 409, false, AppDeveloper;
    /// The product refuses the connection's client ID or secret.
    ConnectionCredentialsRejected = "connection_credentials_rejected", 502, false, AppDeveloper;
    /// Another process is refreshing this account's credential.
    RefreshInProgress = "refresh_in_progress", 503, true, Product;
    /// The product's token endpoint doesn't return a new access token.
    RefreshUnavailable = "refresh_unavailable", 503, true, Product;
    /// The product refuses a token that it has just issued.
    ProductRejectedToken = "product_rejected_token", 502, true, EndUser;
    /// The product doesn't allow this user to do this, for example because of sharing or an organization's policy.
    ProductForbidden = "product_forbidden", 403, false, EndUser;
    /// The product has no such object, or the user can't see it.
    ProductNotFound = "product_not_found", 404, false, AppDeveloper;
    /// The object's state at the product doesn't allow this.
    ProductConflict = "product_conflict", 409, false, AppDeveloper;
    /// The product rejects the request's content.
    ProductInvalidRequest = "product_invalid_request", 422, false, AppDeveloper;
    /// The product throttles this user or application.
    ProductRateLimited = "product_rate_limited", 429, true, Product;
    /// The application has used up its quota at the product for a longer time.
    ProductQuotaExhausted = "product_quota_exhausted", 429, true, AppDeveloper;
    /// The product's API isn't enabled for the application.
    ProductNotEnabled = "product_not_enabled", 409, false, AppDeveloper;
    /// The product failed or can't be reached.
    ProductUnavailable = "product_unavailable", 502, true, Product;
    /// The product didn't respond in time; the call changed nothing.
    ProductTimeout = "product_timeout", 504, true, Product;
    /// The call's deadline passed before Stead sent a request.
    DeadlineExceeded = "deadline_exceeded", 504, true, AppDeveloper;
    /// A write was sent but no response arrived, so it may or may not have happened.
    OutcomeUnknown = "outcome_unknown", 502, false, AppDeveloper;
    /// The product said that a write may have been saved, and reading it back didn't settle it.
    WriteUnconfirmed = "write_unconfirmed", 502, false, AppDeveloper;
    /// Stead can't understand the product's response.
    ProductProtocolError = "product_protocol_error", 502, false, Product;
    /// The product no longer keeps this result.
    ResultExpired = "result_expired", 410, false, AppDeveloper;
    /// The product's response is larger than allowed.
    ResponseTooLarge = "response_too_large", 502, false, AppDeveloper;
    /// The product redirected; Stead never sends credentials to the new address.
    UpstreamRedirectBlocked = "upstream_redirect_blocked", 502, false, AppDeveloper;
    /// The product's response was interrupted.
    UpstreamTruncated = "upstream_truncated", 502, true, Product;
    /// Too many requests for a rate limit of this environment, or the call would time out in the queue.
    RateLimited = "rate_limited", 429, true, AppDeveloper;
    /// This environment is overloaded or has no file descriptors left; no write was sent.
    Overloaded = "overloaded", 503, true, Operator;
    /// The current state doesn't allow this change.
    InvalidTransition = "invalid_transition", 409, false, AppDeveloper;
    /// The client can't reach the Stead service.
    ServiceUnavailable = "service_unavailable", 503, true, Operator;
    /// The store doesn't respond.
    StorageUnavailable = "storage_unavailable", 503, true, Operator;
    /// The key that encrypted a secret is missing or wrong.
    KeyUnavailable = "key_unavailable", 503, false, Operator;
    /// A stored row was changed outside Stead, so its integrity check fails.
    IntegrityViolated = "integrity_violated", 500, false, Operator;
    /// This process is shutting down.
    ShuttingDown = "shutting_down", 503, true, Operator;
    /// An error in Stead itself.
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

impl JsonSchema for ErrorKind {
    fn schema_name() -> Cow<'static, str> {
        "ErrorKind".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::ALL.iter().map(|kind| kind.name()).collect();
        json_schema!({ "type": "string", "enum": names, "description": "Kind of the error. Later versions can add kinds." })
    }
}

impl<'de> Deserialize<'de> for ErrorKind {
    /// A name from a newer service becomes [`ErrorKind::Internal`]. [`Error`](super::Error) keeps its other details.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::from_name(&name).unwrap_or(Self::Internal))
    }
}

impl ErrorKind {
    /// The kind for a product's HTTP status, if the product's own error codes aren't more specific.
    ///
    /// 410 is [`ProductNotFound`](Self::ProductNotFound), because the object no longer exists (RFC 9110,
    /// section 15.5.11).
    ///
    /// 412 is [`ProductConflict`](Self::ProductConflict), because the object has changed since the caller read it
    /// (section 15.5.13).
    pub const fn of_product_status(status: u16) -> Self {
        match status {
            300..=399 => Self::UpstreamRedirectBlocked,
            401 => Self::ProductRejectedToken,
            403 => Self::ProductForbidden,
            404 | 410 => Self::ProductNotFound,
            408 => Self::ProductTimeout,
            409 | 412 => Self::ProductConflict,
            429 => Self::ProductRateLimited,
            400..=499 => Self::ProductInvalidRequest,
            _ => Self::ProductUnavailable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name_and_an_error_status() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::from_name(kind.name()), Some(*kind));
            assert!((400..600).contains(&kind.status()), "{kind}");
        }
    }
}
