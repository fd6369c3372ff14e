//! Fits a result into a number of bytes: the limits for texts and lists, and the JSON within these limits.
//!
//! All texts share one limit, and all lists share one or two. So the longest are truncated first, and each keeps its
//! beginning. With more bytes, the result never contains less of anything.

use std::{borrow::Cow, io};

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap as _, SerializeSeq as _},
};
use serde_json::Value;

use super::UNTRUSTED;
use crate::{Error, ErrorKind, Result};

/// Texts keep at least this number of characters if shortening the lists is enough.
const SHORT: usize = 200;
/// Inner lists keep at least this number of items if shortening the outermost lists is enough.
const FEW: usize = 8;
/// Maximum number of bytes in a word that may be an ID, an address or a page token. Such a word is only useful whole,
/// so it's never cut.
const TOKEN: usize = 2_048;
/// More bytes than the mark at the end of a truncated text takes. A text that barely exceeds its limit stays whole.
const MARK: usize = 64;

/// Maximum lengths of texts and lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Number of characters in a text.
    text: usize,
    /// Number of items in a list that isn't inside another list.
    outer: usize,
    /// Number of items in any other list.
    inner: usize,
}

impl Limits {
    const NONE: Self = Self {
        text: usize::MAX,
        outer: usize::MAX,
        inner: usize::MAX,
    };

    /// The start of a truncated text, and its total number of characters.
    pub(super) fn cut_of(self, text: &str) -> Option<(&str, usize)> {
        if text.len() <= self.text.saturating_add(MARK) || is_token(text) {
            return None;
        }
        let (end, _) = text.char_indices().nth(self.text)?;
        let all = text.chars().count();
        (all > self.text + MARK).then(|| (&text[..end], all))
    }

    pub(super) fn text(self) -> usize {
        self.text
    }

    /// The number of items of a list that stay.
    pub(super) fn items(self, items: &[Value], in_list: bool) -> usize {
        items
            .len()
            .min(if in_list { self.inner } else { self.outer })
    }
}

fn is_token(text: &str) -> bool {
    text.len() <= TOKEN && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns the widest limits within which the value fits into `most` bytes, and its size. If there are none, returns
/// the narrowest.
pub(super) fn limits(value: &Value, most: usize) -> (Limits, usize) {
    let mut limits = Limits::NONE;
    if let Some(whole) = size(value, limits, most) {
        return (limits, whole);
    }
    let longest = Longest::of(value);
    type Step = fn(&mut Limits, usize);
    // Each step narrows one limit from the first number down to the second.
    let steps: [(Step, usize, usize); 5] = [
        (|limits, to| limits.text = to, longest.text, SHORT),
        (
            |limits, to| (limits.outer, limits.inner) = (to, to),
            longest.list,
            FEW,
        ),
        (|limits, to| limits.outer = to, FEW, 1),
        (|limits, to| limits.inner = to, FEW, 1),
        (|limits, to| limits.text = to, SHORT, 0),
    ];
    for (set, from, to) in steps {
        let with = |to: usize| {
            let mut narrower = limits;
            set(&mut narrower, to);
            narrower
        };
        let fits_in = |to: usize| size(value, with(to), most).is_some();
        if !fits_in(to) {
            limits = with(to);
            continue;
        }
        let (mut fits, mut too_long) = (to, from.max(to) + 1);
        while too_long - fits > 1 {
            let middle = fits.midpoint(too_long);
            if fits_in(middle) {
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        limits = with(fits);
        break;
    }
    let size = size(value, limits, usize::MAX).unwrap_or(usize::MAX);
    (limits, size)
}

/// Writes the value as JSON within the limits.
pub(super) fn written(value: &Value, limits: Limits) -> Result<String> {
    serde_json::to_string(&Cut::of(value, limits)).map_err(|error| {
        let message = "the result can't be written as JSON";
        Error::new(ErrorKind::Internal, message).with_source(error)
    })
}

/// Returns the length of that text in bytes, or `None` if it exceeds `most`. Stops counting as soon as it does.
fn size(value: &Value, limits: Limits, most: usize) -> Option<usize> {
    let mut counted = Counted { bytes: 0, most };
    let written = serde_json::to_writer(&mut counted, &Cut::of(value, limits));
    written.is_ok().then_some(counted.bytes)
}

/// Counts written bytes, up to a limit.
struct Counted {
    bytes: usize,
    most: usize,
}

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        if self.bytes > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Length of the longest text (at most, in characters) and of the longest list.
#[derive(Default)]
struct Longest {
    text: usize,
    list: usize,
}

impl Longest {
    fn of(value: &Value) -> Self {
        let mut longest = Self::default();
        longest.see(value);
        longest
    }

    fn see(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text = self.text.max(text.len()),
            Value::Array(items) => {
                self.list = self.list.max(items.len());
                items.iter().for_each(|item| self.see(item));
            }
            Value::Object(members) => members.values().for_each(|value| self.see(value)),
            _ => {}
        }
    }
}

/// A value that is written within limits.
struct Cut<'v> {
    value: &'v Value,
    limits: Limits,
    in_list: bool,
    is_top: bool,
}

impl<'v> Cut<'v> {
    fn of(value: &'v Value, limits: Limits) -> Self {
        Self {
            value,
            limits,
            in_list: false,
            is_top: true,
        }
    }

    fn inner(&self, value: &'v Value) -> Self {
        Self {
            value,
            limits: self.limits,
            in_list: self.in_list || self.value.is_array(),
            is_top: false,
        }
    }
}

impl Serialize for Cut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::String(text) => {
                let text: Cow<'_, str> = match self.limits.cut_of(text) {
                    None => text.into(),
                    Some((kept, all)) => {
                        let number = self.limits.text;
                        format!("{kept}… [truncated, {number} of {all} characters]").into()
                    }
                };
                serializer.serialize_str(&text)
            }
            Value::Array(items) => {
                let kept = self.limits.items(items, self.in_list);
                let mut list = serializer.serialize_seq(Some(kept))?;
                for item in &items[..kept] {
                    list.serialize_element(&self.inner(item))?;
                }
                list.end()
            }
            Value::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    if self.is_top && name == UNTRUSTED {
                        object.serialize_entry(name, value)?;
                    } else {
                        object.serialize_entry(name, &self.inner(value))?;
                    }
                }
                object.end()
            }
            other => other.serialize(serializer),
        }
    }
}
