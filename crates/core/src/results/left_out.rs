//! Describes the parts of a result that the limits omitted.

use std::{cmp::Reverse, collections::BTreeMap};

use serde_json::Value;

use super::{UNTRUSTED, budget::Limits};
use crate::{error::push_segment, tool::Warning};

/// Maximum number of paths in a warning.
const NAMED: usize = 10;
/// Maximum length of a path that a warning names in full.
const LONGEST: usize = 100;

/// The truncated texts and lists, by path.
pub(super) struct LeftOut {
    limits: Limits,
    cuts: Vec<Cut>,
    /// Number of truncated texts.
    texts: BTreeMap<String, usize>,
    /// How many lists contain this list, how many of its items stay, and how many there are.
    lists: BTreeMap<String, (usize, usize, usize)>,
}

/// A truncated text or list.
pub(super) struct Cut {
    /// JSON pointer to it.
    pub(super) pointer: String,
    /// For a list, the number of items that stay.
    pub(super) kept: Option<usize>,
}

/// The place of a value: its path without indexes, its JSON pointer, and the number of lists around it.
struct Place<'a> {
    path: &'a str,
    pointer: &'a str,
    lists: usize,
}

impl LeftOut {
    /// Finds the parts of a value that the limits omit.
    pub(super) fn of(value: &Value, limits: Limits) -> Self {
        let mut left_out = Self {
            limits,
            cuts: Vec::new(),
            texts: BTreeMap::new(),
            lists: BTreeMap::new(),
        };
        let (path, pointer, lists) = ("", "", 0);
        let top = Place {
            path,
            pointer,
            lists,
        };
        left_out.see(value, &top);
        left_out
    }

    /// Returns a warning for truncated texts, and one for lists.
    pub(super) fn warnings(&self, page_size: Option<&str>) -> impl Iterator<Item = Warning> {
        self.of_texts().into_iter().chain(self.of_lists(page_size))
    }

    /// Each truncated text and list.
    pub(super) fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    fn see(&mut self, value: &Value, place: &Place<'_>) {
        let Place {
            path,
            pointer,
            lists,
        } = *place;
        let cut = |kept| Cut {
            pointer: pointer.to_owned(),
            kept,
        };
        match value {
            Value::String(text) if self.limits.cut_of(text).is_some() => {
                *self.texts.entry(path.to_owned()).or_default() += 1;
                self.cuts.push(cut(None));
            }
            Value::Array(items) => {
                let kept = self.limits.items(items, lists > 0);
                if kept < items.len() {
                    let entry = self.lists.entry(path.to_owned()).or_insert((lists, 0, 0));
                    entry.1 += kept;
                    entry.2 += items.len();
                    self.cuts.push(cut(Some(kept)));
                }
                let path = format!("{path}[]");
                for (index, item) in items[..kept].iter().enumerate() {
                    let pointer = format!("{pointer}/{index}");
                    let (path, pointer, lists) = (&path, &pointer, lists + 1);
                    let inner = Place {
                        path,
                        pointer,
                        lists,
                    };
                    self.see(item, &inner);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let is_top = pointer.is_empty();
                    if is_top && name == UNTRUSTED {
                        continue;
                    }
                    let path = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    let mut pointer = pointer.to_owned();
                    push_segment(&mut pointer, name);
                    let (path, pointer) = (&path, &pointer);
                    let inner = Place {
                        path,
                        pointer,
                        lists,
                    };
                    self.see(value, &inner);
                }
            }
            _ => {}
        }
    }

    fn of_texts(&self) -> Option<Warning> {
        let texts = self
            .texts
            .iter()
            .map(|(path, count)| format!("{} ({count})", shown(path)));
        let named = named(texts)?;
        let message = format!(
            "texts were truncated to {} characters to stay within max_bytes: {named}; set a larger max_bytes or select fewer fields to get more",
            self.limits.text()
        );
        Some(Warning::new("texts_truncated", message))
    }

    fn of_lists(&self, page_size: Option<&str>) -> Option<Warning> {
        let mut lists: Vec<_> = self.lists.iter().collect();
        // The outermost list first, and among those the one that lost the most items.
        lists.sort_by_key(|(_, (depth, kept, all))| (*depth, Reverse(all - kept)));
        let (_, (depth, kept, _)) = lists.first()?;
        let more = match page_size {
            Some(parameter) if *depth == 0 => format!(
                "call again with {parameter} {kept} and read page by page (the next page of this result starts after the omitted items)"
            ),
            _ => String::from("ask the tool for less"),
        };
        let named =
            named(lists.into_iter().map(|(path, (_, kept, all))| {
                format!("{} of {all} in {}", all - kept, shown(path))
            }))?;
        let message = format!(
            "items at the end of lists were omitted to stay within max_bytes: {named}; to get them, {more}, select fewer fields, or set a larger max_bytes"
        );
        Some(Warning::new("lists_truncated", message))
    }
}

fn shown(path: &str) -> String {
    match path {
        "" => String::from("the result"),
        path if path.chars().count() > LONGEST => path.chars().take(LONGEST).chain(['…']).collect(),
        path => path.to_owned(),
    }
}

/// Joins the first texts, and adds how many more there are. Returns `None` if there are no texts.
fn named(mut texts: impl Iterator<Item = String>) -> Option<String> {
    let mut named: Vec<String> = texts.by_ref().take(NAMED).collect();
    if named.is_empty() {
        return None;
    }
    let more = texts.count();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    Some(named.join(", "))
}
