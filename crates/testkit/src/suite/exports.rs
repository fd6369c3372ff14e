//! What model vendors take as a tool, and what their models then send.

use serde_json::{Value, json};
use stead_core::{
    catalogue::CatalogueTool,
    schema::{ExportFormat, VERSION_PARAMETERS},
};

use super::Subject;
use crate::{fixture::Case, replay::replay_with};

/// Keywords that OpenAI's structured outputs take, with `strict`.
const OPENAI_STRICT: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];
/// Members of Gemini's `Schema`.
const GEMINI: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

/// Where each envelope has the schema of the input.
const ENVELOPES: &[(ExportFormat, &str)] = &[
    (ExportFormat::Openai, "/function/parameters"),
    (ExportFormat::OpenaiStrict, "/function/parameters"),
    (ExportFormat::Anthropic, "/input_schema"),
    (ExportFormat::Gemini, "/parameters"),
    (ExportFormat::Mcp, "/inputSchema"),
];

/// Every export has its envelope, and its schema keeps to what the vendor takes.
pub(super) fn exports_keep_to_their_subset(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for tool in subject.tools() {
        for (format, place) in ENVELOPES {
            let name = format!("{} as {format:?}", tool.entry().name());
            let export = match tool.export(*format) {
                Ok(export) => export,
                Err(error) => {
                    faults.push(format!("{name}: {error}"));
                    continue;
                }
            };
            match (export.pointer(place), format) {
                (Some(schema), ExportFormat::OpenaiStrict) => strict(schema, &name, &mut faults),
                (Some(schema), ExportFormat::Gemini) => gemini(schema, &name, &mut faults),
                (Some(schema), _) if schema["type"] == "object" => {}
                (None, ExportFormat::Gemini) if own_parameters(tool) == 0 => {}
                _ => faults.push(format!("{name}: no schema of an object at {place}")),
            }
            let output = &export["outputSchema"];
            if *format == ExportFormat::Mcp && !output.is_null() && output["type"] != "object" {
                faults.push(format!("{name}: outputSchema is not one of an object"));
            }
        }
    }
    faults
}

fn own_parameters(tool: &CatalogueTool) -> usize {
    let schema = tool
        .schema()
        .map(|schema| schema.schema()["properties"].as_object());
    let all = schema.ok().flatten().map_or(0, serde_json::Map::len);
    all.saturating_sub(VERSION_PARAMETERS.len())
}

fn strict(node: &Value, path: &str, faults: &mut Vec<String>) {
    let mut fault = |text: String| faults.push(format!("{path}: {text}"));
    unknown_keywords(node, OPENAI_STRICT, &mut fault);
    if has_type(node, "object") {
        let members = node["properties"].as_object();
        let names: Vec<&String> = members
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
            .collect();
        let required = node["required"].as_array().into_iter().flatten();
        if required.count() != names.len()
            || !names.iter().all(|name| holds(&node["required"], name))
        {
            fault(format!("not all of {names:?} are required"));
        }
        if node["additionalProperties"] != false {
            fault(String::from("an object takes unknown members"));
        }
    }
    children(node, path, &mut |child, path| strict(child, path, faults));
}

fn gemini(node: &Value, path: &str, faults: &mut Vec<String>) {
    let mut fault = |text: String| faults.push(format!("{path}: {text}"));
    unknown_keywords(node, GEMINI, &mut fault);
    if !node["type"].is_string() && node.get("anyOf").is_none() {
        fault(format!("{} is not one type", node["type"]));
    }
    let members = node["properties"].as_object();
    if has_type(node, "object") == members.is_none_or(serde_json::Map::is_empty) {
        fault(String::from("an object has members, and nothing else has"));
    }
    let required = node["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if members.is_none_or(|members| !members.contains_key(name)) {
            fault(format!("{name} is required and not there"));
        }
    }
    if has_type(node, "array") != node["items"].is_object() {
        fault(String::from("a list has items, and nothing else has"));
    }
    let options = node["enum"].as_array().into_iter().flatten();
    if options
        .into_iter()
        .any(|option| option.as_str().is_none_or(str::is_empty))
    {
        fault(String::from("an option is a text"));
    }
    children(node, path, &mut |child, path| gemini(child, path, faults));
}

fn unknown_keywords(node: &Value, known: &[&str], fault: &mut impl FnMut(String)) {
    let keywords = node
        .as_object()
        .into_iter()
        .flatten()
        .map(|(keyword, _)| keyword);
    for keyword in keywords.filter(|keyword| !known.contains(&keyword.as_str())) {
        fault(format!("{keyword} is not taken"));
    }
}

fn children(node: &Value, path: &str, visit: &mut impl FnMut(&Value, &str)) {
    for (name, child) in node["properties"].as_object().into_iter().flatten() {
        visit(child, &format!("{path}/{name}"));
    }
    if let Some(items) = node.get("items") {
        visit(items, &format!("{path}/items"));
    }
    for option in node["anyOf"].as_array().into_iter().flatten() {
        visit(option, &format!("{path}/anyOf"));
    }
}

fn has_type(node: &Value, name: &str) -> bool {
    node["type"] == name || holds(&node["type"], name)
}

fn holds(list: &Value, name: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|one| one == name))
}

/// A call as a model makes it that was given a vendor's export sends what a plain call sends. For OpenAI's strict mode it
/// holds every parameter, null where the plain call has none; for both, a free-form object is text.
pub(super) fn calls_by_an_export_are_plain_calls(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for tool in subject.tools() {
        let name = tool.entry().name();
        for format in [ExportFormat::OpenaiStrict, ExportFormat::Gemini] {
            let found = calls_by(format, tool, subject.cases_of(name));
            faults.extend(
                found
                    .into_iter()
                    .map(|fault| format!("{name} as {format:?}, {fault}")),
            );
        }
    }
    faults
}

fn calls_by(format: ExportFormat, tool: &CatalogueTool, cases: &[Case]) -> Vec<String> {
    let place = ENVELOPES.iter().find(|(known, _)| *known == format);
    let (Ok(export), Ok(schema), Some((_, place))) = (tool.export(format), tool.schema(), place)
    else {
        return vec![String::from("there is no export")];
    };
    let no_parameters = json!({ "type": "object", "properties": {} });
    let exported = export.pointer(place).unwrap_or(&no_parameters);
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
        // Gemini's `nullable` is not JSON Schema.
        if format == ExportFormat::OpenaiStrict
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

/// The input as an exported schema asks for it; `None` where it holds members that the export does not name.
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
