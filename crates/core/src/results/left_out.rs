//! What the limits left out of a result, in words.

use std::{cmp::Reverse, collections::BTreeMap};

use serde_json::Value;

use super::{UNTRUSTED, budget::Limits};
use crate::tool::Warning;

/// Paths that a warning names.
const NAMED: usize = 10;
/// Longest path that is named whole.
const LONGEST: usize = 100;

/// A warning for texts that were cut, and one for lists.
pub(super) fn warnings(value: &Value, limits: Limits, page_size: Option<&str>) -> Vec<Warning> {
    let mut left_out = LeftOut {
        limits,
        texts: BTreeMap::new(),
        lists: BTreeMap::new(),
    };
    match value {
        Value::Object(members) => {
            let own = members.iter().filter(|(name, _)| *name != UNTRUSTED);
            own.for_each(|(name, value)| left_out.see(value, name, 0));
        }
        value => left_out.see(value, "", 0),
    }
    let texts = left_out.of_texts();
    let lists = left_out.of_lists(page_size);
    texts.into_iter().chain(lists).collect()
}

/// What was left out, by path.
struct LeftOut {
    limits: Limits,
    /// How many texts were cut.
    texts: BTreeMap<String, usize>,
    /// In how many lists the list is, how many items of it stay, and how many there are.
    lists: BTreeMap<String, (usize, usize, usize)>,
}

impl LeftOut {
    fn see(&mut self, value: &Value, path: &str, lists: usize) {
        match value {
            Value::String(text) if self.limits.cut_of(text).is_some() => {
                *self.texts.entry(path.to_owned()).or_default() += 1;
            }
            Value::Array(items) => {
                let kept = self.limits.items(items, lists > 0);
                if kept < items.len() {
                    let entry = self.lists.entry(path.to_owned()).or_insert((lists, 0, 0));
                    entry.1 += kept;
                    entry.2 += items.len();
                }
                let inner = format!("{path}[]");
                items[..kept]
                    .iter()
                    .for_each(|item| self.see(item, &inner, lists + 1));
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let path = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    self.see(value, &path, lists);
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
            "texts were cut to {} characters to keep to max_bytes: {named}; with a larger max_bytes, or with fewer fields, there is more of them",
            self.limits.text()
        );
        Some(Warning::new("texts_truncated", message))
    }

    fn of_lists(&self, page_size: Option<&str>) -> Option<Warning> {
        let mut lists: Vec<_> = self.lists.iter().collect();
        // The outermost first, and of these the one that lost most.
        lists.sort_by_key(|(_, (depth, kept, all))| (*depth, Reverse(all - kept)));
        let (_, (depth, kept, _)) = lists.first()?;
        let more = match page_size {
            Some(parameter) if *depth == 0 => format!(
                "call again with {parameter} of {kept} and go on page by page (the next page of this result begins after what was left out)"
            ),
            _ => String::from("ask the tool for less"),
        };
        let named =
            named(lists.into_iter().map(|(path, (_, kept, all))| {
                format!("{} of {all} in {}", all - kept, shown(path))
            }))?;
        let message = format!(
            "items were left out at the end of lists to keep to max_bytes: {named}; to get them, {more}, name the fields that are needed, or give a larger max_bytes"
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

/// The first ones, and how many more there are; nothing for none.
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
