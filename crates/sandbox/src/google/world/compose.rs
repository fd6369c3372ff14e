//! Seeded messages: turns a short description into a message with all of its headers and parts.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::mime::{Content, Message, Part};
use crate::shared::hex;

/// A seeded message.
#[derive(Deserialize)]
pub(super) struct SeedMessage {
    /// The name of the message in the seed, from which its ID is derived.
    key: &'static str,
    received: Timestamp,
    #[serde(default)]
    labels: Vec<String>,
    /// The keys of the first message in the thread, and of the message that this one replies to.
    #[serde(borrow, default)]
    reply_to: Option<(&'static str, &'static str)>,
    from: String,
    to: String,
    subject: String,
    /// Additional headers.
    #[serde(default)]
    headers: Vec<(String, String)>,
    content: SeedPart,
}

/// A part of a message.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "'de: 'static"))]
enum SeedPart {
    /// Plain text in UTF-8.
    Plain(String),
    /// HTML in UTF-8.
    Html(String),
    Text(SeedText),
    Multipart(SeedMultipart),
    File(SeedFile),
    /// An attached message, with the name of its file.
    Message(String, Box<SeedMessage>),
}

/// A text in any character set.
#[derive(Deserialize)]
struct SeedText {
    /// The whole Content-Type except the charset.
    #[serde(rename = "type")]
    kind: String,
    charset: &'static str,
    /// Whether the raw message has it in base64.
    #[serde(default)]
    base64: bool,
    text: String,
}

/// Parts between boundaries.
#[derive(Deserialize)]
struct SeedMultipart {
    /// For example, `mixed`.
    kind: String,
    boundary: &'static str,
    parts: Vec<SeedPart>,
}

#[derive(Deserialize)]
struct SeedFile {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    disposition: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    content: SeedContent,
}

/// The bytes of a file.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SeedContent {
    Text(String),
    Base64(String),
    /// This many bytes, which begin with a text.
    Filler {
        start: String,
        bytes: usize,
    },
}

impl SeedMessage {
    /// The content, with the message's headers in front of it.
    fn into_root(self) -> Part {
        let mut headers = vec![
            header(
                "Date",
                self.received
                    .strftime("%a, %d %b %Y %H:%M:%S +0000")
                    .to_string(),
            ),
            header("Message-ID", message_id(self.key)),
        ];
        if let Some((_, previous)) = self.reply_to {
            headers.push(header("In-Reply-To", message_id(previous)));
            headers.push(header("References", message_id(previous)));
        }
        headers.push(header("From", self.from));
        headers.push(header("To", self.to));
        headers.push(header("Subject", self.subject));
        headers.extend(self.headers);
        headers.push(header("MIME-Version", "1.0"));
        let mut root = Part::from(self.content);
        headers.append(&mut root.headers);
        root.headers = headers;
        root.number(String::new());
        root
    }
}

impl From<SeedMessage> for Message {
    fn from(mut seed: SeedMessage) -> Self {
        let (key, received) = (seed.key, seed.received);
        let thread = seed.reply_to.map_or(key, |(first, _)| first);
        let labels = std::mem::take(&mut seed.labels);
        let root = seed.into_root();
        let seconds = u64::try_from(received.as_second()).unwrap_or_default();
        Self {
            id: id_of(key),
            thread_id: id_of(thread),
            labels,
            received,
            // Increases with time, like Gmail's.
            history_id: seconds / 60,
            size: root.raw().len(),
            root,
            received_raw: None,
        }
    }
}

