//! Selects members of a result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Path;
use crate::{scrub::scrub, similar::did_you_mean, tool::Warning};

/// Maximum number of paths to compare with a mistyped one.
const COMPARED: usize = 300;
/// Maximum depth of these paths.
const DEEPEST: usize = 6;
/// Maximum number of paths in a warning.
const NAMED: usize = 10;

/// Removes every member that isn't on a requested path. Lists keep their length.
pub(super) fn select(paths: &[Path], value: &mut Value) {
    let mut tree = Tree::default();
    for path in paths {
        tree.add(path.names());
    }
    tree.keep(value);
}

/// The members to keep, by name. A tree without members keeps everything.
#[derive(Default)]
struct Tree {
    whole: bool,
    members: BTreeMap<String, Self>,
}

impl Tree {
    fn add(&mut self, names: &[String]) {
        match names.split_first() {
            None => self.whole = true,
            Some((first, rest)) => self.members.entry(first.clone()).or_default().add(rest),
        }
    }

    /// Removes the rest. Returns whether anything on a path remains.
    fn keep(&self, value: &mut Value) -> bool {
        if self.whole {
            return true;
        }
        match value {
            Value::Array(items) => {
                for item in items {
                    if !self.keep(item) {
                        *item = Value::Null;
                    }
                }
                true
            }
            Value::Object(members) => {
                members.retain(|name, value| {
                    let tree = self.members.get(name);
                    tree.is_some_and(|tree| tree.keep(value))
                });
                true
            }
            _ => false,
        }
    }
}

/// Returns a warning about paths that lead to nothing in the value or the schema.
pub(super) fn unknown(paths: &[Path], value: &Value, schema: &Value) -> Option<Warning> {
    let mut unknown = paths
        .iter()
        .filter(|path| !path.is_in(value) && !path.is_named_in(schema));
    let first = unknown.next()?;
    let mut known = BTreeSet::new();
    in_schema(&mut Vec::new(), schema, &mut known);
    in_value(&mut Vec::new(), value, &mut known);
    let hint = |path: &Path| {
        let known = known.iter().map(String::as_str);
        let text = path.to_string();
        format!("{:?}{}", scrub(&text, 80), did_you_mean(&text, known))
    };
    let mut named: Vec<String> = vec![hint(first)];
    named.extend(unknown.by_ref().take(NAMED - 1).map(hint));
    let more = unknown.count();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    let message = format!("the result doesn't have these fields: {}", named.join("; "));
    Some(Warning::new("unknown_fields", message))
}

fn in_value<'v>(path: &mut Vec<&'v str>, value: &'v Value, known: &mut BTreeSet<String>) {
    match value {
        // Items of a list are alike.
        Value::Array(items) => {
            for item in items.iter().take(3) {
                in_value(path, item, known);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                note(path, name, known, |path, known| {
                    in_value(path, value, known);
                });
            }
        }
        _ => {}
    }
}

fn in_schema<'s>(path: &mut Vec<&'s str>, schema: &'s Value, known: &mut BTreeSet<String>) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        note(path, name, known, |path, known| {
            in_schema(path, member, known);
        });
    }
    let options = schema["anyOf"].as_array().into_iter().flatten();
    for inner in options.chain(schema.get("items")) {
        in_schema(path, inner, known);
    }
}

fn note<'n>(
    path: &mut Vec<&'n str>,
    name: &'n str,
    known: &mut BTreeSet<String>,
    below: impl FnOnce(&mut Vec<&'n str>, &mut BTreeSet<String>),
) {
    if known.len() >= COMPARED || path.len() >= DEEPEST {
        return;
    }
    path.push(name);
    known.insert(path.join("."));
    below(path, known);
    path.pop();
}
