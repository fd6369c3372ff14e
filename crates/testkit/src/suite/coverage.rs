//! Checks that the fixtures cover everything in a tool's schema.

use std::collections::BTreeSet;

use serde_json::Value;
use stead_core::{catalogue::CatalogueTool, schema::VERSION_PARAMETERS};

use crate::fixture::{Case, short_name};

use super::{Faults, Subject, derived::derive, inputs::plain_use};

/// Every fixture file is valid, and belongs to a tool.
pub(super) fn fixture_files_are_of_tools(subject: &Subject, faults: &mut Faults) {
    let tools = subject.tools().map(|tool| tool.entry().name());
    let tools: BTreeSet<&str> = tools
        .map(|name| short_name(subject.product, name))
        .collect();
    for (name, read) in &subject.fixtures {
        faults.extend(read.as_ref().err());
        if !tools.contains(name.as_str()) {
            faults.add(format_args!("{name}.json: no such tool"));
        }
    }
}

/// Every tool's first case is plain use. Its cases use every parameter, show an error of the product, and have unique
/// names.
pub(super) fn fixtures_cover_uses_and_errors(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let cases = subject.cases_of(tool.entry().name());
    let mut names = BTreeSet::new();
    for twice in cases
        .iter()
        .filter(|case| !names.insert(case.name.as_str()))
    {
        faults.add(format_args!("two cases are called {:?}", twice.name));
    }
    if plain_use(cases).is_none() {
        faults.add("the first case is not plain use");
    }
    if !cases
        .iter()
        .any(|case| case.error.is_some() && !case.exchanges.is_empty())
    {
        faults.add("no case in which the product responds with an error");
    }
    let Ok(schema) = tool.schema() else { return };
    for (parameter, _) in schema.schema()["properties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let uses = |case: &Case| case.result.is_some() && case.input.get(parameter).is_some();
        if !VERSION_PARAMETERS.contains(&parameter.as_str()) && !cases.iter().any(uses) {
            faults.add(format_args!("no case uses {parameter}"));
        }
    }
}

/// No case only shows that a keyword of the schema refuses an input, because those cases are derived.
pub(super) fn fixtures_do_not_restate_the_schema(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let (Ok(schema), Ok(derived)) = (tool.schema(), derive(subject, tool)) else {
        return;
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
        // A case that also expects a message shows more than the keyword does.
        let restates = |one: &Value| one.get("message").is_none() && is_derived(one);
        if !expected.is_empty()
            && schema.validate(&mut case.input.clone()).is_err()
            && expected.iter().all(restates)
        {
            let place = format!(", {:?}", case.name);
            faults.at(&place, "this case is derived from the schema; remove it");
        }
    }
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
