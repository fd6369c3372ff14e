//! Simple and multipart uploads, for which methods have their own paths (discovery, `mediaUpload`), and downloads of
//! bytes or of a range of them (RFC 9110, section 14). Resumable uploads are in `resumable`.

use axum::http::{HeaderValue, StatusCode, header};
use bytes::Bytes;
use mail_parser::{MessageParser, MimeHeaders as _, PartType};

use super::{
    Api,
    check::{self, Found},
    errors::ApiError,
    method::{ApiMethod, Call, Media},
    resumable::{self, check_size, check_type},
};
use crate::{google::State, pages, request::Query, request::Request, response::Response};

/// Whether the path is for uploads. Resumable uploads have two such paths.
pub(super) fn is_address(path: &str) -> bool {
    simple_path(path).starts_with("/upload/")
}

fn simple_path(path: &str) -> &str {
    match path.strip_prefix("/resumable") {
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// Receives an upload, or a piece of one.
pub(super) fn respond(api: &'static Api, state: &mut State, request: &Request) -> Response {
    let query = request.query_parameters();
    let indented = query.first("prettyPrint") != Some("false");
    let path = simple_path(&request.path)
        .strip_prefix("/upload")
        .unwrap_or_default();
    let outcome = match query.first("upload_id") {
        Some(id) => resumable::resume(state, request, id),
        None => match check::find(api, &request.method, path) {
            Found::Method(method, _) if !api.has(method) => Err(ApiError::not_played(method.id)),
            Found::Method(method, path) if method.uploads => {
                begin(api, method, path, query, state, request)
            }
            Found::WrongVerb => return pages::wrong_method(request),
            _ => return pages::not_found(request),
        },
    };
    outcome.unwrap_or_else(|error| error.response(api.errors, indented))
}

fn begin(
    api: &'static Api,
    method: &'static ApiMethod,
    path: Vec<String>,
    query: Query,
    state: &mut State,
    request: &Request,
) -> Result<Response, ApiError> {
    // Google's own libraries send `multipart/related`. Some others send `multipart/mixed`.
    let is_multipart =
        request.has_media_type("multipart/related") || request.has_media_type("multipart/mixed");
    let protocol = query.first("uploadType").map(str::to_owned);
    // Without the parameter, the content type decides between the two.
    let usual = if is_multipart { "multipart" } else { "media" };
    let admitted = check::admit(api, method, &query, state, request)?;
    let call = |metadata: &[u8]| check::call(&admitted, path, query, request, metadata);
    let call = match protocol.as_deref().unwrap_or(usual) {
        "media" => {
            let kind = request.header("content-type").unwrap_or_default();
            Call {
                media: Some(Media::of(kind, request.body.clone())),
                ..call(b"")?
            }
        }
        "multipart" => {
            if !is_multipart {
                return Err(ApiError::invalid(
                    "The content type of a multipart upload must be multipart/related.",
                ));
            }
            let parts = parts(request)?;
            let [metadata, content] = parts.as_slice() else {
                return Err(ApiError::invalid(
                    "A multipart upload has two parts: the metadata and the media.",
                ));
            };
            if !metadata.is("application/json") {
                return Err(ApiError::invalid(
                    "The first part of a multipart upload must be application/json.",
                ));
            }
            Call {
                media: Some(Media::of(&content.kind, content.bytes.clone())),
                ..call(&metadata.bytes)?
            }
        }
        "resumable" => {
            check::is_json(request)?;
            let call = call(&request.body)?;
            return resumable::start(call, admitted.selection, state, request);
        }
        _ => return Err(ApiError::invalid_value("uploadType")),
    };
    if let Some(media) = &call.media {
        check_type(api, &media.kind)?;
        check_size(api, u64::try_from(media.bytes.len()).unwrap_or(u64::MAX))?;
    }
    let value = api.run(state, &call)?;
    let selection = admitted.selection.as_ref();
    Ok(check::json(
        StatusCode::OK,
        value,
        selection,
        admitted.indented,
    ))
}

/// What a `Range` header asks for, if the length is known.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Whole,
    /// The first byte, and the byte after the last.
    Part(usize, usize),
    Nothing,
}

impl Media {
    /// Bytes of this type. Without a type, they're a plain octet stream.
    pub(super) fn of(kind: &str, bytes: Bytes) -> Self {
        let kind = match kind {
            "" => "application/octet-stream",
            kind => kind,
        };
        Self {
            kind: kind.to_owned(),
            bytes,
        }
    }

    /// Responds with the bytes, or with the requested range of them.
    pub(super) fn respond(self, range: Option<&str>) -> Result<Response, ApiError> {
        let total = self.bytes.len();
        let asked = range.map_or(Asked::Whole, |range| Asked::of(range, total));
        let (status, bytes) = match asked {
            Asked::Whole => (StatusCode::OK, self.bytes),
            Asked::Part(start, end) => (StatusCode::PARTIAL_CONTENT, self.bytes.slice(start..end)),
            Asked::Nothing => {
                let error = ApiError::of(
                    416,
                    "requestedRangeNotSatisfiable",
                    "Request range not satisfiable",
                );
                return Err(error.with_header(header::CONTENT_RANGE, format!("bytes */{total}")));
            }
        };
        let mut response = Response::whole(status, "application/octet-stream", bytes)
            .with(header::CONTENT_DISPOSITION, "attachment");
        if let Ok(kind) = HeaderValue::from_str(&self.kind) {
            response.headers.insert(header::CONTENT_TYPE, kind);
        }
        if let Asked::Part(start, end) = asked {
            let range = format!("bytes {start}-{}/{total}", end - 1);
            response = response.with(header::CONTENT_RANGE, &range);
        }
        Ok(response)
    }
}

impl Asked {
    /// Reads `bytes=0-9`, `bytes=10-` or `bytes=-5`. Several ranges or an invalid one mean the whole
    /// (RFC 9110, section 14.2).
    fn of(range: &str, total: usize) -> Self {
        let asked = range
            .strip_prefix("bytes=")
            .filter(|one| !one.contains(','));
        let Some((first, last)) = asked.and_then(|one| one.trim().split_once('-')) else {
            return Self::Whole;
        };
        let number = |text: &str| text.parse::<usize>().ok();
        let (start, end) = match (number(first), number(last)) {
            (Some(start), None) if last.is_empty() => (start, total),
            (Some(start), Some(last)) if start <= last => {
                (start, total.min(last.saturating_add(1)))
            }
            (None, Some(length)) if first.is_empty() => (total - length.min(total), total),
            _ => return Self::Whole,
        };
        if start < end {
            Self::Part(start, end)
        } else {
            Self::Nothing
        }
    }
}

/// A part of a multipart body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The value of its `Content-Type`. Empty if it has none.
    pub(super) kind: String,
    /// The value of its `Content-ID`.
    pub(super) id: Option<String>,
    pub(super) bytes: Bytes,
}

impl Part {
    /// Whether it has this type.
    pub(super) fn is(&self, media_type: &str) -> bool {
        let given = self.kind.split(';').next().unwrap_or_default().trim();
        given.eq_ignore_ascii_case(media_type)
    }
}

/// Splits a body whose type begins with `multipart/`.
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
    use axum::http::{HeaderMap, Method};

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

    #[test]
    fn ranges_are_read_as_rfc_9110_says() {
        for (range, asked) in [
            ("bytes=0-9", Asked::Part(0, 10)),
            ("bytes=90-", Asked::Part(90, 100)),
            ("bytes=90-500", Asked::Part(90, 100)),
            ("bytes=-10", Asked::Part(90, 100)),
            ("bytes=-500", Asked::Part(0, 100)),
            ("bytes=99-99", Asked::Part(99, 100)),
            ("bytes=100-", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=0-1,5-6", Asked::Whole),
            ("bytes=5-1", Asked::Whole),
            ("lines=0-1", Asked::Whole),
            ("bytes=-", Asked::Whole),
        ] {
            assert_eq!(Asked::of(range, 100), asked, "{range}");
        }
        assert_eq!(Asked::of("bytes=0-9", 0), Asked::Nothing);
    }
}
