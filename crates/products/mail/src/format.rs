//! How much of a mail or a thread is returned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::tool::{Call, Output, RequiredScopes};

use crate::scopes;

/// How much of a mail is returned (Gmail API, `Format`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The words say what they mean to a model.
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
    /// Name on the wire.
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
    /// Whether it has the headers that a readable form needs.
    pub(crate) const fn is_readable(self) -> bool {
        matches!(self, Self::Full | Self::Metadata)
    }
}

/// How much of each mail of a thread is returned (Gmail API, `users.threads.get`): threads have no raw form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
// The words say what they mean to a model.
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
    /// Name on the wire.
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

/// Whether Google returns only headers. If the user granted `gmail.metadata`, it does, even next to a wider scope.
fn has_headers_only(call: &Call) -> bool {
    call.has_scope(RequiredScopes(&[scopes::METADATA]))
}

/// Warns that the mails have no text, if the user's scopes are the reason and not the call.
pub(crate) fn warn_of_missing_text(output: Output, asked_format: bool, call: &Call) -> Output {
    if asked_format || !has_headers_only(call) {
        return output;
    }
    let message = "the user granted gmail.metadata, with which Gmail returns headers without text; to read mails, create a link that asks for gmail.readonly";
    output.warn("headers_only", message)
}
