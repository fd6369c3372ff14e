//! `GET /v1/files/{handle}`: a truncated part of a result, or a file that the result only refers to, with its current
//! content at the product. Returns a single range if the request asks for one (RFC 9110, 14).

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use stead::{Error, ErrorKind};
use stead_core::resource::{ByteRange, ResultFile};

use crate::{
    extract::{Acting, Path},
    openapi::Draft,
    problem::{EXECUTION_ID, Problem, Result},
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(handle): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    let file = environment.read_result(&handle).await?;
    let (size, id) = (file.size, file.execution_id);
    let range = range(&headers, &file.etag);
    let file = match range {
        None => Ok(file),
        Some(range) => file.range(range),
    };
    Ok(match file {
        Ok(file) => respond(file, range.is_some())?,
        Err(error) => {
            let problem = Problem::from(error.with_execution_id(id.to_string()));
            let mut response = problem.into_response();
            let unsatisfied = value(format!("bytes */{size}"))?;
            response
                .headers_mut()
                .insert(header::CONTENT_RANGE, unsatisfied);
            response
        }
    })
}

/// The requested range, cut from the whole, because no product serves parts of a text. The `ETag`, a digest of the
/// whole, says whether it's still the same. Anything but a single range of bytes is ignored, and so is a range of
/// content that has changed (RFC 9110, 14.2 and 13.1.5).
fn range(headers: &HeaderMap, etag: &str) -> Option<ByteRange> {
    let range = headers.get(header::RANGE)?.to_str().ok()?;
    let unchanged = |given: &HeaderValue| given.as_bytes() == etag.as_bytes();
    if !headers.get(header::IF_RANGE).is_none_or(unchanged) {
        return None;
    }
    ByteRange::parse(range.strip_prefix("bytes=")?)
}

fn respond(file: ResultFile, is_range: bool) -> Result<Response, Error> {
    let content_range = format!(
        "bytes {}-{}/{}",
        file.offset,
        (file.offset + file.content.len() as u64).saturating_sub(1),
        file.size
    );
    let headers = [
        (header::CONTENT_TYPE, value(file.media_type)?),
        (
            header::CONTENT_DISPOSITION,
            value(disposition(file.name.as_deref()))?,
        ),
        (header::ETAG, value(file.etag)?),
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Strangers wrote the content, so a browser must never show it as a page of this service.
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (EXECUTION_ID, value(file.execution_id.to_string())?),
    ];
    let content = file.content;
    let mut response = match is_range {
        true => (StatusCode::PARTIAL_CONTENT, content).into_response(),
        false => content.into_response(),
    };
    for (name, value) in headers {
        response.headers_mut().insert(name, value);
    }
    if is_range {
        let range = value(content_range)?;
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    Ok(response)
}

/// A browser saves the file under its name, and doesn't show it (RFC 6266, 4).
fn disposition(name: Option<&str>) -> String {
    match name {
        None => String::from("attachment"),
        Some(name) => {
            let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
            format!("attachment; filename*=UTF-8''{name}")
        }
    }
}

fn value(text: String) -> Result<HeaderValue, Error> {
    HeaderValue::try_from(text)
        .map_err(|_| Error::new(ErrorKind::Internal, "a header can't be written"))
}

/// The route's description, in addition to its path.
pub(in crate::rest) fn describe(draft: &mut Draft<'_>) {
    let text = json!({ "type": "string" });
    draft.takes_header("Range", "One range of bytes: `bytes=0-65535`.", &text);
    draft.takes_header(
        "If-Range",
        "The ETag of an earlier range. If the content has changed, the response has all of it.",
        &text,
    );
    draft.gives_any(200, "The whole content.", "*/*");
    draft.gives_any(206, "The requested range.", "*/*");
    let etag = json!({ "description": "Digest of the whole content.", "schema": text });
    let range = json!({ "description": "The range of bytes and the total size.", "schema": text });
    for status in [200, 206] {
        draft.gives_header(status, "ETag", etag.clone());
    }
    draft.gives_header(206, "Content-Range", range);
}
