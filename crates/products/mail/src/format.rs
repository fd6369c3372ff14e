//! How much of a mail or a thread is returned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}
