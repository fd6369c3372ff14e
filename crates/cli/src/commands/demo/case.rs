//! What a demonstration of a tool needs, and how its result is compared.

use serde_json::Value;

/// How a tool is shown: its input, and what its result must say, both read from the sandbox's world.
pub(super) struct Case {
    pub(super) tool: &'static str,
    pub(super) input: fn(&World) -> Value,
    pub(super) check: fn(&World, &Value) -> Result<String, String>,
}

/// What the sandbox knows of its user.
#[derive(Default)]
pub(super) struct World(Value);

/// The cases of every product: one line each.
pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    [
        super::mail::CASES,
        super::warehouse::CASES,
        super::calendar::CASES,
        super::workspace::CASES,
        super::sheets::CASES,
        super::drive::CASES,
    ]
    .into_iter()
    .flatten()
}

impl World {
    /// The world of one user, by mail address.
    pub(super) fn of(world: &Value, email: &str) -> Option<Self> {
        let users = world["users"].as_array()?;
        users
            .iter()
            .find(|user| user["email"] == email)
            .cloned()
            .map(Self)
    }

    /// Everything that the sandbox tells of the user.
    pub(super) fn all(&self) -> &Value {
        &self.0
    }

    /// A list of the user's.
    pub(super) fn list(&self, name: &str) -> &[Value] {
        list(&self.0, name)
    }
}

/// What differs between two moments of a world, in words: the lists that grew, shrank or changed.
pub(super) fn changes(before: &World, after: &World) -> Vec<String> {
    let mut changes = Vec::new();
    compare("", &before.0, &after.0, &mut changes);
    changes
}

fn compare(path: &str, before: &Value, after: &Value, changes: &mut Vec<String>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Value::Object(before), Value::Object(after)) => {
            for (name, value) in after {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                compare(
                    &path,
                    before.get(name).unwrap_or(&Value::Null),
                    value,
                    changes,
                );
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() != after.len() => {
            changes.push(format!("{path}: {} are now {}", before.len(), after.len()));
        }
        _ => changes.push(format!("{path}: changed")),
    }
}

/// A list within a value; a missing one is empty.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// The same texts in any order, or what differs.
pub(super) fn same_texts<'a>(
    what: &str,
    expected: impl Iterator<Item = &'a Value>,
    seen: impl Iterator<Item = &'a Value>,
) -> Result<usize, String> {
    let (mut expected, mut seen) = (texts(expected), texts(seen));
    expected.sort_unstable();
    seen.sort_unstable();
    if expected == seen {
        Ok(seen.len())
    } else {
        Err(format!(
            "{what}: {seen:?} came, the sandbox has {expected:?}"
        ))
    }
}

/// The same value on both sides, or what differs.
pub(super) fn same(what: &str, expected: &Value, seen: &Value) -> Result<(), String> {
    if expected == seen {
        Ok(())
    } else {
        Err(format!("{what}: {seen} came, the sandbox has {expected}"))
    }
}

fn texts<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<&'a str> {
    values.map(|value| value.as_str().unwrap_or("?")).collect()
}
