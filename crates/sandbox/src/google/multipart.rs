//! Bodies of several parts: `multipart/related` of an upload, `multipart/mixed` of a batch (RFC 2046, section 5.1).

use bytes::Bytes;
use mail_parser::{MessageParser, MimeHeaders as _, PartType};

use super::errors::ApiError;
use crate::request::Request;

/// A part as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Value of its `Content-Type`; empty where it has none.
    pub(super) kind: String,
    /// Value of its `Content-ID`.
    pub(super) id: Option<String>,
    pub(super) bytes: Bytes,
}

impl Part {
    /// Whether its type is this one.
    pub(super) fn is(&self, media_type: &str) -> bool {
        let given = self.kind.split(';').next().unwrap_or_default().trim();
        given.eq_ignore_ascii_case(media_type)
    }
}

/// The parts of a body whose type begins with `multipart/`.
pub(super) fn parts(request: &Request) -> Result<Vec<Part>, ApiError> {
    let kind = request.header("content-type").unwrap_or_default();
    let mut text = format!("Content-Type: {kind}\r\n\r\n").into_bytes();
    text.extend_from_slice(&request.body);
    let text = Bytes::from(text);
    let message = MessageParser::new().parse(&text);
    let message = message.filter(|message| {
        let root = message.root_part().content_type();
        root.is_some_and(|kind| kind.attribute("boundary").is_some())
    });
    let message = message.ok_or_else(no_boundary)?;
    let PartType::Multipart(ids) = &message.root_part().body else {
        return Err(no_boundary());
    };
    let place = |offset: u32| usize::try_from(offset).unwrap_or_default();
    let found = ids.iter().filter_map(|id| message.part(*id)).map(|part| {
        let header = |name: &str| {
            let header = part
                .headers
                .iter()
                .find(|header| header.name().eq_ignore_ascii_case(name))?;
            let value = text.slice(place(header.offset_start)..place(header.offset_end));
            Some(String::from_utf8_lossy(&value).trim().to_owned())
        };
        Part {
            kind: header("Content-Type").unwrap_or_default(),
            id: header("Content-ID"),
            bytes: text.slice(place(part.offset_body)..place(part.offset_end)),
        }
    });
    Ok(found.collect())
}

fn no_boundary() -> ApiError {
    ApiError::invalid("Missing or malformed boundary of the multipart body.")
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, Method, header};

    use super::*;

    fn read(kind: &str, body: &'static [u8]) -> Option<Vec<Part>> {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())]);
        let body = Bytes::from_static(body);
        parts(&Request::new(Method::POST, "/h/p", None, headers, body)).ok()
    }

    #[test]
    fn parts_keep_their_bytes() {
        let body = b"--b x\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{\"a\": 1}\r\n--b x\r\n\
            content-type: image/png\r\nContent-ID: <a + 1>\r\n\r\n\x89PNG\r\n\x00--b\xff\n\r\n--b x--\r\n";
        let found = read("multipart/related; boundary=\"b x\"", body).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].is("application/json") && !found[0].is("image/png"));
        assert_eq!(found[0].bytes, "{\"a\": 1}");
        assert_eq!(found[1].kind, "image/png");
        assert_eq!(found[1].id.as_deref(), Some("<a + 1>"));
        assert_eq!(found[1].bytes, b"\x89PNG\r\n\x00--b\xff\n"[..]);
    }

    #[test]
    fn lines_may_end_without_a_return() {
        let body =
            b"--b\nContent-Type: application/json\n\n{}\n--b\nContent-Type: message/rfc822\n\n\
            Subject: Tea\n\nCake\n--b--";
        let found = read("multipart/related; boundary=b", body).unwrap();
        assert_eq!(found[0].bytes, "{}");
        assert_eq!(found[1].bytes, "Subject: Tea\n\nCake");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn bodies_without_a_boundary_are_refused() {
        for kind in ["multipart/related", "application/json"] {
            assert_eq!(read(kind, b"--b\r\n\r\nx\r\n--b--"), None, "{kind}");
        }
    }
}
