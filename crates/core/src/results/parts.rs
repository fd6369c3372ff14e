//! The largest parts that a result truncates or omits, and where each one is in full.

use std::cmp::Reverse;

use serde_json::Value;

use super::{ResultOptions, left_out::Cut};
use crate::tool::Whole;

/// Maximum number of parts that a result names. Each costs a model about a hundred tokens.
const MOST: usize = 5;

/// Something that a result contains only partly or only by name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// Its place in the result, such as `messages[0].text`. Empty for content that the result doesn't show at all.
    pub path: String,
    /// Options that return all of it.
    pub options: ResultOptions,
    /// Where it is in that form of the result.
    pub whole: Whole,
}

/// Finds the largest parts that the view and the limits have cut. If both cut a part, the full result
/// contains all of it.
pub(super) fn largest(
    options: &ResultOptions,
    value: &Value,
    wholes: Vec<Whole>,
    cuts: &[Cut],
) -> Vec<Part> {
    let is_shown = |whole: &Whole| {
        let part = value.pointer(&whole.part);
        part.is_some_and(|part| !part.is_null()) && !cuts.iter().any(|cut| cut.hides(&whole.part))
    };
    let mut wholes: Vec<Whole> = wholes.into_iter().filter(is_shown).collect();
    let full = ResultOptions::default();
    let of_view = wholes.len();
    for cut in cuts {
        let is_known = wholes.iter().any(|whole| whole.part == cut.pointer);
        if !is_known && let Some(found) = value.pointer(&cut.pointer) {
            wholes.push(whole(&cut.pointer, found));
        }
    }
    let asked = ResultOptions {
        max_bytes: None,
        ..options.clone()
    };
    let mut parts: Vec<Part> = wholes
        .into_iter()
        .enumerate()
        .map(|(index, whole)| Part {
            path: path(&whole.part),
            options: match index < of_view {
                true => full.clone(),
                false => asked.clone(),
            },
            whole,
        })
        .collect();
    // A part without a known size is a list that the view truncates.
    parts.sort_by_key(|part| Reverse(part.whole.size.unwrap_or(u64::MAX)));
    parts.truncate(MOST);
    parts
}

impl Cut {
    /// Whether the value at a pointer is inside an omitted item.
    fn hides(&self, pointer: &str) -> bool {
        let inside = pointer.strip_prefix(&self.pointer);
        let index = inside.and_then(|inside| inside.strip_prefix('/')?.split('/').next());
        let index = index.and_then(|index| index.parse::<usize>().ok());
        matches!((self.kept, index), (Some(kept), Some(index)) if index >= kept)
    }
}

/// Describes a text or list at this place in the requested form.
fn whole(pointer: &str, value: &Value) -> Whole {
    match value {
        Value::String(text) => Whole::text(pointer, pointer, text.len()),
        list => Whole {
            size: Some(list.to_string().len() as u64),
            ..Whole::list(pointer, pointer)
        },
    }
}

/// Writes a JSON pointer for people.
fn path(pointer: &str) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        match step.parse::<usize>() {
            Ok(index) => path.push_str(&format!("[{index}]")),
            Err(_) if path.is_empty() => path = step,
            Err(_) => path = format!("{path}.{step}"),
        }
    }
    path
}
