//! The input of a tool, coerced and checked against its schema and the tool's own rules. Needs no account.

use serde_json::{Map, Value};

use crate::{
    Error, Result,
    catalogue::CatalogueTool,
    tool::{AnyTool, ToolEntry},
};

/// The input as the tool's struct. A missing input counts as an empty one.
pub(super) fn input(tool: &CatalogueTool, mut input: Value) -> Result<Box<dyn AnyTool>> {
    if input.is_null() {
        input = Value::Object(Map::new());
    }
    if let Err(error) = tool.schema()?.validate(&mut input) {
        return Err(with_broken_rules(tool.entry(), input, error));
    }
    let parsed = tool.entry().parse(input)?;
    parsed.check()?;
    Ok(parsed)
}

/// Adds violated rules across fields to a schema error, so that the caller sees all of them. This works only if the
/// struct accepts the input without its unknown members. Removing anything else could itself violate a rule.
fn with_broken_rules(entry: &ToolEntry, mut input: Value, error: Error) -> Error {
    let mut violations = error.violation_list().to_vec();
    for unknown in violations
        .iter()
        .filter(|one| one.keyword == "additionalProperties")
    {
        remove(&mut input, &unknown.path);
    }
    let Ok(parsed) = entry.parse(input) else {
        return error;
    };
    if let Err(rules) = parsed.check() {
        let new = |path: &str| violations.iter().all(|known| known.path != path);
        let broken = rules.violation_list().iter();
        let broken: Vec<_> = broken.filter(|one| new(&one.path)).cloned().collect();
        violations.extend(broken);
    }
    Error::violations(violations)
}

fn remove(input: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return;
    };
    if let Some(Value::Object(members)) = input.pointer_mut(parent) {
        members.remove(&name.replace("~1", "/").replace("~0", "~"));
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::{
        ErrorKind,
        call::execute,
        error::Violations,
        product::{Product, Rotation},
        resource::ExecuteRequest,
        testing::{World, always, context, demo},
        tool::{Call, Effect, Io, Output, Tool},
    };

    /// Find notes.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct FindNotes {
        /// By label.
        label: Option<String>,
        /// By author.
        author: Option<String>,
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        most: Option<u32>,
    }

    impl Tool for FindNotes {
        const NAME: &'static str = "demo_find_notes";
        const EFFECT: Effect = Effect::Read;
        type Output = Value;

        fn check(&self) -> Result<()> {
            let mut violations = Violations::default();
            if self.label.is_some() == self.author.is_some() {
                violations.add("", "oneOf", "expected either label or author");
            }
            if self.most == Some(0) {
                violations.add("/most", "minimum", "none is too few");
            }
            violations.finish()
        }

        async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
            Ok(Value::Null.into())
        }
    }

    static NOTES: Product = Product {
        tools: const { &[ToolEntry::of::<FindNotes>()] },
        ..demo(Rotation::Stable)
    };

    /// Kind and paths of the error for an unknown user.
    fn refused(input: Value) -> (ErrorKind, Vec<String>) {
        let world = World::new();
        let context = context(&world, &NOTES, always(200, "{}"));
        let request = ExecuteRequest::new("demo", "stranger", input);
        let error = world.err(execute(&context, "demo_find_notes", request));
        let violations = error.violation_list().iter();
        let mut places: Vec<_> = violations
            .map(|one| format!("{} {}", one.path, one.keyword))
            .collect();
        places.sort();
        (error.kind(), places)
    }

    #[test]
    fn rules_across_fields_are_checked_before_the_account_is_looked_up() {
        let (kind, places) = refused(json!({}));
        assert_eq!(
            (kind, places),
            (ErrorKind::SchemaViolation, vec![String::from(" oneOf")])
        );
        let (kind, _) = refused(json!({ "label": "a" }));
        assert_ne!(kind, ErrorKind::SchemaViolation);
    }

    #[test]
    fn broken_rules_are_reported_together_with_schema_violations() {
        let (_, places) = refused(json!({ "most": 10, "a/b~": 1 }));
        assert_eq!(
            places,
            [" oneOf", "/a~1b~0 additionalProperties", "/most maximum"]
        );
        let (_, places) = refused(json!({ "most": 0 }));
        assert_eq!(places, [" oneOf", "/most minimum"], "each place once");
    }

    #[test]
    fn an_unreadable_value_does_not_break_rules_across_fields() {
        let (_, places) = refused(json!({ "label": [] }));
        assert_eq!(places, ["/label type"]);
    }
}
