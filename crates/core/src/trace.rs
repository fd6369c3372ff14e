//! The trace that a request belongs to (W3C Trace Context).
//!
//! Stead doesn't pass it on. Products don't continue a trace, and its ID would link the calls of different users.

use std::{borrow::Cow, fmt, num::NonZeroU128, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// ID of a trace: 32 hexadecimal digits, not all of them zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TraceId(NonZeroU128);

impl TraceId {
    /// Its 16 bytes.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.get().to_be_bytes()
    }

    /// The ID with these bytes. `None` if all of them are zero.
    pub const fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        match NonZeroU128::new(u128::from_be_bytes(bytes)) {
            Some(id) => Some(Self(id)),
            None => None,
        }
    }
}

/// The text isn't the ID of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoTraceId;

impl fmt::Display for NoTraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a trace ID has 32 lowercase hexadecimal digits, and at least one of them isn't zero",
        )
    }
}

impl std::error::Error for NoTraceId {}

impl FromStr for TraceId {
    type Err = NoTraceId;
    fn from_str(text: &str) -> Result<Self, NoTraceId> {
        hexadecimal::<32>(text)
            .and_then(NonZeroU128::new)
            .map(Self)
            .ok_or(NoTraceId)
    }
}

impl TryFrom<String> for TraceId {
    type Error = NoTraceId;
    fn try_from(text: String) -> Result<Self, NoTraceId> {
        text.parse()
    }
}

impl From<TraceId> for String {
    fn from(id: TraceId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl JsonSchema for TraceId {
    fn schema_name() -> Cow<'static, str> {
        "TraceId".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$", "description": "ID of a trace." })
    }
}

/// The header `traceparent` of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceParent {
    /// The trace.
    pub trace_id: TraceId,
    /// The caller's span.
    pub span_id: [u8; 8],
    /// Whether the caller keeps the trace.
    pub sampled: bool,
}

impl TraceParent {
    /// Parses the header's value. Of a later version, it reads the parts that this version has. `None` if it isn't
    /// valid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, '-');
        let version = hexadecimal::<2>(parts.next()?)?;
        let (trace_id, span_id) = (parts.next()?.parse().ok()?, parts.next()?);
        let span_id = u64::try_from(hexadecimal::<16>(span_id)?).ok()?;
        let flags = hexadecimal::<2>(parts.next()?)?;
        let is_whole = version != 0 || parts.next().is_none();
        (version != 0xff && span_id != 0 && is_whole).then_some(Self {
            trace_id,
            span_id: span_id.to_be_bytes(),
            sampled: flags & 1 == 1,
        })
    }
}

/// Parses exactly this many lowercase hexadecimal digits.
fn hexadecimal<const DIGITS: usize>(text: &str) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let fits = text.len() == DIGITS && text.bytes().all(is_digit);
    u128::from_str_radix(text, 16).ok().filter(|_| fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn the_header_is_read_as_the_recommendation_says() {
        for (text, sampled) in [
            (format!("00-{ID}-{SPAN}-01"), true),
            (format!("00-{ID}-{SPAN}-00"), false),
            (format!("00-{ID}-{SPAN}-03"), true),
            (format!("cc-{ID}-{SPAN}-01-what-comes-later"), true),
        ] {
            let parent = TraceParent::parse(&text).unwrap();
            assert_eq!(parent.trace_id.to_string(), ID);
            assert_eq!(u64::from_be_bytes(parent.span_id), 0xb7ad_6b71_6920_3331);
            assert_eq!(parent.sampled, sampled, "{text}");
        }
    }

    #[test]
    fn an_invalid_traceparent_is_ignored() {
        let zeros = "0".repeat(32);
        for text in [
            String::new(),
            format!("00-{ID}-{SPAN}"),
            format!("00-{ID}-{SPAN}-01-more"),
            format!("ff-{ID}-{SPAN}-01"),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{ID}-{}-01", "0".repeat(16)),
            format!("00-{}-{SPAN}-01", ID.to_uppercase()),
            format!("00-{}-{SPAN}-01", &ID[1..]),
            format!("00-{ID}-+{}-01", &SPAN[1..]),
            format!("0-{ID}-{SPAN}-01"),
            format!("00-{ID}-{SPAN}-1 "),
        ] {
            assert_eq!(TraceParent::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn an_id_goes_through_bytes_and_json() {
        let id: TraceId = ID.parse().unwrap();
        assert_eq!(TraceId::from_bytes(id.to_bytes()), Some(id));
        assert_eq!(TraceId::from_bytes([0; 16]), None);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{ID}\""));
        assert_eq!(serde_json::from_str::<TraceId>(&json).unwrap(), id);
        assert!(serde_json::from_str::<TraceId>("\"x\"").is_err());
    }
}