impl From<SeedPart> for Part {
    fn from(seed: SeedPart) -> Self {
        let utf8 = |kind: &str, text: String| SeedText {
            kind: kind.to_owned(),
            charset: "utf-8",
            base64: false,
            text,
        };
        match seed {
            SeedPart::Plain(body) => utf8("text/plain", body).into(),
            SeedPart::Html(body) => utf8("text/html", body).into(),
            SeedPart::Text(text) => text.into(),
            SeedPart::Multipart(seed) => {
                let mime_type = format!("multipart/{}", seed.kind);
                let content_type = format!("{mime_type}; boundary=\"{}\"", seed.boundary);
                Self {
                    parts: seed.parts.into_iter().map(Self::from).collect(),
                    ..part(
                        &mime_type,
                        vec![header("Content-Type", content_type)],
                        Content::Parts(seed.boundary),
                    )
                }
            }
            SeedPart::File(file) => file.into(),
            SeedPart::Message(filename, message) => {
                let inner = message.into_root();
                let headers = vec![
                    header(
                        "Content-Type",
                        format!("message/rfc822; name=\"{filename}\""),
                    ),
                    header(
                        "Content-Disposition",
                        format!("attachment; filename=\"{filename}\""),
                    ),
                ];
                let content = Content::File(Bytes::from(inner.raw()));
                Self {
                    filename,
                    parts: vec![inner],
                    ..part("message/rfc822", headers, content)
                }
            }
        }
    }
}

impl From<SeedText> for Part {
    fn from(seed: SeedText) -> Self {
        let coding = match seed.charset {
            _ if seed.base64 => "base64",
            "iso-2022-jp" => "7bit",
            _ if seed.text.is_ascii() => "7bit",
            _ => "8bit",
        };
        let headers = vec![
            header(
                "Content-Type",
                format!("{}; charset={}", seed.kind, seed.charset),
            ),
            header("Content-Transfer-Encoding", coding),
        ];
        let mime_type = seed.kind.split(';').next().unwrap_or_default();
        part(
            mime_type,
            headers,
            Content::Text(seed.text.replace('\n', "\r\n"), seed.charset),
        )
    }
}

impl From<SeedFile> for Part {
    fn from(seed: SeedFile) -> Self {
        // Names that aren't ASCII are encoded with RFC 2231.
        let named = |key: &str| {
            if seed.name.is_ascii() {
                format!("{key}=\"{}\"", seed.name)
            } else {
                format!(
                    "{key}*=UTF-8''{}",
                    utf8_percent_encode(&seed.name, NON_ALPHANUMERIC)
                )
            }
        };
        let mut headers = vec![
            header("Content-Type", format!("{}; {}", seed.kind, named("name"))),
            header(
                "Content-Disposition",
                format!("{}; {}", seed.disposition, named("filename")),
            ),
            header("Content-Transfer-Encoding", "base64"),
        ];
        headers.extend(seed.headers);
        let bytes = match seed.content {
            SeedContent::Text(text) => Bytes::from(text),
            SeedContent::Base64(text) => Bytes::from(STANDARD.decode(text).unwrap_or_default()),
            SeedContent::Filler { start, bytes } => filler(start.as_bytes(), bytes),
        };
        Self {
            filename: seed.name,
            ..part(&seed.kind, headers, Content::File(bytes))
        }
    }
}

/// A part without a name and without inner parts.
fn part(mime_type: &str, headers: Vec<(String, String)>, content: Content) -> Part {
    Part {
        id: String::new(),
        mime_type: mime_type.to_owned(),
        filename: String::new(),
        headers,
        content,
        parts: Vec::new(),
    }
}

fn header(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

/// `length` bytes that begin with `start`. The rest looks random, but is the same in every run.
fn filler(start: &[u8], length: usize) -> Bytes {
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(start);
    let mut state = 0x9e37_79b9_u32;
    while bytes.len() < length {
        // The generator "xorshift32" of G. Marsaglia.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    Bytes::from(bytes)
}

fn message_id(key: &str) -> String {
    format!("<{}@mail.example.com>", key.replace('/', "."))
}

/// Sixteen hexadecimal digits, about as large as Gmail's IDs.
fn id_of(key: &str) -> String {
    let digest = Sha256::digest(key.as_bytes());
    format!("19{}", hex(&digest[..7]))
}
