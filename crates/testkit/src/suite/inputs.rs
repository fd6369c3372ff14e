//! Inputs that every tool must accept or reject.

use serde_json::{Value, json};
use stead_core::{catalogue::CatalogueTool, schema::VERSION_PARAMETERS};

use super::{Faults, Subject};
use crate::{
    differences,
    fixture::{Case, ExpectedResult},
    replay::run,
};

/// A tool refuses an unknown argument, and the message lists the known ones.
pub(super) fn unknown_arguments_are_refused_with_the_known_ones(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    const UNKNOWN: &str = "no_such_argument";
    let plain = plain_use(subject.cases_of(tool.entry().name()));
    let (Some(plain), Ok(schema)) = (plain, tool.schema()) else {
        return;
    };
    let mut input = plain.input.clone();
    input[UNKNOWN] = json!(true);
    let Err(error) = schema.validate(&mut input) else {
        return faults.add("takes any argument");
    };
    let place = format!("/{UNKNOWN}");
    let mut violations = error.violation_list().iter();
    let violation = violations.find(|violation| violation.path == place);
    let message = violation
        .map(|violation| violation.message.as_str())
        .unwrap_or_default();
    let known = schema.schema()["properties"]
        .as_object()
        .into_iter()
        .flatten();
    let unlisted: Vec<&String> = known
        .map(|(name, _)| name)
        .filter(|name| !message.contains(name.as_str()))
        .collect();
    if violation.is_none() || !unlisted.is_empty() {
        faults.add(format_args!("{error} does not list {unlisted:?}"));
    }
}

/// Every tool takes `schema_version` and `tool_version`, and neither reaches its struct.
pub(super) fn every_tool_accepts_versions(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let Some(plain) = plain_use(subject.cases_of(tool.entry().name())) else {
        return;
    };
    let mut input = plain.input.clone();
    for parameter in VERSION_PARAMETERS {
        input[parameter] = Value::from(tool.entry().version());
    }
    match run(tool, plain, input) {
        Ok(replayed) => faults.extend(replayed.result.err()),
        Err(fault) => faults.add(fault),
    }
}

/// A typed call equals a call by name. Reads every valid input into the struct, and writes it like a typed call. The
/// result is the same input, including every `null` below its parameters, and is valid.
pub(super) fn typed_calls_are_calls_by_name(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let Ok(schema) = tool.schema() else { return };
    let mut compared = 0;
    for case in subject.cases_of(tool.entry().name()) {
        let mut input = case.input.clone();
        if schema.validate(&mut input).is_err() {
            continue;
        }
        if let Some(members) = input.as_object_mut() {
            members.retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
        }
        compared += 1;
        let place = format!(", {:?}", case.name);
        let mut written = match tool.entry().rewrite(input.clone()) {
            Ok(written) => written,
            Err(error) => {
                let fault = format_args!("the struct refuses what the schema takes: {error}");
                faults.at(&place, fault);
                continue;
            }
        };
        // A null parameter means the same as an omitted one.
        if let Some(members) = input.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        let found = differences(&input, &written);
        if !found.is_empty() {
            faults.at(&place, found.join("\n"));
        }
        if let Err(error) = schema.validate(&mut written) {
            faults.at(
                &place,
                format_args!("the schema refuses {written}: {error}"),
            );
        }
    }
    if compared == 0 {
        faults.add("no case has an input that the schema takes");
    }
}

/// The first case, if it sends a request and succeeds without a warning.
pub(super) fn plain_use(cases: &[Case]) -> Option<&Case> {
    cases.first().filter(|case| {
        let ends_well = |result: &ExpectedResult| result.warnings.is_empty();
        !case.exchanges.is_empty() && case.result.as_ref().is_some_and(ends_well)
    })
}
