use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::Answer;
use crate::{Error, ErrorKind, Result, error::Upstream};

/// Result of a tool: data, and what the caller should know about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Output {
    /// The data.
    pub data: Data,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
}

/// Data of a result.
#[derive(Debug, Clone)]
pub enum Data {
    /// The product's own bytes with the status they came with.
    Raw(Bytes, u16),
    /// A value that the tool made.
    Made(Value),
}

/// Something that did not fail the call, yet matters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        Self { code: code.to_owned(), message: message.into() }
    }
}

impl Output {
    /// Adds a warning.
    #[must_use]
    pub fn warn(mut self, code: &'static str, message: impl Into<String>) -> Self {
        self.warnings.push(Warning::new(code, message));
        self
    }

    /// The data as JSON text. The product's bytes are checked to be JSON, and not rebuilt; no bytes are `null`.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] where the product's bytes are not JSON.
    pub fn into_json(self) -> Result<(Box<RawValue>, Vec<Warning>)> {
        let text = match self.data {
            Data::Raw(bytes, _) if bytes.is_empty() => String::from("null"),
            Data::Raw(bytes, status) => String::from_utf8(bytes.into()).map_err(|_| not_json(status))?,
            Data::Made(value) => value.to_string(),
        };
        let raw = RawValue::from_string(text).map_err(|_| not_json(200))?;
        Ok((raw, self.warnings))
    }
}

fn not_json(status: u16) -> Error {
    Error::new(ErrorKind::ProductProtocolError, "the product's answer is not JSON").with_upstream(Upstream::new(status))
}

impl From<Value> for Output {
    fn from(value: Value) -> Self {
        Self { data: Data::Made(value), warnings: Vec::new() }
    }
}

impl From<Answer> for Output {
    fn from(answer: Answer) -> Self {
        Self { data: Data::Raw(answer.body, answer.status), warnings: Vec::new() }
    }
}
