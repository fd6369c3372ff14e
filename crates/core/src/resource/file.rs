//! Omitted parts of results, and the files to read them.

use std::{fmt, ops::Range};

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, identifier::ExecutionId};

/// A part that a result omits or truncates, with a handle to read all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct LeftOut {
    /// Its path in the data, such as `messages[0].text`. Absent if the data shows nothing of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Handle to read it with `GET /v1/files/{handle}`, or with `stead_read_result` over MCP. It expires after 24 hours
    /// and reads as the user of this call.
    pub handle: String,
    /// MIME type of the content: `text/plain` for a text, `application/json` for a list, or the file's own type.
    pub media_type: String,
    /// Name of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Size of all of it in bytes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

impl LeftOut {
    /// Content with its handle.
    pub fn new(handle: impl Into<String>, media_type: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            handle: handle.into(),
            media_type: media_type.into(),
            name: None,
            size: None,
        }
    }
}

impl fmt::Display for LeftOut {
    /// Shows everything except the handle.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (&self.name, self.path.as_str()) {
            (Some(name), _) => name,
            (None, "") => "the content",
            (None, path) => path,
        };
        write!(f, "{name} ({}", self.media_type)?;
        if let Some(size) = self.size {
            write!(f, ", {size} bytes")?;
        }
        f.write_str(")")
    }
}

/// Content of a handle, or a range of it, just read from the product.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ResultFile {
    /// Its content, starting at `offset`.
    pub content: Bytes,
    /// Position of the first byte, counted from 0.
    pub offset: u64,
    /// Size of all of it in bytes.
    pub size: u64,
    /// MIME type, such as `text/plain; charset=utf-8`.
    pub media_type: String,
    /// Name of a file.
    pub name: Option<String>,
    /// Digest of all of it, in quotes. Two ranges with the same digest belong to the same content.
    pub etag: String,
    /// ID of the execution that read it from the product.
    pub execution_id: ExecutionId,
}

impl ResultFile {
    /// All of some content, without a name and a digest.
    pub fn new(content: Bytes, media_type: impl Into<String>, execution_id: ExecutionId) -> Self {
        Self {
            offset: 0,
            size: content.len() as u64,
            content,
            media_type: media_type.into(),
            name: None,
            etag: String::new(),
            execution_id,
        }
    }

    /// Its content as text, if it's text or JSON.
    pub fn text(&self) -> Option<&str> {
        let kind = self.media_type.split(';').next().unwrap_or_default().trim();
        let is_text = kind.starts_with("text/") || kind == "application/json";
        std::str::from_utf8(&self.content).ok().filter(|_| is_text)
    }

    /// Only this range of it.
    ///
    /// # Errors
    /// [`ErrorKind::RangeNotSatisfiable`] if the range has no bytes.
    pub fn range(mut self, range: ByteRange) -> Result<Self> {
        let found = range.within(self.size)?;
        let at =
            |byte: u64| usize::try_from(byte.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let length = self.content.len();
        let (first, end) = (at(found.start).min(length), at(found.end).min(length));
        self.content = self.content.slice(first..end);
        self.offset = found.start;
        Ok(self)
    }
}

/// A range of bytes (RFC 9110, 14.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ByteRange {
    /// From the first byte to the last one, inclusive. Without a last byte, to the end.
    From(u64, Option<u64>),
    /// This many bytes at the end.
    Last(u64),
}

impl ByteRange {
    /// Reads `0-499`, `500-` or `-500`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // A number that is too large is beyond the end of any content.
            is_number.then(|| digits.parse().unwrap_or(u64::MAX))
        };
        let (first, last) = text.trim().split_once('-')?;
        match (number(first), last) {
            (None, last) if first.is_empty() => number(last).map(Self::Last),
            (None, _) => None,
            (Some(first), "") => Some(Self::From(first, None)),
            (Some(first), last) => {
                let last = number(last).filter(|last| *last >= first)?;
                Some(Self::From(first, Some(last)))
            }
        }
    }

    fn within(self, size: u64) -> Result<Range<u64>> {
        let found = match self {
            Self::From(first, last) => {
                first..last.map_or(size, |last| last.saturating_add(1).min(size))
            }
            Self::Last(bytes) => size.saturating_sub(bytes)..size,
        };
        match found.start < found.end {
            true => Ok(found),
            false => Err(Error::new(
                ErrorKind::RangeNotSatisfiable,
                format!("the content has {size} bytes, and none in this range"),
            )
            .with_context("size", size.to_string())),
        }
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(first, Some(last)) => write!(f, "{first}-{last}"),
            Self::From(first, None) => write!(f, "{first}-"),
            Self::Last(bytes) => write!(f, "-{bytes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &'static str) -> ResultFile {
        let id = "exec_00000000000000000000000000000001".parse().unwrap();
        ResultFile::new(Bytes::from_static(content.as_bytes()), "text/plain", id)
    }

    #[test]
    fn a_range_is_cut_out_or_refused() {
        let cut = |text: &str| {
            let range = ByteRange::parse(text).expect(text);
            let cut = file("0123456789").range(range);
            cut.map(|cut| (cut.offset, String::from_utf8(cut.content.to_vec()).unwrap()))
        };
        for (range, offset, content) in [
            ("0-3", 0, "0123"),
            ("4-", 4, "456789"),
            ("8-99", 8, "89"),
            ("-3", 7, "789"),
            ("-99", 0, "0123456789"),
            ("9-99999999999999999999999", 9, "9"),
        ] {
            assert_eq!(cut(range).unwrap(), (offset, content.to_owned()), "{range}");
        }
        for range in ["10-", "99-100", "-0", "99999999999999999999999-"] {
            let error = cut(range).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::RangeNotSatisfiable, "{range}");
        }
        for text in ["", "-", "a-b", "3-2", "1", "1-2-3", "+1-2"] {
            assert_eq!(ByteRange::parse(text), None, "{text}");
        }
    }
}
