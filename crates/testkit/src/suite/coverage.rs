//! Whether the fixtures show all that a tool's schema says.

use std::collections::BTreeSet;

use serde_json::Value;
use stead_core::schema::VERSION_PARAMETERS;

use crate::fixture::short_name;

use super::{Subject, derived::derive, inputs::plain_use};

/// Every tool's first case is plain use; its cases use every parameter and show an error of the product; names are
/// unique, and no file is left over.
pub(super) fn fixtures_cover_uses_and_errors(subject: &Subject) -> Vec<String> {
    let mut faults: Vec<String> = subject
        .fixtures
        .values()
        .filter_map(|read| read.as_ref().err().cloned())
        .collect();
    let tools = subject.tools().map(|tool| tool.entry().name());
    let tools: BTreeSet<&str> = tools
        .map(|name| short_name(subject.product, name))
        .collect();
    faults.extend(
        subject
            .fixtures
            .keys()
            .filter(|name| !tools.contains(name.as_str()))
            .map(|name| format!("{name}.json: no such tool")),
    );

    for tool in subject.tools() {
        let name = tool.entry().name();
        let cases = subject.cases_of(name);
        let mut fault = |text: String| faults.push(format!("{name}: {text}"));
        let mut names = BTreeSet::new();
        for twice in cases
            .iter()
            .filter(|case| !names.insert(case.name.as_str()))
        {
            fault(format!("two cases are called {:?}", twice.name));
        }
        if plain_use(cases).is_none() {
            fault(String::from("the first case is not plain use"));
        }
        if !cases
            .iter()
            .any(|case| case.error.is_some() && !case.exchanges.is_empty())
        {
            fault(String::from(
                "no case in which the product responds with an error",
            ));
        }
        let Ok(schema) = tool.schema() else { continue };
        let schema = schema.schema();
        for (parameter, _) in schema["properties"].as_object().into_iter().flatten() {
            if VERSION_PARAMETERS.contains(&parameter.as_str()) {
                continue;
            }
            if !cases
                .iter()
                .any(|case| case.result.is_some() && case.input.get(parameter).is_some())
            {
                fault(format!("no case uses {parameter}"));
            }
        }
    }
    faults
}

/// No case only says that the schema's keyword refuses an input: those cases are derived.
pub(super) fn fixtures_do_not_restate_the_schema(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for tool in subject.tools() {
        let (Ok(schema), Ok(derived)) = (tool.schema(), derive(subject, tool)) else {
            continue;
        };
        let is_derived = |violation: &Value| {
            let pointer = item_0(violation["path"].as_str().unwrap_or_default());
            derived.iter().any(|one| {
                one.keyword().is_some_and(|keyword| {
                    keyword == violation["keyword"]
                        && (item_0(&one.pointer) == pointer
                            || keyword == "additionalProperties"
                                && parent(&one.pointer) == parent(&pointer))
                })
            })
        };
        let cases = subject.cases_of(tool.entry().name());
        for case in cases.iter().filter(|one| one.exchanges.is_empty()) {
            let expected = case.error.as_ref().map(|error| &error["violations"]);
            let expected = expected
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice);
            // One that names its message shows more than the keyword.
            let restates = |one: &Value| one.get("message").is_none() && is_derived(one);
            if !expected.is_empty()
                && schema.validate(&mut case.input.clone()).is_err()
                && expected.iter().all(restates)
            {
                faults.push(format!(
                    "{}, {:?}: this case is derived from the schema; remove it",
                    tool.entry().name(),
                    case.name
                ));
            }
        }
    }
    faults
}

/// A pointer in which every item of a list is the first.
fn item_0(pointer: &str) -> String {
    let steps = pointer.split('/').map(|step| {
        if step.parse::<usize>().is_ok() {
            "0"
        } else {
            step
        }
    });
    steps.collect::<Vec<_>>().join("/")
}

fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}
