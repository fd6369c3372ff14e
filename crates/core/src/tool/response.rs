//! A product's response as a tool reads it.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use jiff::{Timestamp, fmt::rfc2822};
use serde::Deserialize;
use serde_json::Value;

use crate::{Error, ErrorKind, Result, error::Upstream};

/// Maximum wait that Stead accepts from a product.
const DAY: Duration = Duration::from_secs(86_400);

/// A product's complete and decompressed response.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body, decompressed.
    pub body: Bytes,
    /// 1 for the first attempt, 2 for the first retry, and so on.
    pub attempt: u8,
}

impl Response {
    /// A response to the first attempt.
    pub fn new(status: u16, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers,
            body: body.into(),
            attempt: 1,
        }
    }

    /// Sets the number of the attempt.
    #[must_use]
    pub fn with_attempt(mut self, attempt: u8) -> Self {
        self.attempt = attempt;
        self
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(|status| status.is_success())
    }

    /// A header's value, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// How long the product asks to wait (RFC 9110, section 10.2.3), at most one day. A date is relative to the
    /// response's `Date`, or to `now` if absent. `None` for a date in the past.
    pub fn retry_after(&self, now: Option<Timestamp>) -> Option<Duration> {
        let value = self.header(header::RETRY_AFTER.as_str())?.trim();
        if let Ok(seconds) = value.parse() {
            return Some(Duration::from_secs(seconds).min(DAY));
        }
        let moment = http_date(value)?;
        let sent = self.header(header::DATE.as_str()).and_then(http_date);
        let wait = Duration::try_from(moment.duration_since(sent.or(now)?)).ok()?;
        Some(wait.min(DAY))
    }

    /// The body as JSON. An empty body is `null`.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] if the body isn't JSON of this type.
    pub fn json<'r, T: Deserialize<'r>>(&'r self) -> Result<T> {
        let body: &[u8] = if self.body.is_empty() {
            b"null"
        } else {
            &self.body
        };
        serde_json::from_slice(body).map_err(|error| {
            Error::new(
                ErrorKind::ProductProtocolError,
                "the product's response doesn't match its description",
            )
            .with_context(
                "place",
                format!("line {}, column {}", error.line(), error.column()),
            )
            .with_upstream(Upstream::new(self.status))
        })
    }

    /// The body as a JSON value, or `null` if it isn't JSON. Use it to read errors.
    pub fn json_or_null(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Parses a time in HTTP's format.
pub(crate) fn http_date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new()
        .parse_timestamp(text.trim())
        .ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(status: u16, body: &'static str) -> Response {
        Response::new(status, HeaderMap::new(), body)
    }

    #[test]
    fn a_body_is_read_as_json_and_nothing_is_null() {
        assert_eq!(
            response(200, " {\"a\": [1]} ").json::<Value>().unwrap(),
            json!({ "a": [1] })
        );
        assert_eq!(response(204, "").json::<Value>().unwrap(), Value::Null);
        assert_eq!(response(204, "").json::<Option<String>>().unwrap(), None);
    }

    #[test]
    fn invalid_json_is_an_error_with_the_place_and_no_content() {
        for (body, place) in [
            ("<html>CANARY</html>", "line 1, column 1"),
            ("{\"a\":\n\"CANARY", "line 2, column 7"),
            ("{} CANARY", "line 1, column 4"),
        ] {
            let error = response(502, body).json::<Value>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
            assert_eq!(error.context()["place"], place);
            assert_eq!(error.upstream().unwrap().status, 502);
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
        let error = response(200, "{\"a\":\"CANARY\"}")
            .json::<Vec<String>>()
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
        assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        assert!(response(204, "").json::<String>().is_err());
    }

    #[test]
    fn an_error_body_that_is_not_json_is_null() {
        assert_eq!(response(500, "oops").json_or_null(), Value::Null);
        assert_eq!(response(500, "").json_or_null(), Value::Null);
        assert_eq!(response(500, "{\"a\":1}").json_or_null(), json!({ "a": 1 }));
    }

    #[test]
    fn only_2xx_is_success() {
        for (status, success) in [
            (200, true),
            (299, true),
            (199, false),
            (300, false),
            (404, false),
            (0, false),
            (1000, false),
        ] {
            assert_eq!(response(status, "").is_success(), success, "{status}");
        }
    }

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let wait = |value: &str, date: Option<&str>, now: Option<Timestamp>| {
            let headers = [("retry-after", Some(value)), ("date", date)]
                .into_iter()
                .filter_map(|(name, value)| Some((name.parse().unwrap(), value?.parse().unwrap())))
                .collect();
            Response::new(429, headers, "").retry_after(now)
        };
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (value, expected) in [
            ("0", seconds(0)),
            ("120", seconds(120)),
            (" 5 ", seconds(5)),
            ("99999999999", seconds(86_400)),
            ("Thu, 01 Jan 2026 00:00:30 GMT", seconds(30)),
            ("Thu, 01 Jan 2026 00:00:00 GMT", seconds(0)),
            ("Fri, 01 Jan 2038 00:00:00 GMT", seconds(86_400)),
            ("Wed, 31 Dec 2025 23:59:59 GMT", None),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("18446744073709551616", None),
        ] {
            assert_eq!(wait(value, None, Some(start)), expected, "{value:?}");
        }
        let half_past = "Thu, 01 Jan 2026 00:00:30 GMT";
        let sent = "Thu, 01 Jan 2026 00:00:25 GMT";
        assert_eq!(wait(half_past, Some(sent), Some(start)), seconds(5));
        assert_eq!(wait(half_past, Some(sent), None), seconds(5));
        assert_eq!(wait(half_past, None, None), None);
        let silent = Response::new(429, HeaderMap::new(), "");
        assert_eq!(silent.retry_after(Some(start)), None);
    }

    #[test]
    fn text_headers_are_found_in_any_case() {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", http::HeaderValue::from_static("7"));
        headers.insert("x-bytes", http::HeaderValue::from_bytes(&[0xff]).unwrap());
        let response = Response::new(200, headers, "").with_attempt(3);
        assert_eq!(response.header("X-Request-Id"), Some("7"));
        assert_eq!(
            (response.header("x-bytes"), response.header("etag")),
            (None, None)
        );
        assert_eq!(response.attempt, 3);
    }
}
