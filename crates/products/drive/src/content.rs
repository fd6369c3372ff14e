//! The content of a file that a caller sends: bytes, their media type, and the format to convert them into.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::error::Violations;
use stead_google::{decode_base64, guess_media_type, type_and_subtype};

/// Most bytes of a file in one call.
const MOST: usize = 1_000_000;

/// A format of Google's own to convert a file into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The names are self-explanatory.
#[schemars(extend("x-obvious" = true))]
pub enum ConvertTo {
    /// Google Docs.
    #[default]
    Document,
    /// Google Sheets.
    Spreadsheet,
    /// Google Slides.
    Presentation,
}

impl ConvertTo {
    /// MIME type in the API.
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Document => "application/vnd.google-apps.document",
            Self::Spreadsheet => "application/vnd.google-apps.spreadsheet",
            Self::Presentation => "application/vnd.google-apps.presentation",
        }
    }
}

/// The content as the caller gave it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: Option<&'a str>,
    pub(crate) base64: Option<&'a str>,
    pub(crate) media_type: Option<&'a str>,
    pub(crate) convert_to: Option<ConvertTo>,
}

impl<'a> Content<'a> {
    /// The bytes; `None` if the file is empty.
    pub(crate) fn bytes(&self, violations: &mut Violations) -> Option<Cow<'a, [u8]>> {
        let (path, bytes) = match (self.text, self.base64) {
            (None, None) => return None,
            (Some(text), None) => ("/text", Cow::Borrowed(text.as_bytes())),
            (None, Some(written)) => {
                let path = "/content_base64";
                let Some(bytes) = decode_base64(written) else {
                    violations.add(path, "format", "expected Base64");
                    return None;
                };
                (path, Cow::Owned(bytes))
            }
            (Some(_), Some(_)) => {
                let message = "give text or content_base64, not both";
                violations.add("/content_base64", "oneOf", message);
                return None;
            }
        };
        if bytes.len() > MOST {
            let message = format!(
                "the file has {} bytes; a call can send at most {MOST}; upload a larger file with a raw request",
                bytes.len()
            );
            violations.add(path, "maxLength", message);
        }
        Some(bytes)
    }

    /// The media type of the bytes, or of an empty file.
    pub(crate) fn media_type(&self) -> Cow<'a, str> {
        let by_name = guess_media_type(self.name, self.text.is_some());
        if self.text.is_none() {
            let other = by_name.unwrap_or("application/octet-stream");
            return Cow::Borrowed(self.media_type.unwrap_or(other));
        }
        let by_target = match self.convert_to {
            // The product imports no plain text as a spreadsheet.
            Some(ConvertTo::Spreadsheet) => "text/csv",
            _ => "text/plain",
        };
        let kind = self.media_type.or(by_name).unwrap_or(by_target);
        let names_none = !kind.to_ascii_lowercase().contains("charset");
        if kind.starts_with("text/") && names_none {
            Cow::Owned(format!("{kind}; charset=UTF-8"))
        } else {
            Cow::Borrowed(kind)
        }
    }

    /// Refuses a media type that a header can't hold.
    pub(crate) fn check_media_type(&self, violations: &mut Violations) {
        if !self.media_type.is_none_or(is_media_type) {
            let message = "expected a media type such as application/pdf";
            violations.add("/media_type", "format", message);
        }
    }
}

/// A type and a subtype, optionally with parameters.
fn is_media_type(text: &str) -> bool {
    let (kind, parameters) = text.split_once(';').unwrap_or((text, ""));
    let is_kind = type_and_subtype(kind.trim_end()).is_some();
    let in_parameters = |byte: u8| matches!(byte, b' '..=b'~');
    is_kind && parameters.bytes().all(in_parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: Content<'_> = Content {
        name: "notes",
        text: Some("a"),
        base64: None,
        media_type: None,
        convert_to: None,
    };

    #[test]
    fn the_type_follows_from_the_given_members() {
        let text = |name, media_type, convert_to| {
            let content = Content {
                name,
                media_type,
                convert_to,
                ..NAMED
            };
            content.media_type().into_owned()
        };
        let sheet = Some(ConvertTo::Spreadsheet);
        for (name, given, convert_to, kind) in [
            ("notes", None, None, "text/plain; charset=UTF-8"),
            ("notes.md", None, None, "text/markdown; charset=UTF-8"),
            ("notes.JSON", None, None, "application/json"),
            ("notes.pdf", None, None, "text/plain; charset=UTF-8"),
            ("a.csv", None, sheet, "text/csv; charset=UTF-8"),
            ("a", None, sheet, "text/csv; charset=UTF-8"),
            (
                "a",
                None,
                Some(ConvertTo::Document),
                "text/plain; charset=UTF-8",
            ),
            ("a", Some("text/html"), None, "text/html; charset=UTF-8"),
            (
                "a",
                Some("text/x;Charset=utf-8"),
                sheet,
                "text/x;Charset=utf-8",
            ),
        ] {
            assert_eq!(text(name, given, convert_to), kind, "{name}");
        }
        for (name, given, kind) in [
            ("a.PNG", None, "image/png"),
            ("a.tar.gz", None, "application/gzip"),
            ("png", None, "application/octet-stream"),
            ("a.unknown", None, "application/octet-stream"),
            ("a.png", Some("image/x"), "image/x"),
        ] {
            let content = Content {
                name,
                text: None,
                media_type: given,
                ..NAMED
            };
            assert_eq!(content.media_type(), kind, "{name}");
        }
    }

    #[test]
    fn a_media_type_fits_into_a_header() {
        for good in [
            "text/plain",
            "image/svg+xml",
            "text/html; charset=\"utf-8\"",
        ] {
            assert!(is_media_type(good), "{good}");
        }
        for bad in [
            "",
            "text",
            "text/",
            "/plain",
            "a/b/c",
            "a b/c",
            "a/b\r\nx: y",
            "a/b; x=\u{e9}",
        ] {
            assert!(!is_media_type(bad), "{bad:?}");
        }
    }
}
