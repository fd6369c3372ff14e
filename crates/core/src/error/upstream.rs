//! The product's own error of a failed call, truncated and without credentials.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scrub::{scrub, scrub_value};

/// The product's own error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Upstream {
    /// HTTP status.
    pub status: u16,
    /// The product's own code or reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The product's own message, without credentials. At most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The product's own ID of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The product's own error object, without credentials. At most 4 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl Upstream {
    /// An error with this status.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }
    /// Everything except the product's error object.
    pub(super) fn in_short(&self) -> impl fmt::Debug + '_ {
        fmt::from_fn(move |f| {
            let mut shown = f.debug_struct("Upstream");
            shown.field("status", &self.status);
            for (name, text) in [
                ("code", &self.code),
                ("message", &self.message),
                ("request_id", &self.request_id),
            ] {
                if let Some(text) = text {
                    shown.field(name, text);
                }
            }
            shown.finish()
        })
    }
    /// Sets the product's own code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(scrub(&code.into(), 100));
        self
    }
    /// Sets the product's own message, without credentials and truncated to 500 characters.
    #[must_use]
    pub fn with_message(mut self, message: &str) -> Self {
        self.message = Some(scrub(message, 500));
        self
    }
    /// Sets the product's own error object if it's at most 4 KB as JSON, without credentials.
    #[must_use]
    pub fn with_details(mut self, mut details: Value) -> Self {
        scrub_value(&mut details);
        self.details = (details.to_string().len() <= 4096).then_some(details);
        self
    }
}
