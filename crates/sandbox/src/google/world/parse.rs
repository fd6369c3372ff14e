//! Messages that come in: from the bytes of RFC 5322 to the tree of parts.

use bytes::Bytes;
use mail_parser::{MessageParser, MimeHeaders as _, PartType, parsers::MessageStream};

use super::mime::{Content, Part};

/// The tree of a message; nothing where the bytes are not one.
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

/// A header's value in one line, its encoded words read (RFC 2047).
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
