use serde_json::Value;

/// How a tool is shown: its input, and what its answer must say, both read from the sandbox's world.
pub(super) struct Case {
    pub(super) tool: &'static str,
    pub(super) input: fn(&World) -> Value,
    pub(super) check: fn(&World, &Value) -> Result<String, String>,
}

/// What the sandbox knows of its user.
pub(super) struct World(Value);

/// The cases of every product: one line each.
pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    [super::mail::CASES].into_iter().flatten()
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

    /// A list of the user's.
    pub(super) fn list(&self, name: &str) -> &[Value] {
        list(&self.0, name)
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
