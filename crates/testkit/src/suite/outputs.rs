//! Checks the output of tools: its schema works for every client, and results match it.

use std::collections::BTreeSet;

use serde_json::Value;
use stead_core::catalogue::CatalogueTool;

use super::{Faults, Subject, description::describe, schemas::lint};
use crate::fixture::Case;

/// Deepest nesting. It's deeper than an input's, because results have lists of the product's own objects.
const DEEPEST: usize = 8;

/// Every output is an object whose members are described, in the keywords that an input may use.
pub(super) fn outputs_are_portable(_: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    const PATH: &str = ", output";
    let schema = tool.output_schema();
    if schema["type"] != "object" {
        faults.at(PATH, "a result is an object");
    }
    lint(schema, PATH, DEEPEST, 0, faults);
    describe(schema, PATH, faults);
}

/// Every result of a case fits the published schema, and the struct keeps every member that it names.
pub(super) fn results_match_their_outputs(
    _: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    if let Some(result) = &case.result {
        faults.extend(faults_of(tool, &result.data));
    }
}

/// Differences between the data of a result and its tool's output. None if the data fits.
pub fn faults_of(tool: &CatalogueTool, data: &Value) -> Vec<String> {
    let schema = tool.output_schema();
    let validator = match jsonschema::draft202012::new(schema) {
        Ok(validator) => validator,
        Err(error) => return vec![format!("the output's schema is not one: {error}")],
    };
    let refusals = |value: &Value| -> Vec<String> {
        let errors = validator.iter_errors(value);
        errors
            .map(|error| {
                format!(
                    "the output's schema refuses {}: {error}",
                    error.instance_path()
                )
            })
            .collect()
    };
    let mut faults = refusals(data);
    match tool.entry().rewrite_output(&data.to_string()) {
        Ok(written) => {
            lost("", schema, data, &written, &mut faults);
            faults.extend(refusals(&written));
        }
        Err(error) => faults.push(format!("the output's struct refuses it: {error}")),
    }
    faults
}

/// Every member that an output names is in a result of some case, so an output can't name a member that the product
/// doesn't have. Members of several outputs with the same name and description are the same member.
pub(super) fn members_of_outputs_are_seen(subject: &Subject, faults: &mut Faults) {
    let mut seen = BTreeSet::new();
    for (tool, case) in subject.cases() {
        if let Some(result) = &case.result {
            see_members(tool.output_schema(), &result.data, &mut seen);
        }
    }
    for tool in subject.tools() {
        let mut unseen = BTreeSet::new();
        unseen_members("", tool.output_schema(), &seen, &mut unseen);
        for path in unseen {
            faults.at(
                tool.entry().name(),
                format_args!("no case has {path} in its result"),
            );
        }
    }
}

/// Reports every named member of the data that the struct lost or changed. `null` and absence are the same.
fn lost(path: &str, schema: &Value, data: &Value, written: &Value, faults: &mut Vec<String>) {
    let members = schema["properties"].as_object();
    match (data, written) {
        (Value::Null, _) => {}
        (Value::Object(data), Value::Object(written)) if members.is_some() => {
            for (name, schema) in members.into_iter().flatten() {
                let path = format!("{path}/{name}");
                match (data.get(name), written.get(name)) {
                    (Some(data), Some(written)) => lost(&path, schema, data, written, faults),
                    (Some(data), None) if !data.is_null() => {
                        faults.push(format!("{path}: lost in the output's struct"));
                    }
                    _ => {}
                }
            }
        }
        (Value::Array(data), Value::Array(written))
            if schema["items"].is_object() && data.len() == written.len() =>
        {
            for (index, (data, written)) in data.iter().zip(written).enumerate() {
                lost(
                    &format!("{path}/{index}"),
                    &schema["items"],
                    data,
                    written,
                    faults,
                );
            }
        }
        _ => {
            if let Some(option) = option_for(schema, data) {
                lost(path, option, data, written, faults);
            } else if data != written {
                faults.push(format!("{path}: changed in the output's struct"));
            }
        }
    }
}

/// The alternative of a schema that describes an object or a list, like the data.
fn option_for<'a>(schema: &'a Value, data: &Value) -> Option<&'a Value> {
    let keyword = match data {
        Value::Object(_) => "properties",
        Value::Array(_) => "items",
        _ => return None,
    };
    let mut options = schema["anyOf"].as_array().into_iter().flatten();
    options.find(|option| option.get(keyword).is_some())
}

/// The schema and its alternatives.
fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let options = schema["anyOf"].as_array().into_iter().flatten();
    std::iter::once(schema).chain(options)
}

/// Name and description.
type Member<'a> = (&'a str, &'a str);

fn member<'a>(name: &'a str, schema: &'a Value) -> Member<'a> {
    (name, schema["description"].as_str().unwrap_or_default())
}

fn see_members<'a>(schema: &'a Value, data: &Value, seen: &mut BTreeSet<Member<'a>>) {
    for schema in alternatives(schema) {
        for (name, child) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(data) = data.get(name).filter(|data| !data.is_null()) {
                seen.insert(member(name, child));
                see_members(child, data, seen);
            }
        }
        for item in data.as_array().into_iter().flatten() {
            see_members(&schema["items"], item, seen);
        }
    }
}

fn unseen_members(
    path: &str,
    schema: &Value,
    seen: &BTreeSet<Member<'_>>,
    unseen: &mut BTreeSet<String>,
) {
    for schema in alternatives(schema) {
        for (name, child) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}/{name}");
            if seen.contains(&member(name, child)) {
                unseen_members(&path, child, seen, unseen);
            } else {
                unseen.insert(path);
            }
        }
        if schema["items"].is_object() {
            unseen_members(&format!("{path}/*"), &schema["items"], seen, unseen);
        }
    }
}
