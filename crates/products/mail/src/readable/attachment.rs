//! An attachment in short: what it is, and its text where it is one.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, shortened, text_of};

use crate::charset::{decode_base64, decode_text};

/// Bytes of the text of an attachment.
const TEXT: usize = 5_000;

/// An attachment in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AttachmentView {
    /// Id that stays the same: `part:` and the part's id; the caller's own where the part is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    attachment_id: Option<String>,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_name: Option<String>,
    /// MIME type.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    /// Size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Content of a file of text; that of any other is read by its handle, and is in the view `full`, as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// True where the text goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Whether the result has content.
    #[serde(skip)]
    has_content: bool,
}

impl Readable for AttachmentView {
    const UNTRUSTED: &'static [&'static str] = &["file_name", "text"];

    fn of(result: Value) -> Self {
        let mime_type = text_of(&result["mime_type"]);
        let is_text = mime_type.as_deref().is_some_and(|mime_type| {
            mime_type.starts_with("text/") || mime_type == "application/json"
        });
        let content = || decode_base64(result["data"].as_str()?);
        let bytes = is_text.then(content).flatten();
        let text = bytes.map(|bytes| shortened(decode_text(&bytes, None), TEXT));
        let truncated = text.as_ref().is_some_and(|(_, is_cut)| *is_cut);
        Self {
            attachment_id: text_of(&result["attachment_id"]),
            file_name: text_of(&result["file_name"]),
            mime_type,
            size: result["size"].as_u64(),
            text: text.map(|(text, _)| text),
            truncated,
            has_content: text_of(&result["data"]).is_some(),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        if !self.has_content {
            return Vec::new();
        }
        let media_type = self.mime_type.clone().unwrap_or_default();
        let name = self.file_name.clone();
        vec![Whole::file("/data", name, media_type, self.size)]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_shown_and_other_content_is_not() {
        let file = |kind: &str| json!({ "attachment_id": "part:1", "mime_type": kind, "size": 2, "data": "aGk=" });
        let text = AttachmentView::of(file("text/csv"));
        assert_eq!(text.text.as_deref(), Some("hi"));
        let image = AttachmentView::of(file("image/png"));
        assert_eq!(image.text, None);
        let whole = image.wholes().remove(0);
        let media_type = String::from("image/png");
        assert_eq!(whole, Whole::file("/data", None, media_type, Some(2)));
        assert!(
            AttachmentView::of(json!({ "size": 0, "data": "" }))
                .wholes()
                .is_empty()
        );
    }
}
