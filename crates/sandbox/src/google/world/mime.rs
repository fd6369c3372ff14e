//! Messages as trees of parts, and as bytes (RFC 5322).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use encoding_rs::Encoding;
use jiff::Timestamp;
use mail_parser::{MessageParser, MimeHeaders as _, PartType, parsers::MessageStream};

/// How many bytes of text an encoded word has, so that no word has more than 75 letters (RFC 2047, section 2).
const WORD_BYTES: usize = 39;
/// How many letters a line of base64 has (RFC 2045, section 6.8).
const LINE_LETTERS: usize = 76;

/// A message in a mailbox.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// Sixteen hexadecimal digits.
    pub(crate) id: String,
    pub(crate) thread_id: String,
    pub(crate) labels: Vec<String>,
    /// Gmail's `internalDate`.
    pub(crate) received: Timestamp,
    pub(crate) history_id: u64,
    /// The size of the raw message in bytes.
    pub(crate) size: usize,
    pub(crate) root: Part,
    /// The raw message, if it was received. A seeded message is written from its parts.
    pub(crate) received_raw: Option<Bytes>,
}

/// A part of a message. The root has the message's headers.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The position in the tree: empty for the root, then `0`, `0.1` and so on.
    pub(crate) id: String,
    pub(crate) mime_type: String,
    /// Empty if the part isn't a file.
    pub(crate) filename: String,
    /// The names and decoded values, in order.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) content: Content,
    pub(crate) parts: Vec<Self>,
}

/// The content of a part.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Other parts, separated by this boundary.
    Parts(&'static str),
    /// A text, and its character set in the raw message.
    Text(String, &'static str),
    /// A file, or an attached message.
    File(Bytes),
}

impl Message {
    /// Whether it has the label with this ID.
    pub(crate) fn has_label(&self, id: &str) -> bool {
        self.labels.iter().any(|label| label == id)
    }

    /// The raw message.
    pub(crate) fn raw(&self) -> Vec<u8> {
        match &self.received_raw {
            Some(raw) => raw.to_vec(),
            None => self.root.raw(),
        }
    }

    /// A header of the message.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.root.header(name)
    }

    /// The message's text: its plain text, or otherwise its HTML without tags.
    pub(crate) fn text(&self) -> String {
        let bodies = |kind: &str| {
            self.leaves()
                .into_iter()
                .filter(|part| part.mime_type == kind && part.filename.is_empty())
                .filter_map(|part| match &part.content {
                    Content::Text(text, _) => Some(text.as_str()),
                    _ => None,
                })
                .collect::<Vec<_>>()
                .join("\r\n")
        };
        let plain = bodies("text/plain");
        if plain.is_empty() {
            without_tags(&bodies("text/html"))
        } else {
            plain
        }
    }

    /// The parts without inner parts. An attached message is one.
    pub(crate) fn leaves(&self) -> Vec<&Part> {
        let mut leaves = Vec::new();
        self.root.collect_leaves(&mut leaves);
        leaves
    }

    /// The leaf with this ID.
    pub(crate) fn leaf(&self, part_id: &str) -> Option<&Part> {
        self.leaves().into_iter().find(|part| part.id == part_id)
    }
}

impl Part {
    /// The first header with this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether it's a file for the reader to open, and not a picture in the text.
    pub(crate) fn is_attachment(&self) -> bool {
        self.header("Content-Disposition")
            .is_some_and(|value| value.starts_with("attachment"))
    }

