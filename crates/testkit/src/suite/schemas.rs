//! Checks that tools use only the part of JSON Schema that every model vendor accepts.

use serde_json::{Map, Value};
use stead_core::catalogue::CatalogueTool;

use super::{Faults, Subject};

/// Keywords that OpenAI, Anthropic, Gemini and MCP all understand or safely ignore.
const PORTABLE: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "format",
    "default",
    "anyOf",
    "nullable",
    "example",
];
/// Formats with the same meaning for every vendor.
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "uuid",
    "ipv4",
    "ipv6",
    "hostname",
];
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object"];
/// Keywords that bound a value.
const BOUNDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
];
/// Deepest nesting that all vendors accept.
const DEEPEST: usize = 5;

/// Every node has a type, every array has items, and every object has members or is free-form. No keyword is one that a
/// vendor refuses.
pub(super) fn schemas_are_portable(_: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    let schema = match tool.schema() {
        Ok(schema) => schema.schema(),
        Err(error) => return faults.add(error),
    };
    lint(schema, "", DEEPEST, 0, faults);
    if schema["additionalProperties"] != Value::Bool(false) {
        faults.add("takes unknown arguments; add #[serde(deny_unknown_fields)]");
    }
    for (parameter, _) in schema["properties"].as_object().into_iter().flatten() {
        if !is_name(parameter) || !parameter.starts_with(|first: char| first.is_ascii_lowercase()) {
            let path = format!("/{parameter}");
            faults.at(&path, "a parameter is lower-case words with underscores");
        }
    }
}

/// Whether all model vendors accept this name: lowercase words with underscores, at most 64 characters.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(is_plain) && name.len() <= 64
}

/// Reports the parts of a schema that a vendor refuses.
pub(super) fn lint(node: &Value, path: &str, deepest: usize, depth: usize, faults: &mut Faults) {
    let mut fault = |text: String| faults.at(path, text);
    let Some(members) = node.as_object() else {
        return fault(format!("{node} is not a schema"));
    };
    if depth > deepest {
        return fault(format!("nested deeper than {deepest}"));
    }
    for keyword in members
        .keys()
        .filter(|keyword| !PORTABLE.contains(&keyword.as_str()))
    {
        fault(format!("{keyword:?} is not portable"));
    }
    let types = types_of(members);
    if types.is_empty() && !members.contains_key("anyOf") {
        fault(String::from("has no type"));
    }
    for unknown in types
        .iter()
        .filter(|one| !TYPES.contains(one) && **one != "null")
    {
        fault(format!("{unknown:?} is not a type"));
    }
    let format = node["format"].as_str();
    if let Some(format) = format.filter(|format| !FORMATS.contains(format)) {
        fault(format!("the format {format:?} is not known everywhere"));
    }
    if let Some(options) = members.get("enum").and_then(Value::as_array)
        && (options.is_empty()
            || !options
                .iter()
                .all(|option| option.is_string() || option.is_null()))
    {
        fault(String::from("an enumeration holds only strings"));
    }
    if types.contains(&"array") && !members.contains_key("items") {
        fault(String::from("an array says what its items are"));
    }
    let free_form = members
        .get("additionalProperties")
        .is_some_and(|more| *more != Value::Bool(false));
    if types.contains(&"object") && !members.contains_key("properties") && !free_form {
        fault(String::from(
            "an object names its members, or is declared free-form",
        ));
    }
    let required = node["required"].as_array().into_iter().flatten();
    for required in required.filter_map(Value::as_str) {
        if members["properties"].get(required).is_none() {
            fault(format!("{required:?} is required and not described"));
        }
    }
    for (name, child) in node["properties"].as_object().into_iter().flatten() {
        lint(child, &format!("{path}/{name}"), deepest, depth + 1, faults);
    }
    if let Some(items) = members.get("items") {
        lint(items, &format!("{path}/items"), deepest, depth + 1, faults);
    }
    if let Some(more @ Value::Object(_)) = members.get("additionalProperties") {
        lint(more, &format!("{path}/*"), deepest, depth + 1, faults);
    }
    let options = node["anyOf"].as_array().into_iter().flatten();
    for (index, option) in options.enumerate() {
        lint(
            option,
            &format!("{path}/anyOf/{index}"),
            deepest,
            depth,
            faults,
        );
    }
}

fn types_of(members: &Map<String, Value>) -> Vec<&str> {
    match members.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The finished schema keeps the bounds and enumerated values of the struct.
pub(super) fn bounds_and_enums_are_kept(_: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    let Ok(schema) = tool.schema() else { return };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    collect_rules(&tool.entry().struct_schema().to_value(), &mut before);
    collect_rules(schema.schema(), &mut after);
    before.sort();
    after.sort();
    if before != after {
        faults.add(format_args!(
            "the struct says {before:?}, the schema {after:?}"
        ));
    }
}

/// Every bound and every enumerated value, at any depth.
fn collect_rules(node: &Value, rules: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    ("properties", Value::Object(properties)) => properties
                        .values()
                        .for_each(|child| collect_rules(child, rules)),
                    ("enum", Value::Array(options)) => {
                        rules.extend(
                            options
                                .iter()
                                .filter(|option| !option.is_null())
                                .map(|option| format!("one is {option}")),
                        );
                    }
                    ("const", value) => rules.push(format!("one is {value}")),
                    (bound, value) if BOUNDS.contains(&bound) => {
                        rules.push(format!("{bound} {value}"))
                    }
                    (_, value) => collect_rules(value, rules),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_rules(item, rules)),
        _ => {}
    }
}
