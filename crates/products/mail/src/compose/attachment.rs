//! Files that a caller attaches to a mail.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mail_builder::{
    headers::content_type::ContentType,
    mime::{BodyPart, MimePart},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{Setters, error::Violations};
use stead_google::{decode_base64, guess_media_type, type_and_subtype};

/// A file to attach. It needs either `text` or `content_base64`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct NewAttachment {
    /// File name, such as `report.csv`.
    #[schemars(length(min = 1, max = 255))]
    pub name: String,
    /// Media type, such as `text/csv`. By default, it follows from the extension, otherwise a text is `text/plain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Content as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Content in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
}

/// The attachments as parts of a mail.
pub(super) fn read<'x>(
    given: &'x [NewAttachment],
    violations: &mut Violations,
) -> Vec<MimePart<'x>> {
    let mut parts = Vec::with_capacity(given.len());
    for (index, attachment) in given.iter().enumerate() {
        parts.extend(part(
            attachment,
            &format!("/attachments/{index}"),
            violations,
        ));
    }
    parts
}

fn part<'x>(
    given: &'x NewAttachment,
    path: &str,
    violations: &mut Violations,
) -> Option<MimePart<'x>> {
    if given.name.chars().any(char::is_control) {
        let message = "a file name can't contain line breaks or other control characters";
        violations.add(&format!("{path}/name"), "pattern", message);
    }
    let (content, usual): (Cow<'_, [u8]>, _) = match (&given.text, &given.content_base64) {
        (Some(text), None) => (text.as_bytes().into(), "text/plain"),
        (None, Some(base64)) => match decode_base64(base64) {
            Some(bytes) => (bytes.into(), "application/octet-stream"),
            None => {
                let message = "isn't base64 (RFC 4648)";
                let path = format!("{path}/content_base64");
                violations.add(&path, "contentEncoding", message);
                return None;
            }
        },
        _ => {
            let message = "an attachment needs either text or content_base64";
            violations.add(path, "oneOf", message);
            return None;
        }
    };
    // A mail as a file can't have its own type, because its bytes are in base64 (RFC 2046, 5.2.1).
    let guessed = guess_media_type(&given.name, given.text.is_some())
        .filter(|guess| check_media_type(guess).is_ok());
    let media_type = given.media_type.as_deref().or(guessed).unwrap_or(usual);
    if let Err(message) = check_media_type(media_type) {
        violations.add(&format!("{path}/media_type"), "format", message);
        return None;
    }
    let mut declared = ContentType::new(media_type);
    if given.text.is_some() && declared.is_text() {
        declared = declared.attribute("charset", "utf-8");
    }
    // In base64, every byte of a text arrives, too. Other encodings change its line ends.
    let part = MimePart::new(declared, BodyPart::Binary(in_lines(&content).into()))
        .attachment(given.name.as_str())
        .transfer_encoding("base64");
    Some(part)
}

/// Base64 in lines of 76 characters (RFC 2045, 6.8).
fn in_lines(content: &[u8]) -> Vec<u8> {
    let encoded = STANDARD.encode(content).into_bytes();
    encoded.chunks(76).collect::<Vec<_>>().join(&b"\r\n"[..])
}

/// A media type without parameters (RFC 6838, 4.2).
fn check_media_type(text: &str) -> Result<(), String> {
    match type_and_subtype(text) {
        None => Err(format!(
            "{text:?} isn't a media type; write one without parameters, such as `application/pdf`"
        )),
        Some((kind, _))
            if kind.eq_ignore_ascii_case("multipart") || kind.eq_ignore_ascii_case("message") =>
        {
            Err(format!(
                "a file can't have the media type {text:?}; use `application/octet-stream`"
            ))
        }
        Some(_) => Ok(()),
    }
}
