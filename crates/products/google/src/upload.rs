//! Parses uploads to Google's APIs (Drive API guide, "Upload file data") and headers of mails and their parts, for
//! policies. It refuses anything that two parsers could read differently.

use serde_json::{Map, Value};
use stead_core::product::{
    SentRequest,
    sent::{Unclear, is_json, json_object},
};

use crate::type_and_subtype;

/// The form of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upload<'a> {
    /// The body is the file.
    Media(&'a [u8]),
    /// The body contains the metadata and the file.
    Multipart {
        /// The first part.
        metadata: Map<String, Value>,
        /// The content type of the second part, in lower case and without parameters.
        media_type: String,
        /// The second part.
        media: &'a [u8],
    },
    /// The body contains the metadata; the file follows in other requests.
    Begins(Map<String, Value>),
    /// The upload can't be parsed.
    Unclear,
}

/// Whether a `DELETE` cancels an upload that an earlier request started.
///
/// # Errors
/// [`Unclear`] if the query of an upload can't be read.
pub fn cancels_upload(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    let is_upload = ["/upload/", "/resumable/upload/"];
    if !is_upload
        .iter()
        .any(|prefix| request.path.starts_with(prefix))
    {
        return Ok(false);
    }
    let sessions = request.query_values("upload_id")?;
    Ok(sessions.iter().any(|session| !session.is_empty()))
}

/// Parses an upload.
pub fn upload<'a>(request: &SentRequest<'a>) -> Upload<'a> {
    read(request).unwrap_or(Upload::Unclear)
}

fn read<'a>(request: &SentRequest<'a>) -> Option<Upload<'a>> {
    let kinds = request.query_values("uploadType").ok()?;
    let sessions = request.query_values("upload_id").ok()?;
    let [kind] = kinds.as_slice() else {
        return None;
    };
    if !sessions.is_empty() || request.path.starts_with("/resumable/") {
        return None;
    }
    match kind.as_str() {
        "media" => {
            let kind = media_type(request.content_type?)?;
            let is_plain = !kind.starts_with("multipart/");
            is_plain.then_some(Upload::Media(request.body?))
        }
        "multipart" => related(request.content_type?, request.body?),
        "resumable" => request.json().map(Upload::Begins),
        _ => None,
    }
}

/// Two parts, JSON and a file, with a boundary that occurs nowhere else.
fn related<'a>(content_type: &str, body: &'a [u8]) -> Option<Upload<'a>> {
    let delimiter = format!("--{}", boundary(content_type)?);
    let delimiter = delimiter.as_bytes();
    let found = body.windows(delimiter.len()).enumerate();
    let at: Vec<usize> = found
        .filter(|(_, window)| *window == delimiter)
        .map(|(at, _)| at)
        .collect();
    let [first, second, last] = at.as_slice() else {
        return None;
    };
    let end = &body[last + delimiter.len()..];
    let is_framed =
        body[..*first].trim_ascii().is_empty() && end.strip_prefix(b"--")?.trim_ascii().is_empty();
    let part = |from: usize, to: usize| {
        let bytes = &body[from + delimiter.len()..to];
        let bytes = bytes.strip_prefix(b"\r\n").or(bytes.strip_prefix(b"\n"))?;
        let bytes = bytes.strip_suffix(b"\n")?;
        part(bytes.strip_suffix(b"\r").unwrap_or(bytes))
    };
    let (kind, metadata) = part(*first, *second)?;
    let (media_kind, media) = part(*second, *last)?;
    Some(Upload::Multipart {
        metadata: json_object(metadata).filter(|_| is_framed && is_json(&kind))?,
        media_type: media_type(&media_kind)?,
        media,
    })
}

/// The content type and the content of a part. Returns `None` for encoded content.
fn part(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (headers, content) = headers(bytes)?;
    let mut kind = None;
    for (name, value) in headers {
        let is_plain = match name.as_str() {
            "content-type" => kind.replace(value).is_none(),
            "content-transfer-encoding" => {
                let encoding = value.trim().to_ascii_lowercase();
                matches!(encoding.as_str(), "binary" | "8bit" | "7bit")
            }
            "mime-version" | "content-length" | "content-id" => true,
            _ => false,
        };
        if !is_plain {
            return None;
        }
    }
    Some((kind?, content))
}

/// The boundary of a `multipart/related`, if it has no other parameter.
fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameter) = content_type.split_once(';')?;
    let (name, value) = parameter.trim().split_once('=')?;
    let bare = value
        .strip_prefix('"')
        .map_or(Some(value), |value| value.strip_suffix('"'))?;
    let is_known = kind.trim().eq_ignore_ascii_case("multipart/related")
        && name.trim().eq_ignore_ascii_case("boundary")
        && (1..=70).contains(&bare.len())
        && bare
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"'+_-./:=?".contains(&byte));
    is_known.then_some(bare)
}

/// The content type in lower case, without parameters.
fn media_type(content_type: &str) -> Option<String> {
    let kind = content_type.split(';').next()?.trim();
    type_and_subtype(kind)?;
    Some(kind.to_ascii_lowercase())
}

/// Header names in lower case, with their values, in order.
pub type Headers = Vec<(String, String)>;