    /// Whether its bytes are downloaded separately.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.content, Content::File(_))
    }

    /// The decoded content. A text is UTF-8, whatever its character set in the raw message.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Parts(_) => &[],
            Content::Text(text, _) => text.as_bytes(),
            Content::File(bytes) => bytes,
        }
    }

    /// The raw part: headers, an empty line, and the encoded content.
    pub(crate) fn raw(&self) -> Vec<u8> {
        let mut raw = Vec::new();
        for (name, value) in &self.headers {
            raw.extend_from_slice(format!("{name}: {}\r\n", encode_header(value)).as_bytes());
        }
        raw.extend_from_slice(b"\r\n");
        match &self.content {
            Content::Parts(boundary) => {
                for part in &self.parts {
                    raw.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
                    raw.extend_from_slice(&part.raw());
                    raw.extend_from_slice(b"\r\n");
                }
                raw.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
            }
            Content::Text(text, charset) => {
                let encoding = Encoding::for_label(charset.as_bytes());
                let bytes = encoding.map_or_else(
                    || text.as_bytes().into(),
                    |encoding| encoding.encode(text).0,
                );
                raw.extend_from_slice(&self.transfer(&bytes));
            }
            Content::File(bytes) => raw.extend_from_slice(&self.transfer(bytes)),
        }
        raw
    }

    /// Numbers this part and its inner parts.
    pub(super) fn number(&mut self, id: String) {
        for (index, part) in self.parts.iter_mut().enumerate() {
            part.number(if id.is_empty() {
                index.to_string()
            } else {
                format!("{id}.{index}")
            });
        }
        self.id = id;
    }

    fn transfer(&self, bytes: &[u8]) -> Vec<u8> {
        if self.header("Content-Transfer-Encoding") != Some("base64") {
            return bytes.to_vec();
        }
        let letters = STANDARD.encode(bytes);
        let mut lines = Vec::with_capacity(letters.len() + letters.len() / LINE_LETTERS * 2 + 2);
        for line in letters.as_bytes().chunks(LINE_LETTERS) {
            lines.extend_from_slice(line);
            lines.extend_from_slice(b"\r\n");
        }
        lines
    }

    fn collect_leaves<'part>(&'part self, leaves: &mut Vec<&'part Self>) {
        match self.content {
            Content::Parts(_) => {
                for part in &self.parts {
                    part.collect_leaves(leaves);
                }
            }
            _ => leaves.push(self),
        }
    }
}

/// Encodes a header's value as ASCII. Other scripts become encoded words, and mail addresses don't change (RFC 2047,
/// section 5).
fn encode_header(value: &str) -> String {
    if value.is_ascii() {
        return value.to_owned();
    }
    if !value.contains('<') {
        return encoded_words(value);
    }
    let encoded: Vec<String> = value
        .split(", ")
        .map(|address| match address.rsplit_once(" <") {
            Some((name, rest)) if !name.is_ascii() => {
                format!("{} <{rest}", encoded_words(name.trim_matches('"')))
            }
            _ => address.to_owned(),
        })
        .collect();
    encoded.join(", ")
}

fn encoded_words(text: &str) -> String {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        if word.len() + letter.len_utf8() > WORD_BYTES {
            words.push(std::mem::take(&mut word));
        }
        word.push(letter);
    }
    words.push(word);
    let encoded: Vec<String> = words
        .iter()
        .map(|word| format!("=?UTF-8?B?{}?=", STANDARD.encode(word)))
        .collect();
    encoded.join("\r\n ")
}

/// Removes tags and decodes the common entities. That's enough for the seed's own HTML.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let tag = &rest[start..];
        let end = if tag.starts_with("<style") {
            tag.find("</style>").map(|end| end + "</style>".len())
        } else {
            tag.find('>').map(|end| end + 1)
        };
        text.push(' ');
        rest = end.and_then(|end| tag.get(end..)).unwrap_or_default();
    }
    text.push_str(rest);
    let text = text
        .replace("&nbsp;", " ")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses a message. `None` if the bytes aren't one.
pub(crate) fn parse(raw: &[u8]) -> Option<Part> {
    let message = MessageParser::new().parse(raw)?;
    let mut root = part(&message, 0)?;
    root.number(String::new());
    Some(root)
}

