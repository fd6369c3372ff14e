//! The input of each tool in the demo, and the check of its result.

use serde::Deserialize;
use serde_json::Value;

/// The first case of every tool's fixture, written by `cargo xtask codegen`.
const CASES: &str = include_str!("cases.json");

/// A plain use of a tool, with IDs of the sandbox's data.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Case {
    pub(super) tool: String,
    pub(super) input: Value,
    /// Members that its result must have.
    members: Vec<String>,
}

impl Case {
    /// A summary of the result, or an error if it lacks a member or doesn't fit the tool's output.
    pub(super) fn check(&self, data: &Value) -> Result<String, String> {
        let catalogue = stead::products::catalogue();
        let tool = catalogue.find(&self.tool, None, None);
        let tool = tool.map_err(|error| error.to_string())?;
        if let Err(error) = tool.entry().rewrite_output(&data.to_string()) {
            return Err(format!("the result doesn't fit the tool's output: {error}"));
        }
        if let Some(missing) = self.members.iter().find(|name| data.get(*name).is_none()) {
            return Err(format!("the result has no {missing:?}"));
        }
        Ok(self.members.join(", "))
    }
}

/// The sandbox's data of a user.
#[derive(Default)]
pub(super) struct World(Value);

/// The cases of every product.
pub(super) fn all() -> Result<Vec<Case>, serde_json::Error> {
    serde_json::from_str(CASES)
}

impl World {
    /// The data of one user, by mail address.
    pub(super) fn of(world: &Value, email: &str) -> Option<Self> {
        let users = world["users"].as_array()?;
        users
            .iter()
            .find(|user| user["email"] == email)
            .cloned()
            .map(Self)
    }
}

/// The changes between two states of the data, in words.
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
            changes.push(format!("{path}: from {} to {}", before.len(), after.len()));
        }
        _ => changes.push(format!("{path}: changed")),
    }
}

/// Compares two values, and describes the difference.
pub(super) fn same(what: &str, expected: &Value, seen: &Value) -> Result<(), String> {
    if expected == seen {
        Ok(())
    } else {
        Err(format!(
            "{what}: got {seen}, but the sandbox has {expected}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_is_shown() {
        let cases = all().unwrap();
        let catalogue = stead::products::catalogue();
        for tool in catalogue.newest() {
            let name = tool.entry().name();
            let mut case = cases.iter().find(|case| case.tool == name).unwrap().clone();
            assert!(
                tool.schema().unwrap().validate(&mut case.input).is_ok(),
                "{name}"
            );
        }
        assert_eq!(cases.len(), catalogue.newest().count());
    }

    #[test]
    fn a_result_that_a_typed_call_cannot_read_is_a_fault() {
        let case = Case {
            tool: String::from("calendar_delete_event"),
            input: Value::Null,
            members: vec![String::from("deleted")],
        };
        let mut data = json!({ "deleted": true, "event_id": "e", "calendar_id": "c" });
        assert_eq!(case.check(&data).unwrap(), "deleted");
        data["deleted"] = json!("yes");
        let fault = case.check(&data).unwrap_err();
        assert!(fault.contains("doesn't fit the tool's output"), "{fault}");
    }
}
