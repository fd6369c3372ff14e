//! The readable view of a tool's result.

use std::fmt;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use super::entry::schema_of;

/// A short form of a tool's result, for people and models. It omits absent values. Its schema requires no members,
/// because a caller can request only some of them.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Serialize;
/// use serde_json::Value;
/// use stead_core::tool::{Readable, ReadableView};
///
/// /// A note in short.
/// #[derive(Serialize, JsonSchema)]
/// struct ShortNote {
///     /// Its text.
///     #[serde(skip_serializing_if = "Option::is_none")]
///     text: Option<String>,
/// }
///
/// impl Readable for ShortNote {
///     const UNTRUSTED: &'static [&'static str] = &["text"];
///     fn of(result: Value) -> Self {
///         Self { text: result["text"].as_str().map(str::to_owned) }
///     }
/// }
///
/// // In the tool: `const READABLE: Option<ReadableView> = ReadableView::some::<ShortNote>();`
/// let view = ReadableView::some::<ShortNote>().unwrap();
/// assert_eq!(view.of(serde_json::json!({ "text": "Milk", "etag": "1" })).unwrap()["text"], "Milk");
/// ```
pub trait Readable: Serialize + JsonSchema {
    /// Paths of texts that third parties wrote, such as `messages[].text`. For a model, they are data and never
    /// instructions.
    const UNTRUSTED: &'static [&'static str];

    /// Builds the view of any result of the product.
    fn of(result: Value) -> Self;

    /// Parts that the view truncates or only names, with their place in the full result. Callers get handles to read
    /// the largest ones.
    fn wholes(&self) -> Vec<Whole> {
        Vec::new()
    }
}

/// Place in the full result of a part that the readable view truncates or only names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Whole {
    /// JSON pointer to the part in the view. Empty if the view shows nothing of it.
    pub part: String,
    /// JSON pointer to the whole in the full result.
    pub pointer: String,
    /// Type of the part.
    pub kind: WholeKind,
    /// Its size in bytes, if known.
    pub size: Option<u64>,
}

/// Type of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WholeKind {
    /// A text.
    Text,
    /// A list.
    List,
    /// Content of a file, which is base64 in the full result.
    File {
        /// Its name.
        name: Option<String>,
        /// Its MIME type.
        media_type: String,
    },
}

impl Whole {
    /// A text of this size, of which the view has the beginning.
    pub fn text(part: impl Into<String>, pointer: impl Into<String>, size: usize) -> Self {
        let size = Some(size as u64);
        Self {
            size,
            ..Self::new(part.into(), pointer.into(), WholeKind::Text)
        }
    }

    /// A list of which the view has the first items.
    pub fn list(part: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self::new(part.into(), pointer.into(), WholeKind::List)
    }

    /// The content of a file, of which the view has the name.
    pub fn file(
        pointer: impl Into<String>,
        name: Option<String>,
        media_type: String,
        size: Option<u64>,
    ) -> Self {
        let kind = WholeKind::File { name, media_type };
        Self {
            size,
            ..Self::new(String::new(), pointer.into(), kind)
        }
    }

    fn new(part: String, pointer: String, kind: WholeKind) -> Self {
        Self {
            part,
            pointer,
            kind,
            size: None,
        }
    }
}

/// The text of a value. `None` if it's empty.
pub fn text_of(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// The items of a list. Empty for other values.
pub fn items_of(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The beginning of a text with at most this many bytes, and whether there is more.
pub fn shortened(mut text: String, most: usize) -> (String, bool) {
    if text.len() <= most {
        return (text, false);
    }
    text.truncate(text.floor_char_boundary(most));
    (text, true)
}

/// A readable view without its type.
#[derive(Clone, Copy)]
pub struct ReadableView {
    schema: fn() -> Schema,
    of: fn(Value) -> serde_json::Result<(Value, Vec<Whole>)>,
    untrusted: &'static [&'static str],
}

impl ReadableView {
    /// The view of this type, for [`Tool::READABLE`](super::Tool::READABLE).
    pub const fn some<V: Readable>() -> Option<Self> {
        Some(Self {
            schema: schema_of::<V>,
            of: view_of::<V>,
            untrusted: V::UNTRUSTED,
        })
    }
    /// The view of a result.
    ///
    /// # Errors
    /// If it can't be written as JSON.
    pub fn of(&self, result: Value) -> serde_json::Result<Value> {
        Ok(self.with_wholes(result)?.0)
    }
    /// The same, with its truncated parts.
    ///
    /// # Errors
    /// As [`ReadableView::of`].
    pub fn with_wholes(&self, result: Value) -> serde_json::Result<(Value, Vec<Whole>)> {
        (self.of)(result)
    }
    /// Paths of its texts that third parties wrote.
    pub const fn untrusted(&self) -> &'static [&'static str] {
        self.untrusted
    }
    /// JSON Schema of its struct, before any transformation.
    pub fn struct_schema(&self) -> Schema {
        (self.schema)()
    }
}

impl fmt::Debug for ReadableView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadableView").finish_non_exhaustive()
    }
}

fn view_of<V: Readable>(result: Value) -> serde_json::Result<(Value, Vec<Whole>)> {
    let view = V::of(result);
    Ok((serde_json::to_value(&view)?, view.wholes()))
}
