//! Results of tools: the product's unchanged bytes, or a value that the tool built.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::Response;
use crate::{Error, ErrorKind, Result, error::Upstream};

/// Result of a tool: data and warnings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Output {
    /// The data.
    pub data: Data,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
}

/// Data of a result.
#[derive(Debug, Clone)]
pub enum Data {
    /// The product's own bytes, with their status.
    Raw(Bytes, u16),
    /// Text that the tool assembled from the product's bytes.
    Text(Box<RawValue>),
    /// A value that the tool built.
    Json(Value),
}

/// A problem that didn't fail the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Warning {
    /// Stable snake_case code.
    pub code: String,
    /// One sentence.
    pub message: String,
}

impl Warning {
    /// A warning with a stable snake_case code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

impl Output {
    /// Adds a warning.
    #[must_use]
    pub fn warn(mut self, code: &'static str, message: impl Into<String>) -> Self {
        self.warnings.push(Warning::new(code, message));
        self
    }

    /// The data as JSON text. Stead checks that the product's bytes are JSON but doesn't rebuild them. No bytes become
    /// `null`.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] if the product's bytes aren't JSON.
    pub fn into_json(self) -> Result<(Box<RawValue>, Vec<Warning>)> {
        let (text, status) = match self.data {
            Data::Raw(bytes, status) if bytes.is_empty() => (String::from("null"), status),
            Data::Raw(bytes, status) => (
                String::from_utf8(bytes.into()).map_err(|_| not_json(status))?,
                status,
            ),
            Data::Text(text) => return Ok((text, self.warnings)),
            Data::Json(value) => (value.to_string(), 200),
        };
        let raw = RawValue::from_string(text).map_err(|_| not_json(status))?;
        Ok((raw, self.warnings))
    }
}

fn not_json(status: u16) -> Error {
    Error::new(
        ErrorKind::ProductProtocolError,
        "the product's response isn't JSON",
    )
    .with_upstream(Upstream::new(status))
}

impl From<Value> for Output {
    fn from(value: Value) -> Self {
        Self {
            data: Data::Json(value),
            warnings: Vec::new(),
        }
    }
}

impl From<Box<RawValue>> for Output {
    fn from(text: Box<RawValue>) -> Self {
        Self {
            data: Data::Text(text),
            warnings: Vec::new(),
        }
    }
}

impl From<Response> for Output {
    fn from(response: Response) -> Self {
        Self {
            data: Data::Raw(response.body, response.status),
            warnings: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn raw(status: u16, body: impl Into<Bytes>) -> Output {
        Response::new(status, HeaderMap::new(), body).into()
    }

    #[test]
    fn the_products_bytes_are_not_rebuilt() {
        for text in [
            "{ \"b\" : 1.50,\r\n\t\"a\":[ ] }",
            "{\"a\":1,\"a\":2}",
            "12345678901234567890123",
            "\"\\u00e9\"",
        ] {
            let (data, warnings) = raw(200, text).into_json().unwrap();
            assert_eq!(data.get(), text);
            assert!(warnings.is_empty());
        }
    }

    #[test]
    fn the_products_bytes_are_not_copied_either() {
        let bytes = Bytes::from(b"[1,2,3]".to_vec());
        let at = bytes.as_ptr();
        assert_eq!(raw(200, bytes).into_json().unwrap().0.get().as_ptr(), at);
    }

    #[test]
    fn an_empty_body_is_null() {
        assert_eq!(raw(204, "").into_json().unwrap().0.get(), "null");
    }

    #[test]
    fn a_body_that_is_not_json_is_a_product_error() {
        for body in [
            &b"<html>CANARY</html>"[..],
            b"{\"a\":1",
            b"{} {}",
            b" ",
            b"\xff\xfe",
            b"\"\xff\"",
            b"nul",
            b"NaN",
        ] {
            let error = raw(201, Bytes::from_static(body)).into_json().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
            assert_eq!(error.upstream().unwrap().status, 201, "{body:?}");
            assert!(!format!("{error:?}").contains("CANARY"));
        }
    }

    #[test]
    fn a_made_value_and_its_warnings_are_handed_on() {
        let output = Output::from(json!({ "a": 1 }))
            .warn("one", "First.")
            .warn("two", "Second.");
        let (data, warnings) = output.into_json().unwrap();
        assert_eq!(data.get(), "{\"a\":1}");
        assert_eq!(
            warnings,
            [
                Warning::new("one", "First."),
                Warning::new("two", "Second.")
            ]
        );
    }
}
