//! Details of an error, with the same members in the library and over HTTP.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AuthorizationRequest, Upstream, Violation};
#[cfg(feature = "platform")]
use crate::scrub::each_text;

/// Details of an error.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Details {
    /// ID of the request at the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// ID of the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// Facts about the error's place, such as the connection.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// All places where the input doesn't match its schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// Scopes. The call needs one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_scopes: Vec<String>,
    /// The body for `POST /v1/authorization-links`, if the end user needs to act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_request: Option<AuthorizationRequest>,
    /// The link for the end user to open, if one was already created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_link: Option<String>,
    /// How long to wait before trying again. Whole seconds over HTTP.
    #[serde(
        rename = "retry_after_seconds",
        default,
        skip_serializing_if = "Option::is_none",
        with = "whole_seconds"
    )]
    #[schemars(with = "Option<u64>")]
    pub retry_after: Option<Duration>,
    /// The product's own error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// Objects that were created although the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Value>,
    /// Whether this is the result of an earlier call with the same idempotency key. A header over HTTP.
    #[serde(skip)]
    pub replayed: bool,
}

#[cfg(feature = "platform")]
impl Details {
    /// Calls `change` with each text that a product or a caller could have written.
    pub(super) fn each_text(&mut self, change: &mut impl FnMut(&mut String)) {
        for value in self.context.values_mut() {
            each_text(value, change);
        }
        for violation in &mut self.violations {
            change(&mut violation.path);
            change(&mut violation.message);
        }
        if let Some(value) = &mut self.partial {
            each_text(value, change);
        }
        let Some(upstream) = &mut self.upstream else {
            return;
        };
        let Upstream {
            status: _,
            code,
            message,
            request_id,
            details,
        } = upstream;
        for text in [code, message, request_id].into_iter().flatten() {
            change(text);
        }
        if let Some(value) = details {
            each_text(value, change);
        }
    }
}

mod whole_seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "the form that serde asks for")]
    pub(super) fn serialize<S: Serializer>(
        after: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match after {
            Some(after) => {
                let begun = u64::from(after.subsec_nanos() > 0);
                serializer.serialize_u64(after.as_secs().saturating_add(begun))
            }
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_secs))
    }
}
