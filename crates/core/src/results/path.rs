//! A path to members of a result: `messages.subject`, `items[].id`.

use std::fmt;

use serde_json::Value;

/// Names of members, from the outermost to the innermost. A list on the path means all its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(Vec<String>);

/// Maximum length of a path in bytes.
const LONGEST: usize = 500;

impl Path {
    /// Parses names with dots between them. `[]` can follow the name of a list.
    ///
    /// # Errors
    /// A sentence for the caller, if the text isn't a path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = |part: &str| {
            let name = part.trim_end_matches("[]");
            let is_name = !name.is_empty() && !name.contains(['[', ']']);
            is_name.then(|| name.to_owned())
        };
        let names = || -> Option<Vec<String>> { text.split('.').map(name).collect() };
        let is_short = text.len() <= LONGEST;
        is_short.then(names).flatten().map(Self).ok_or_else(|| {
            format!(
                "{:?} isn't a path; write member names with dots between them, such as messages.subject or items[].id",
                crate::scrub::scrub(text, 80)
            )
        })
    }

    /// The names.
    pub(super) fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether a value has a member at this path.
    pub fn is_in(&self, value: &Value) -> bool {
        is_in(&self.0, value)
    }

    /// Whether a JSON Schema names a member at this path.
    pub fn is_named_in(&self, schema: &Value) -> bool {
        is_named_in(&self.0, schema)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

fn is_in(names: &[String], value: &Value) -> bool {
    let Some((first, rest)) = names.split_first() else {
        return true;
    };
    match value {
        Value::Array(items) => items.iter().any(|item| is_in(names, item)),
        Value::Object(members) => members.get(first).is_some_and(|value| is_in(rest, value)),
        _ => false,
    }
}

fn is_named_in(names: &[String], schema: &Value) -> bool {
    let Some((first, rest)) = names.split_first() else {
        return true;
    };
    if let Some(member) = schema["properties"].get(first) {
        return is_named_in(rest, member);
    }
    let options = schema["anyOf"].as_array().into_iter().flatten();
    options
        .chain(schema.get("items"))
        .any(|inner| is_named_in(names, inner))
}
