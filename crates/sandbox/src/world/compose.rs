//! Short functions to write messages with.

use bytes::Bytes;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::mime::{Content, Message, Part};
use crate::ids::hex;

/// How a text travels.
#[derive(Debug, Clone, Copy)]
pub(super) enum Transfer {
    /// As it is.
    Plain,
    /// In base64.
    Base64,
}

/// A message while it is written.
#[derive(Debug)]
pub(super) struct Letter {
    key: &'static str,
    thread: &'static str,
    received: Timestamp,
    labels: Vec<String>,
    headers: Vec<(String, String)>,
}

/// Begins a message. `key` names it within the seed; its id is derived from it.
pub(super) fn letter(key: &'static str, received: &str) -> Letter {
    let received: Timestamp = received.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    Letter {
        key,
        thread: key,
        received,
        labels: Vec::new(),
        headers: Vec::new(),
    }
    .header(
        "Date",
        &received.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string(),
    )
    .header("Message-ID", &message_id(key))
}

impl Letter {
    /// Puts it into the thread that another message began.
    pub(super) fn reply_to(mut self, first: &'static str, previous: &str) -> Self {
        self.thread = first;
        let previous = message_id(previous);
        self.header("In-Reply-To", &previous)
            .header("References", &previous)
    }

    /// Its labels.
    pub(super) fn labels(mut self, labels: &[&str]) -> Self {
        self.labels = labels.iter().map(|label| (*label).to_owned()).collect();
        self
    }

    /// One more header.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// From, To and Subject at once.
    pub(super) fn about(self, from: &str, to: &str, subject: &str) -> Self {
        self.header("From", from)
            .header("To", to)
            .header("Subject", subject)
    }

    /// Ends it with its content.
    pub(super) fn holds(self, content: Part) -> Message {
        let root = self.root(content);
        let seconds = u64::try_from(self.received.as_second()).unwrap_or_default();
        Message {
            id: id_of(self.key),
            thread_id: id_of(self.thread),
            labels: self.labels,
            received: self.received,
            // Grows with time, as Gmail's does.
            history_id: seconds / 60,
            size: root.raw().len(),
            root,
        }
    }

    /// Ends it as a message that is attached to another one.
    pub(super) fn attached_as(self, filename: &str, content: Part) -> Part {
        let inner = self.root(content);
        Part {
            id: String::new(),
            mime_type: "message/rfc822".to_owned(),
            filename: filename.to_owned(),
            headers: vec![
                (
                    "Content-Type".to_owned(),
                    format!("message/rfc822; name=\"{filename}\""),
                ),
                (
                    "Content-Disposition".to_owned(),
                    format!("attachment; filename=\"{filename}\""),
                ),
            ],
            content: Content::File(Bytes::from(inner.raw())),
            parts: vec![inner],
        }
    }

    fn root(&self, mut content: Part) -> Part {
        let mut headers = self.headers.clone();
        headers.push(("MIME-Version".to_owned(), "1.0".to_owned()));
        headers.append(&mut content.headers);
        content.headers = headers;
        content.number(String::new());
        content
    }
}

/// A text part. `kind` is the whole Content-Type without its charset.
pub(super) fn text(kind: &str, charset: &'static str, transfer: Transfer, text: &str) -> Part {
    let coding = match transfer {
        Transfer::Base64 => "base64",
        Transfer::Plain if charset == "iso-2022-jp" || text.is_ascii() => "7bit",
        Transfer::Plain => "8bit",
    };
    Part {
        id: String::new(),
        mime_type: kind.split(';').next().unwrap_or_default().to_owned(),
        filename: String::new(),
        headers: vec![
            (
                "Content-Type".to_owned(),
                format!("{kind}; charset={charset}"),
            ),
            ("Content-Transfer-Encoding".to_owned(), coding.to_owned()),
        ],
        content: Content::Text(text.replace('\n', "\r\n"), charset),
        parts: Vec::new(),
    }
}

/// Plain text in UTF-8.
pub(super) fn plain(body: &str) -> Part {
    text("text/plain", "utf-8", Transfer::Plain, body)
}

/// HTML in UTF-8.
pub(super) fn html(body: &str) -> Part {
    text("text/html", "utf-8", Transfer::Plain, body)
}

/// Parts within a boundary. `kind` is such as `mixed`.
pub(super) fn multipart(kind: &str, boundary: &'static str, parts: Vec<Part>) -> Part {
    Part {
        id: String::new(),
        mime_type: format!("multipart/{kind}"),
        filename: String::new(),
        headers: vec![(
            "Content-Type".to_owned(),
            format!("multipart/{kind}; boundary=\"{boundary}\""),
        )],
        content: Content::Parts(boundary),
        parts,
    }
}

/// A file. Names that are not ASCII travel as RFC 2231 says.
pub(super) fn file(mime_type: &str, filename: &str, disposition: &str, bytes: Bytes) -> Part {
    let named = |key: &str| {
        if filename.is_ascii() {
            format!("{key}=\"{filename}\"")
        } else {
            let encoded =
                percent_encoding::utf8_percent_encode(filename, percent_encoding::NON_ALPHANUMERIC);
            format!("{key}*=UTF-8''{encoded}")
        }
    };
    Part {
        id: String::new(),
        mime_type: mime_type.to_owned(),
        filename: filename.to_owned(),
        headers: vec![
            (
                "Content-Type".to_owned(),
                format!("{mime_type}; {}", named("name")),
            ),
            (
                "Content-Disposition".to_owned(),
                format!("{disposition}; {}", named("filename")),
            ),
            ("Content-Transfer-Encoding".to_owned(), "base64".to_owned()),
        ],
        content: Content::File(bytes),
        parts: Vec::new(),
    }
}

/// `length` bytes that begin with `start` and then run on, the same every time.
pub(super) fn filler(start: &[u8], length: usize) -> Bytes {
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

/// Sixteen hexadecimal digits, of the size that Gmail's ids have.
fn id_of(key: &str) -> String {
    let digest = Sha256::digest(key.as_bytes());
    format!("19{}", hex(&digest[..7]))
}
