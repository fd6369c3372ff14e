//! Formats of mails and threads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::tool::{Call, Output, RequiredScopes};

use crate::scopes;

/// Parts of a mail to return (Gmail API, `Format`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum MessageFormat {
    /// Headers, text, HTML and the list of attachments.
    #[default]
    Full,
    /// Only headers and labels.
    Metadata,
    /// Ids, labels and the first words.
    Minimal,
    /// The whole mail as RFC 822, base64url, in `raw`.
    Raw,
}

impl MessageFormat {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Metadata => "metadata",
            Self::Minimal => "minimal",
            Self::Raw => "raw",
        }
    }

    /// The format of the call. If the call names none, this is the fullest format that the user's scopes allow.
    pub(crate) fn of(asked: Option<Self>, call: &Call) -> Self {
        asked.unwrap_or(match has_headers_only(call) {
            true => Self::Metadata,
            false => Self::Full,
        })
    }
    /// Whether this format includes the headers, which the readable form needs.
    pub(crate) const fn is_readable(self) -> bool {
        matches!(self, Self::Full | Self::Metadata)
    }
}

/// Parts of each mail in a thread to return (Gmail API, `users.threads.get`). Threads have no raw format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum ThreadFormat {
    /// Headers, text, HTML and the list of attachments.
    #[default]
    Full,
    /// Only headers and labels.
    Metadata,
    /// Ids, labels and the first words.
    Minimal,
}

impl ThreadFormat {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Metadata => "metadata",
            Self::Minimal => "minimal",
        }
    }

    /// The format of the call. If the call names none, this is the fullest format that the user's scopes allow.
    pub(crate) fn of(asked: Option<Self>, call: &Call) -> Self {
        asked.unwrap_or(match has_headers_only(call) {
            true => Self::Metadata,
            false => Self::Full,
        })
    }
}

/// Whether Google returns only headers. With `gmail.metadata` it does, even if the user also granted a wider scope.
fn has_headers_only(call: &Call) -> bool {
    call.has_scope(RequiredScopes(&[scopes::METADATA]))
}

/// Warns that the mails have no text because of the user's scopes, unless the call asked for that format.
pub(crate) fn warn_of_missing_text(output: Output, asked_format: bool, call: &Call) -> Output {
    if asked_format || !has_headers_only(call) {
        return output;
    }
    let message = "with the scope gmail.metadata, Gmail returns headers without text; to read mails, create a link that requests gmail.readonly";
    output.warn("headers_only", message)
}
