//! Bytes instead of JSON: downloads (`alt=media`), whole or a range of them (RFC 9110, section 14), and what an upload
//! may bring.

use axum::http::{HeaderValue, StatusCode, header};
use bytes::Bytes;

use super::{
    errors::ApiError,
    method::{Media, Upload},
};
use crate::response::Response;

/// What a `Range` header asks for, of a content of a known length.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Whole,
    /// First byte, and the one after the last.
    Part(usize, usize),
    Nothing,
}

impl Media {
    /// Bytes of this type; without one they are just bytes.
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

    /// As a response; a part of it where a range was asked for.
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
    /// Reads `bytes=0-9`, `bytes=10-` or `bytes=-5`. Several ranges, and what is not a range, ask for the whole
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

impl Upload {
    pub(super) fn check_type(&self, kind: &str) -> Result<(), ApiError> {
        if kind.to_ascii_lowercase().starts_with(self.accepts) {
            return Ok(());
        }
        let message = format!(
            "Media type '{kind}' is not supported. Valid media types: [{}*]",
            self.accepts
        );
        Err(ApiError::of(400, "badContent", message))
    }

    pub(super) fn check_size(&self, bytes: u64) -> Result<(), ApiError> {
        if bytes <= self.max_bytes {
            return Ok(());
        }
        Err(ApiError::of(413, "uploadTooLarge", "Upload too large."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
