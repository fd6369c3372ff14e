//! The readable view of an attachment: its description, and its text if it has one.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, shortened, text_of};
use stead_google::decode_base64;

use crate::charset::decode_text;

/// Most bytes of an attachment's text.
const TEXT: usize = 5_000;

/// An attachment, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AttachmentView {
    /// Stable id: `part:` and the part's id. If the part isn't known, the id from the call.
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
    /// Content of a text file. For other files, use the handle, or the view `full` with base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// True if there is more text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Whether the result includes content.
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