/// Headers with names in lower case and values on one line, and the rest after the empty line (RFC 5322, 2.2). `None` if
/// parsers could disagree about the end of a header: mixed line ends, control characters, or lines that aren't headers.
pub fn headers(bytes: &[u8]) -> Option<(Headers, &[u8])> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut rest = bytes;
    let mut ends_with_return = None;
    while !rest.is_empty() {
        let (line, after) = match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                let line = &rest[..end];
                let bare = line.strip_suffix(b"\r");
                if *ends_with_return.get_or_insert(bare.is_some()) != bare.is_some() {
                    return None;
                }
                (bare.unwrap_or(line), &rest[end + 1..])
            }
            None => (rest, &rest[rest.len()..]),
        };
        rest = after;
        if line.is_empty() {
            break;
        }
        let line = std::str::from_utf8(line).ok()?;
        if line.chars().any(|one| one.is_control() && one != '\t') {
            return None;
        }
        if line.starts_with([' ', '\t']) {
            let (_, value) = headers.last_mut()?;
            if line.trim().is_empty() {
                return None;
            }
            value.push_str(line);
        } else {
            let (name, value) = line.split_once(':')?;
            let name = name.trim_end_matches([' ', '\t']);
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
                return None;
            }
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }
    (!headers.is_empty()).then_some((headers, rest))
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    fn read<'a>(query: &'a str, content_type: &'a str, body: &'a str) -> Upload<'a> {
        upload(&SentRequest {
            method: &Method::POST,
            path: "/upload/x",
            query: Some(query),
            content_type: Some(content_type),
            body: Some(body.as_bytes()),
        })
    }

    const RELATED: &str = "multipart/related; boundary=\"=b=\"";
    const BODY: &str = "--=b=\nContent-Type: application/json\nMIME-Version: 1.0\n\n{\"name\":\"a\"}\n--=b=\nContent-Type: Text/Plain; charset=x\n\nfile\n--=b=--";

    #[test]
    fn uploads_are_read() {
        let name = json_object(br#"{"name":"a"}"#).unwrap();
        for body in [BODY.to_owned(), BODY.replace('\n', "\r\n")] {
            assert_eq!(
                read("uploadType=multipart", RELATED, &body),
                Upload::Multipart {
                    metadata: name.clone(),
                    media_type: "text/plain".to_owned(),
                    media: b"file"
                }
            );
        }
        assert_eq!(
            read("uploadType=media", "text/plain", "file"),
            Upload::Media(b"file")
        );
        assert_eq!(
            read(
                "uploadType=resumable",
                "application/json",
                r#"{"name":"a"}"#
            ),
            Upload::Begins(name)
        );
    }

    #[test]
    fn ambiguous_uploads_are_unclear() {
        for (query, content_type) in [
            ("", RELATED),
            ("uploadType=multipart&uploadType=media", RELATED),
            ("upload_type=multipart", RELATED),
            ("uploadType=Multipart", RELATED),
            ("uploadType=media", RELATED),
            ("uploadType=resumable", RELATED),
            ("uploadType=multipart&upload_id=x", RELATED),
            ("uploadType=multipart", "multipart/related"),
            ("uploadType=multipart", "multipart/mixed; boundary=\"=b=\""),
            (
                "uploadType=multipart",
                "multipart/related; boundary==b=; boundary=c",
            ),
            ("uploadType=multipart", "application/json"),
        ] {
            assert_eq!(
                read(query, content_type, BODY),
                Upload::Unclear,
                "{query} {content_type}"
            );
        }
        for body in [
            BODY.replace("file", "--=b=\n\n"),
            BODY.replace("{\"name\"", "{\"name\":\"b\",\"name\""),
            BODY.replace("application/json", "text/plain"),
            BODY.replace("MIME-Version: 1.0", "Content-Type: application/json"),
            BODY.replace("MIME-Version: 1.0", "Content-Transfer-Encoding: base64"),
            BODY.replace("MIME-Version: 1.0", "X-HTTP-Method-Override: PUT"),
            BODY.replace("--=b=--", "--=b=--\nmore"),
            format!("first\n{BODY}"),
            BODY.replace("1.0\n", "1.0\r\n"),
            BODY.replace("--=b=--", ""),
        ] {
            assert_eq!(
                read("uploadType=multipart", RELATED, &body),
                Upload::Unclear,
                "{body}"
            );
        }
    }

    #[test]
    fn headers_with_an_ambiguous_end_are_unclear() {
        let of = |text: &str| headers(text.as_bytes()).map(|(headers, rest)| (headers, rest.len()));
        let (found, rest) = of("To : a,\r\n\tb\r\nBCC:c\r\n\r\nbody").unwrap();
        assert_eq!(
            found,
            [
                ("to".to_owned(), " a,\tb".to_owned()),
                ("bcc".to_owned(), "c".to_owned())
            ]
        );
        assert_eq!(rest, 4);
        for text in [
            "",
            "\nTo: a",
            "\r\nTo: a",
            " To: a",
            "To: a\n\r\nBcc: b",
            "To: a\r\n\nBcc: b",
            "To: a\r\nBcc: b\n\n",
            "To: a\rBcc: b",
            "To: a\0\n",
            "To: a\n \nBcc: b",
            "From ada Mon\nTo: a",
            "no header\n\n",
            "To: a\u{b}\n",
            "To\u{a0}: a\n",
        ] {
            assert_eq!(of(text), None, "{text:?}");
        }
    }
}
