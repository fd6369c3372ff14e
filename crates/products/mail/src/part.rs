//! A part of a message in the API (Gmail API, `MessagePart`). Any member may be missing.

use serde_json::Value;
use stead_google::decode_base64;

use crate::{
    address::{decode_words, parameter},
    charset::decode_text,
};

/// Prefix of an attachment id that contains a part's id. The product's own attachment ids change with every read, the
/// parts' ids don't.
const PART_PREFIX: &str = "part:";

/// A part of a message, with all parts below it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a>(&'a Value);

impl<'a> Part<'a> {
    /// The message's outermost part.
    pub(crate) fn root(message: &'a Value) -> Self {
        Self(&message["payload"])
    }
    /// The parts directly below this one.
    pub(crate) fn parts(self) -> impl Iterator<Item = Self> {
        self.0["parts"].as_array().into_iter().flatten().map(Self)
    }
    /// This part and all parts below it, in reading order.
    pub(crate) fn tree(self) -> Vec<Self> {
        let mut found = vec![self];
        self.parts().for_each(|part| found.extend(part.tree()));
        found
    }
    /// Id within the message, such as `0.1`; empty if the mail has only one part.
    pub(crate) fn id(self) -> &'a str {
        self.0["partId"].as_str().unwrap_or_default()
    }
    /// The stable id, which the attachment tool accepts.
    pub(crate) fn stable_id(self) -> String {
        format!("{PART_PREFIX}{}", self.id())
    }
    /// The part's id in a stable id.
    pub(crate) fn id_of_stable(stable_id: &str) -> Option<&str> {
        stable_id.strip_prefix(PART_PREFIX)
    }
    /// MIME type in lower case.
    pub(crate) fn mime_type(self) -> String {
        let declared = self.0["mimeType"]
            .as_str()
            .filter(|mime_type| !mime_type.is_empty());
        declared
            .unwrap_or("application/octet-stream")
            .to_ascii_lowercase()
    }
    /// Its headers, by name and value.
    pub(crate) fn headers(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let headers = self.0["headers"].as_array().into_iter().flatten();
        headers.filter_map(|header| Some((header["name"].as_str()?, header["value"].as_str()?)))
    }
    /// First header with this name.
    pub(crate) fn header(self, name: &str) -> Option<&'a str> {
        let mut headers = self.headers();
        headers
            .find(|(one, _)| one.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
    /// File name, without folders and control characters; `None` if there is none.
    pub(crate) fn file_name(self) -> Option<String> {
        let declared = self.0["filename"]
            .as_str()
            .filter(|name| !name.trim().is_empty());
        let of = |header: &str, name: &str| parameter(self.header(header)?, name);
        let decoded = declared
            .map(decode_words)
            .or_else(|| of("Content-Disposition", "filename"))
            .or_else(|| of("Content-Type", "name").map(|name| decode_words(&name)))?;
        let last = decoded.rsplit(['/', '\\']).next()?;
        let name: String = last.chars().filter(|one| !one.is_control()).collect();
        let name = name.trim();
        (!matches!(name, "" | "." | "..")).then(|| name.to_owned())
    }
    /// The product's attachment id, if the response doesn't include the content. It changes with every read.
    pub(crate) fn attachment_id(self) -> Option<&'a str> {
        self.0["body"]["attachmentId"]
            .as_str()
            .filter(|id| !id.is_empty())
    }
    /// Size in bytes, as declared.
    pub(crate) fn size(self) -> u64 {
        self.0["body"]["size"].as_u64().unwrap_or_default()
    }
    /// Content that the response includes; `None` if there is none, or it isn't base64.
    pub(crate) fn content(self) -> Option<Vec<u8>> {
        decode_base64(self.0["body"]["data"].as_str()?)
    }
    /// Content that the response includes, as text.
    pub(crate) fn text(self) -> Option<String> {
        let charset = self
            .header("Content-Type")
            .and_then(|value| parameter(value, "charset"));
        Some(decode_text(&self.content()?, charset.as_deref()))
    }
    /// The first word of `Content-Disposition`, in lower case.
    fn disposition(self) -> Option<String> {
        let value = self.header("Content-Disposition")?;
        Some(
            value
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase(),
        )
    }
    /// The `Content-ID` without angle brackets. HTML uses it to refer to an image (`cid:`).
    pub(crate) fn content_id(self) -> Option<&'a str> {
        let id = self
            .header("Content-ID")?
            .trim()
            .trim_start_matches('<')
            .trim_end_matches('>');
        (!id.is_empty()).then_some(id)
    }
    /// Whether it's shown within the text instead of as an attachment.
    pub(crate) fn is_inline(self) -> bool {
        match self.disposition().as_deref() {
            Some("attachment") => false,
            Some("inline") => true,
            _ => self.content_id().is_some(),
        }
    }
    /// Whether it contains other parts of the same mail. An attached mail doesn't.
    pub(crate) fn is_container(self) -> bool {
        self.mime_type().starts_with("multipart/")
    }
    /// Whether it's a file: it has a name or the disposition `attachment`, it's an attached mail, or it isn't readable
    /// text.
    pub(crate) fn is_attachment(self) -> bool {
        !self.is_container()
            && (self.file_name().is_some()
                || self.disposition().as_deref() == Some("attachment")
                || !self.is_text())
    }
    /// Whether it's text of the mail, by its type and disposition. Unknown types of text are read as plain text (RFC 2046,
    /// 4.1.4). A part that is shown within the mail may be a file as well.
    pub(crate) fn is_text(self) -> bool {
        let is_shown = match self.disposition().as_deref() {
            Some("attachment") => false,
            Some("inline") => true,
            _ => self.file_name().is_none() || self.id().is_empty(),
        };
        is_shown && self.mime_type().starts_with("text/") && self.mime_type() != "text/x-amp-html"
    }
    /// Whether it's another version of the text than plain text or HTML, such as AMP or Markdown.
    pub(crate) fn is_other_version(self) -> bool {
        let is_file = self.file_name().is_some() || self.disposition().is_some();
        let mime_type = self.mime_type();
        !is_file
            && mime_type.starts_with("text/")
            && !matches!(
                mime_type.as_str(),
                "text/plain" | "text/html" | "text/calendar"
            )
    }
    /// Whether the response includes it. The headers-only format returns a root without a body.
    pub(crate) fn has_content(self) -> bool {
        self.0["body"].is_object() || self.parts().next().is_some()
    }
}
