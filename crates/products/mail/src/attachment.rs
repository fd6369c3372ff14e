//! Attachments of a mail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::part::Part;

/// A file attached to a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Attachment {
    /// Id for `mail_get_attachment_by_id`: `part:` and the part's id. Unlike the product's own id, it doesn't change.
    pub attachment_id: String,
    /// File name without folders; `null` if the mail doesn't have one.
    pub file_name: Option<String>,
    /// MIME type.
    pub mime_type: String,
    /// Size in bytes, as declared.
    pub size: u64,
    /// Whether it's shown within the text, such as a logo.
    pub inline: bool,
    /// Id that the HTML uses to refer to it (`cid:`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_id: Option<String>,
}

impl Attachment {
    pub(crate) fn of(part: Part<'_>) -> Self {
        Self {
            attachment_id: part.stable_id(),
            file_name: part.file_name(),
            mime_type: part.mime_type(),
            size: part.size(),
            inline: part.is_inline(),
            content_id: part.content_id().map(str::to_owned),
        }
    }
}
