//! Gemini's function declarations (Gemini API, "Function calling"; the members of `Schema`).

use serde_json::{Map, Value, json};

use super::node::{
    Notes, below, check_head, each_child, has_type, holds, json_text_if_free_form, keep, named,
    unknown_keywords, walk,
};

/// Supported members of `Schema`.
const SCHEMA: &[&str] = &[
    "type",
    "nullable",
    "description",
    "properties",
    "required",
    "items",
    "enum",
    "anyOf",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
];

pub(super) fn tool(name: &str, description: &str, mut schema: Value, notes: &mut Notes) -> Value {
    reduce(&mut schema, "", notes);
    let mut declaration = json!({ "name": name, "description": description });
    if schema["properties"] != json!({}) {
        declaration["parameters"] = schema;
    }
    declaration
}

/// Reduces the schema to what `Schema` supports: one type for each node, and no object without properties.
fn reduce(schema: &mut Value, place: &str, notes: &mut Notes) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if !place.is_empty() {
        json_text_if_free_form(node, place, notes);
    }
    match node.remove("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(_) if node.contains_key("properties") => {
            notes.at(Notes::CLOSED, named(place).to_owned());
        }
        Some(_) => {}
    }
    one_type(node);
    keep(node, SCHEMA, place, notes);
    each_child(node, place, |child, place| reduce(child, place, notes));
}

/// `null` becomes `nullable`, and several types become options.
fn one_type(node: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = node.get("type") {
        let mut types = types.clone();
        let before = types.len();
        types.retain(|one| one != "null");
        if types.len() < before {
            node.insert(String::from("nullable"), json!(true));
        }
        if let [only] = types.as_slice() {
            node.insert(String::from("type"), only.clone());
        } else {
            let options = types.iter().map(|one| json!({ "type": one })).collect();
            node.remove("type");
            node.insert(String::from("anyOf"), Value::Array(options));
        }
    }
    if let Some(Value::Array(options)) = node.get_mut("anyOf") {
        let before = options.len();
        options.retain(|option| option["type"] != "null");
        if options.len() < before {
            node.insert(String::from("nullable"), json!(true));
        }
    }
}

pub(super) fn check(tool: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check_head(tool, "", 63, &mut faults);
    let name = tool["name"].as_str().unwrap_or_default();
    if name.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        faults.push(String::from("/name: expected a letter or _ first"));
    }
    let Some(schema) = tool.get("parameters") else {
        return faults;
    };
    if schema["type"] != "object" {
        faults.push(String::from(
            "/parameters: expected the schema of an object",
        ));
    }
    walk(schema, "/parameters", &mut |node, place| {
        check_node(node, place, &mut faults);
    });
    faults
}

fn check_node(node: &Value, place: &str, faults: &mut Vec<String>) {
    let mut fault = |text: String| faults.push(format!("{place}: {text}"));
    if !node["type"].is_string() && node.get("anyOf").is_none() {
        fault(format!("expected one type, found {}", node["type"]));
    }
    let members = node["properties"].as_object();
    if has_type(node, "object") == members.is_none_or(Map::is_empty) {
        fault(String::from("only an object has members"));
    }
    let required = node["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if members.is_none_or(|members| !members.contains_key(name)) {
            fault(format!("{name} is required but missing"));
        }
    }
    for name in members.into_iter().flatten().map(|(name, _)| name) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !(1..=64).contains(&name.len()) || !name.bytes().all(plain) || starts_with_digit(name) {
            faults.push(format!("{}: not a name", below(place, name)));
        }
    }
    let mut fault = |text: &str| faults.push(format!("{place}: {text}"));
    if has_type(node, "array") != node["items"].is_object() {
        fault("only a list has items");
    }
    let options = node["enum"].as_array().into_iter().flatten();
    let is_text = |option: &Value| option.as_str().is_some_and(|text| !text.is_empty());
    if options.into_iter().any(|option| !is_text(option)) {
        fault("an option is a string");
    }
    if holds(&node["type"], "null") || node["type"] == "null" {
        fault("null isn't a type");
    }
    unknown_keywords(node, place, SCHEMA, faults);
}

fn starts_with_digit(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_digit())
}