fn part(message: &mail_parser::Message<'_>, place: u32) -> Option<Part> {
    let given = message.part(place)?;
    let mime_type = match given.content_type() {
        Some(kind) => format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()),
        None if given.is_multipart() => "multipart/mixed".to_owned(),
        None => "text/plain".to_owned(),
    };
    let filename = given.attachment_name().unwrap_or_default().to_owned();
    let is_file = !filename.is_empty()
        || given
            .content_disposition()
            .is_some_and(|disposition| disposition.is_attachment());
    let mut parts = Vec::new();
    let content = match &given.body {
        PartType::Multipart(ids) => {
            parts = ids.iter().filter_map(|id| part(message, *id)).collect();
            Content::Parts("")
        }
        PartType::Text(text) | PartType::Html(text) if !is_file => {
            Content::Text(text.replace("\r\n", "\n").replace('\n', "\r\n"), "utf-8")
        }
        PartType::Message(attached) => {
            parts = part(attached, 0).into_iter().collect();
            Content::File(Bytes::copy_from_slice(attached.raw_message()))
        }
        _ => Content::File(Bytes::copy_from_slice(given.contents())),
    };
    let headers = given.headers.iter().map(|header| {
        let value = slice(&message.raw_message, header.offset_start, header.offset_end);
        (header.name().to_owned(), decoded(value))
    });
    Some(Part {
        id: String::new(),
        mime_type: mime_type.to_ascii_lowercase(),
        filename,
        headers: headers.collect(),
        content,
        parts,
    })
}

fn slice(bytes: &[u8], start: u32, end: u32) -> &[u8] {
    let place = |offset: u32| usize::try_from(offset).unwrap_or_default();
    bytes.get(place(start)..place(end)).unwrap_or_default()
}

/// A header's value in one line, with its encoded words decoded (RFC 2047).
fn decoded(value: &[u8]) -> String {
    let mut line = value.to_vec();
    line.push(b'\n');
    let value = MessageStream::new(&line).parse_unstructured();
    value.into_text().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_become_ascii() {
        assert_eq!(encode_header("Lunch"), "Lunch");
        assert_eq!(encode_header("Grüße"), "=?UTF-8?B?R3LDvMOfZQ==?=");
        assert_eq!(
            encode_header("Jürgen <j@example.com>, Ada <ada@example.com>"),
            "=?UTF-8?B?SsO8cmdlbg==?= <j@example.com>, Ada <ada@example.com>"
        );
        let long = encode_header(&"Ж".repeat(60));
        assert!(long.is_ascii() && long.split("\r\n").all(|line| line.len() <= 76));
    }

    #[test]
    fn tags_go_and_text_stays() {
        let html = "<style>p { color: red }</style><p>Tea &amp; <b>cake</b></p>\n<img src=\"x\">";
        assert_eq!(without_tags(html), "Tea & cake");
    }

    #[test]
    fn headers_texts_and_files_are_read() {
        let raw = b"From: =?UTF-8?B?SsO8cmdlbg==?= <j@example.com>\r\nSubject: Tea\r\n and cake\r\n\
            Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
            Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe\r\n--b\r\n\
            Content-Type: application/pdf; name=\"a.pdf\"\r\nContent-Disposition: attachment; filename=\"a.pdf\"\r\n\
            Content-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n\
            Subject: inner\r\n\r\nx\r\n--b--\r\n";
        let root = parse(raw).unwrap();
        assert_eq!(root.header("From"), Some("Jürgen <j@example.com>"));
        assert_eq!(root.header("subject"), Some("Tea and cake"));
        assert_eq!(root.mime_type, "multipart/mixed");
        let [text, file, attached] = root.parts.as_slice() else {
            panic!("{root:?}");
        };
        assert_eq!((text.bytes(), text.id.as_str()), ("Grüße".as_bytes(), "0"));
        assert_eq!(
            (file.bytes(), file.filename.as_str()),
            (&b"%PDF"[..], "a.pdf")
        );
        assert!(file.is_attachment() && file.is_file() && !text.is_file());
        assert_eq!(attached.bytes(), b"Subject: inner\r\n\r\nx");
        assert_eq!(attached.parts[0].header("Subject"), Some("inner"));
        assert_eq!(attached.parts[0].id, "2.0");
    }

    #[test]
    fn a_plain_message_has_one_part() {
        let root = parse(b"To: a@b.example\n\none\ntwo\n").unwrap();
        assert_eq!(root.mime_type, "text/plain");
        assert_eq!(root.bytes(), b"one\r\ntwo\r\n");
        assert!(root.parts.is_empty());
    }
}
