use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, ErrorKind, Result, error::Upstream};

/// A product's answer, read to its end and decompressed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body, decompressed.
    pub body: Bytes,
    /// 1 for the first sending, 2 for the first repeat, and so on.
    pub attempt: u8,
}

impl Response {
    /// An answer to the first sending.
    pub fn new(status: u16, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers,
            body: body.into(),
            attempt: 1,
        }
    }

    /// Says which sending this answers.
    #[must_use]
    pub fn with_attempt(mut self, attempt: u8) -> Self {
        self.attempt = attempt;
        self
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(|status| status.is_success())
    }

    /// A header's value where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON; an empty body is `null`.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] where the body is not JSON of this shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let body: &[u8] = if self.body.is_empty() {
            b"null"
        } else {
            &self.body
        };
        serde_json::from_slice(body).map_err(|error| {
            Error::new(
                ErrorKind::ProductProtocolError,
                "the product's answer is not the JSON that its description promises",
            )
            .with_context(
                "place",
                format!("line {}, column {}", error.line(), error.column()),
            )
            .with_upstream(Upstream::new(self.status))
        })
    }

    /// The body as a JSON value, or `null` where it is none: for reading errors.
    pub fn json_or_null(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &'static str) -> Response {
        Response::new(status, HeaderMap::new(), body)
    }

    #[test]
    fn a_body_is_read_as_json_and_nothing_is_null() {
        assert_eq!(
            answer(200, " {\"a\": [1]} ").json::<Value>().unwrap(),
            json!({ "a": [1] })
        );
        assert_eq!(answer(204, "").json::<Value>().unwrap(), Value::Null);
        assert_eq!(answer(204, "").json::<Option<String>>().unwrap(), None);
    }

    #[test]
    fn what_is_not_the_promised_json_says_where_and_shows_nothing_of_it() {
        for (body, place) in [
            ("<html>CANARY</html>", "line 1, column 1"),
            ("{\"a\":\n\"CANARY", "line 2, column 7"),
            ("{} CANARY", "line 1, column 4"),
        ] {
            let error = answer(502, body).json::<Value>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
            assert_eq!(error.context()[0].1, place);
            assert_eq!(error.upstream().unwrap().status, 502);
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
        let error = answer(200, "{\"a\":\"CANARY\"}")
            .json::<Vec<String>>()
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
        assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        assert!(answer(204, "").json::<String>().is_err());
    }

    #[test]
    fn an_error_body_that_is_no_json_is_null() {
        assert_eq!(answer(500, "oops").json_or_null(), Value::Null);
        assert_eq!(answer(500, "").json_or_null(), Value::Null);
        assert_eq!(answer(500, "{\"a\":1}").json_or_null(), json!({ "a": 1 }));
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
            assert_eq!(answer(status, "").is_success(), success, "{status}");
        }
    }

    #[test]
    fn headers_are_found_in_any_case_where_they_are_text() {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", http::HeaderValue::from_static("7"));
        headers.insert("x-bytes", http::HeaderValue::from_bytes(&[0xff]).unwrap());
        let answer = Response::new(200, headers, "").with_attempt(3);
        assert_eq!(answer.header("X-Request-Id"), Some("7"));
        assert_eq!(
            (answer.header("x-bytes"), answer.header("etag")),
            (None, None)
        );
        assert_eq!(answer.attempt, 3);
    }
}
