//! What every tool takes and refuses, whatever it does.

use serde_json::{Value, json};
use stead_core::schema::VERSION_PARAMETERS;

use super::Subject;
use crate::{
    differences,
    fixture::{Case, ExpectedResult},
    replay::run,
};

/// An argument that a tool does not know is refused, and the message lists those it knows.
pub(super) fn unknown_arguments_are_refused_with_the_known_ones(subject: &Subject) -> Vec<String> {
    const UNKNOWN: &str = "no_such_argument";
    let mut faults = Vec::new();
    for tool in subject.tools() {
        let Some(plain) = plain_use(subject.cases_of(tool.entry().name())) else {
            continue;
        };
        let Ok(schema) = tool.schema() else { continue };
        let mut input = plain.input.clone();
        input[UNKNOWN] = json!(true);
        let Err(error) = schema.validate(&mut input) else {
            faults.push(format!("{}: takes any argument", tool.entry().name()));
            continue;
        };
        let violation = error
            .violation_list()
            .iter()
            .find(|violation| violation.path == format!("/{UNKNOWN}"));
        let message = violation
            .map(|violation| violation.message.as_str())
            .unwrap_or_default();
        let known = schema.schema()["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name);
        let unlisted: Vec<&String> = known
            .filter(|name| !message.contains(name.as_str()))
            .collect();
        if violation.is_none() || !unlisted.is_empty() {
            faults.push(format!(
                "{}: {error} does not list {unlisted:?}",
                tool.entry().name()
            ));
        }
    }
    faults
}

/// Every tool takes `schema_version` and `tool_version`, and neither reaches its struct.
pub(super) fn versions_are_taken_by_every_tool(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for tool in subject.tools() {
        let Some(plain) = plain_use(subject.cases_of(tool.entry().name())) else {
            continue;
        };
        let mut input = plain.input.clone();
        for parameter in VERSION_PARAMETERS {
            input[parameter] = Value::from(tool.entry().version());
        }
        match run(tool, plain, input) {
            Ok(replayed) => faults.extend(
                replayed
                    .result
                    .err()
                    .map(|error| format!("{}: {error}", tool.entry().name())),
            ),
            Err(fault) => faults.push(fault),
        }
    }
    faults
}

/// A typed call is a call by name: every input that the schema takes, read into the struct and written as a typed call
/// writes it, is the same, with every `null` below its parameters, and passes the schema once more.
pub(super) fn typed_calls_are_calls_by_name(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for tool in subject.tools() {
        let Ok(schema) = tool.schema() else { continue };
        let name = tool.entry().name();
        let mut compared = 0;
        for case in subject.cases_of(name) {
            let mut input = case.input.clone();
            if schema.validate(&mut input).is_err() {
                continue;
            }
            if let Some(members) = input.as_object_mut() {
                members.retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
            }
            compared += 1;
            let mut fault = |text: String| faults.push(format!("{name}, {:?}: {text}", case.name));
            let mut written = match tool.entry().rewrite(input.clone()) {
                Ok(written) => written,
                Err(error) => {
                    fault(format!("the struct refuses what the schema takes: {error}"));
                    continue;
                }
            };
            // A parameter that is null is the same as one that is left out.
            if let Some(members) = input.as_object_mut() {
                members.retain(|_, value| !value.is_null());
            }
            let found = differences(&input, &written);
            if !found.is_empty() {
                fault(found.join("\n"));
            }
            if let Err(error) = schema.validate(&mut written) {
                fault(format!("the schema refuses {written}: {error}"));
            }
        }
        if compared == 0 {
            faults.push(format!(
                "{name}: no case has an input that the schema takes"
            ));
        }
    }
    faults
}

/// The first case, if it sends something and ends well and without a warning.
pub(super) fn plain_use(cases: &[Case]) -> Option<&Case> {
    cases.first().filter(|case| {
        let ends_well = |result: &ExpectedResult| result.warnings.is_empty();
        !case.exchanges.is_empty() && case.result.as_ref().is_some_and(ends_well)
    })
}
