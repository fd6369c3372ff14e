//! Checks the tools in the formats of model vendors, and the calls that their models make.

use serde_json::{Value, json};
use stead_core::{
    catalogue::CatalogueTool,
    schema::{Detail, ExportFormat, VERSION_PARAMETERS, check_tool},
};

use super::{Faults, Subject};
use crate::{fixture::Case, replay::replay_with};

/// Vendors accept every export in their format.
pub(super) fn exports_fit_their_vendors(_: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    for (word, format) in ExportFormat::NAMES {
        for (detail, how) in [(Detail::Full, "whole"), (Detail::Compact, "compact")] {
            let found = match tool.export_with(*format, detail) {
                Ok(exported) => check_tool(*format, &exported.tool),
                Err(error) => vec![error.to_string()],
            };
            let place = format!(" as {word}, {how}");
            found.iter().for_each(|fault| faults.at(&place, fault));
        }
    }
}

fn has_type(node: &Value, name: &str) -> bool {
    node["type"] == name || holds(&node["type"], name)
}

fn holds(list: &Value, name: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|one| one == name))
}

/// A call made from a vendor's export sends the same requests as a plain call. In OpenAI's strict mode the call has
/// every parameter, with null for those that the plain call omits. In all formats, a free-form object is text.
pub(super) fn calls_by_an_export_are_plain_calls(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    for format in [
        ExportFormat::OpenaiStrict,
        ExportFormat::AnthropicStrict,
        ExportFormat::Gemini,
    ] {
        let place = format!(" as {format:?}");
        let found = calls_by(format, tool, subject.cases_of(tool.entry().name()));
        found.iter().for_each(|fault| faults.at(&place, fault));
    }
}

fn calls_by(format: ExportFormat, tool: &CatalogueTool, cases: &[Case]) -> Vec<String> {
    let (Ok(export), Ok(schema)) = (tool.export(format), tool.schema()) else {
        return vec![String::from("there is no export")];
    };
    let no_parameters = json!({ "type": "object", "properties": {} });
    let exported = export
        .pointer(format.schema_pointer())
        .unwrap_or(&no_parameters);
    let Ok(validator) = jsonschema::draft202012::new(exported) else {
        return vec![String::from("the exported schema is not one")];
    };
    let (mut faults, mut compared) = (Vec::new(), 0);
    for case in cases {
        let mut input = case.input.clone();
        if schema.validate(&mut input).is_err() {
            continue;
        }
        if let Some(members) = input.as_object_mut() {
            members.retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
        }
        let Some(call) = as_asked(exported, &input) else {
            continue;
        };
        compared += 1;
        // Gemini's `nullable` isn't part of JSON Schema.
        if format.is_strict()
            && let Err(error) = validator.validate(&call)
        {
            faults.push(format!("{:?}: {call} does not fit: {error}", case.name));
        }
        faults.extend(
            replay_with(tool, case, call)
                .err()
                .map(|fault| format!("{:?}:\n{fault}", case.name)),
        );
    }
    if compared == 0 {
        faults.push(String::from("no case has an input that the export can say"));
    }
    faults
}

/// The input in the form that an exported schema asks for. `None` if it has members that the export doesn't name.
fn as_asked(schema: &Value, input: &Value) -> Option<Value> {
    match input {
        Value::Object(_) | Value::Array(_) if has_type(schema, "string") => {
            Some(json!(input.to_string()))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| as_asked(&schema["items"], item));
            items.collect()
        }
        Value::Object(given) => {
            let members = schema["properties"].as_object()?;
            if given.keys().any(|name| !members.contains_key(name)) {
                return None;
            }
            let asked = members.iter().filter_map(|(name, schema)| {
                let value = match given.get(name) {
                    // If this schema has no null, the model omits the parameter.
                    Some(Value::Null) if is_never_null(schema) => return None,
                    Some(value) => as_asked(schema, value),
                    None if holds(&schema["type"], "null") => Some(Value::Null),
                    None => return None,
                };
                Some(value.map(|value| (name.clone(), value)))
            });
            asked.collect::<Option<_>>().map(Value::Object)
        }
        other => Some(other.clone()),
    }
}

/// Whether a schema names types, and null isn't one of them.
fn is_never_null(schema: &Value) -> bool {
    let types = &schema["type"];
    !types.is_null() && !holds(types, "null") && schema["nullable"] != true
}
