//! A response before it's sent.

use std::io::Write as _;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Response as HttpResponse, StatusCode, header},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use futures_util::stream;
use serde::Serialize;

/// How many bytes a piece of a generated body has.
const PIECE_BYTES: u64 = 64 * 1024;

/// Status, headers and body.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ResponseBody,
}

/// The body of a response.
#[derive(Debug, Clone)]
pub(crate) enum ResponseBody {
    /// A body in memory.
    Whole(Bytes),
    /// A JSON text of exactly this many bytes, generated while it's sent.
    Padding(u64),
}

impl Response {
    /// JSON, indented or compact.
    pub(crate) fn json(status: StatusCode, value: &impl Serialize, indented: bool) -> Self {
        let text = if indented {
            serde_json::to_vec_pretty(value)
        } else {
            serde_json::to_vec(value)
        };
        Self::whole(
            status,
            "application/json; charset=UTF-8",
            Bytes::from(text.unwrap_or_default()),
        )
    }

    /// An HTML page.
    pub(crate) fn html(status: StatusCode, page: String) -> Self {
        Self::whole(status, "text/html; charset=UTF-8", Bytes::from(page))
    }

    /// 303 See Other.
    pub(crate) fn see_other(location: &str) -> Self {
        Self::whole(
            StatusCode::SEE_OTHER,
            "text/html; charset=UTF-8",
            Bytes::new(),
        )
        .with(header::LOCATION, location)
    }

    /// Any body in memory.
    pub(crate) fn whole(status: StatusCode, kind: &'static str, body: Bytes) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        Self {
            status,
            headers,
            body: ResponseBody::Whole(body),
        }
    }

    /// A JSON response of exactly `bytes` bytes (at least 2).
    pub(crate) fn padding(bytes: u64) -> Self {
        let mut response = Self::whole(
            StatusCode::OK,
            "application/json; charset=UTF-8",
            Bytes::new(),
        );
        response.body = ResponseBody::Padding(bytes.max(2));
        response
    }

    /// Adds a header. Omits it if the value isn't valid in a header.
    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }

    pub(crate) fn is_json(&self) -> bool {
        let kind = self.headers.get(header::CONTENT_TYPE);
        kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
    }

    /// Compresses the body with gzip.
    pub(crate) fn gzipped(mut self) -> Self {
        let ResponseBody::Whole(body) = &self.body else {
            return self;
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder.write_all(body).and_then(|()| encoder.finish());
        if let Ok(packed) = packed {
            self.body = ResponseBody::Whole(Bytes::from(packed));
            self.headers
                .insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        self
    }

    /// Converts the response for sending.
    pub(crate) fn into_response(self) -> HttpResponse<Body> {
        let body = match self.body {
            ResponseBody::Whole(body) => Body::from(body),
            ResponseBody::Padding(bytes) => padding(bytes),
        };
        build(self.status, self.headers, body)
    }

    /// Announces the whole body, sends the first half of it, and then fails.
    pub(crate) fn into_cut_response(mut self) -> HttpResponse<Body> {
        let ResponseBody::Whole(body) = self.body else {
            return self.into_response();
        };
        self.headers
            .insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        let half = body.slice(..body.len() / 2);
        let pieces = stream::unfold(Some(half), |half| async move {
            match half {
                Some(half) => Some((Ok(half), None)),
                None => {
                    // The server only sends the first half if the body isn't ready yet.
                    tokio::task::yield_now().await;
                    Some((Err(std::io::Error::other("cut")), None))
                }
            }
        });
        build(self.status, self.headers, Body::from_stream(pieces))
    }
}

fn build(status: StatusCode, headers: HeaderMap, body: Body) -> HttpResponse<Body> {
    let mut response = HttpResponse::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// A JSON string of `bytes` bytes: a quote, letters, and a quote.
fn padding(bytes: u64) -> Body {
    let pieces = stream::unfold(0_u64, move |sent| async move {
        if sent >= bytes {
            return None;
        }
        let length = PIECE_BYTES.min(bytes - sent);
        let mut piece = vec![b'x'; usize::try_from(length).unwrap_or_default()];
        if sent == 0
            && let Some(first) = piece.first_mut()
        {
            *first = b'"';
        }
        if sent + length == bytes
            && let Some(last) = piece.last_mut()
        {
            *last = b'"';
        }
        Some((Ok::<_, std::io::Error>(Bytes::from(piece)), sent + length))
    });
    Body::from_stream(pieces)
}
