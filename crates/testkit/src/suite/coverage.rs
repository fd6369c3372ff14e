//! Whether the fixtures show all that a tool's schema says.

use std::collections::BTreeSet;

use serde_json::Value;
use stead_core::schema::VERSION_PARAMETERS;

use super::{Subject, inputs::plain_use};
use crate::fixture::Fixture;

/// Keywords whose breach a fixture shows.
const RULES: &[&str] = &[
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "enum",
];

/// Every tool has a plain use, a use of every parameter, an error of the product, and one case per rule of its schema
/// that an input can break; names are unique, and no file is left over.
pub(super) fn fixtures_cover_uses_and_wrong_inputs(subject: &Subject) -> Vec<String> {
    let mut faults: Vec<String> = subject
        .fixtures
        .values()
        .filter_map(|read| read.as_ref().err().cloned())
        .collect();
    let tools: BTreeSet<&str> = subject.tools().map(|tool| tool.entry().name()).collect();
    faults.extend(
        subject
            .fixtures
            .keys()
            .filter(|name| !tools.contains(name.as_str()))
            .map(|name| format!("{name}.json: no such tool")),
    );

    for tool in subject.tools() {
        let name = tool.entry().name();
        let fixtures = subject.fixtures(name);
        let mut fault = |text: String| faults.push(format!("{name}: {text}"));
        let mut names = BTreeSet::new();
        for twice in fixtures
            .iter()
            .filter(|fixture| !names.insert(fixture.name.as_str()))
        {
            fault(format!("two cases are called {:?}", twice.name));
        }
        if plain_use(fixtures).is_none() {
            fault(String::from("no case of plain use"));
        }
        if !fixtures
            .iter()
            .any(|fixture| fixture.error.is_some() && !fixture.exchanges.is_empty())
        {
            fault(String::from(
                "no case in which the product answers with an error",
            ));
        }
        let Ok(schema) = tool.schema() else { continue };
        let schema = schema.schema();
        for required in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !shows(fixtures, "required", |path| path == format!("/{required}")) {
                fault(format!("no case without {required}"));
            }
        }
        for (parameter, node) in schema["properties"].as_object().into_iter().flatten() {
            if VERSION_PARAMETERS.contains(&parameter.as_str()) {
                continue;
            }
            if !fixtures
                .iter()
                .any(|fixture| fixture.result.is_some() && fixture.input.get(parameter).is_some())
            {
                fault(format!("no case uses {parameter}"));
            }
            for rule in RULES.iter().filter(|rule| node.get(**rule).is_some()) {
                if !shows(fixtures, rule, |path| path == format!("/{parameter}")) {
                    fault(format!("no case breaks {rule} of {parameter}"));
                }
            }
            for rule in RULES
                .iter()
                .filter(|rule| node["items"].get(**rule).is_some())
            {
                if !shows(fixtures, rule, |path| {
                    path.starts_with(&format!("/{parameter}/"))
                }) {
                    fault(format!("no case breaks {rule} of an item of {parameter}"));
                }
            }
        }
    }
    faults
}

/// Whether some case expects a violation of this keyword at such a path.
fn shows(fixtures: &[Fixture], keyword: &str, path: impl Fn(&str) -> bool) -> bool {
    let violations = fixtures
        .iter()
        .filter_map(|fixture| fixture.error.as_ref()?["violations"].as_array())
        .flatten();
    violations.into_iter().any(|violation| {
        violation["keyword"] == keyword && violation["path"].as_str().is_some_and(&path)
    })
}
