//! OpenAI: Chat Completions, Responses, and structured outputs (platform.openai.com, "Function calling" and "Supported
//! schemas").

use serde_json::{Map, Value, json};

use super::node::{
    Notes, check_head, check_schema, each_child, has_type, holds, is_open, json_text_if_free_form,
    keep, named, unknown_keywords, walk,
};

/// Keywords that structured outputs support.
const STRICT: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "pattern",
    "format",
];
/// Maximum number of characters in a description.
const DESCRIPTION: usize = 1_024;
/// Maximum number of tools in a request.
const TOOLS: usize = 128;
/// Maximum number of levels in a strict schema.
const LEVELS: usize = 10;
/// Maximum number of parameters in a strict schema, at all levels.
const PARAMETERS: usize = 5_000;
/// Maximum number of options in all of its enumerations.
const OPTIONS: usize = 1_000;

pub(super) fn chat(name: &str, description: &str, schema: &Value, strict: bool) -> Value {
    json!({
        "type": "function",
        "function": { "name": name, "description": description, "parameters": schema, "strict": strict },
    })
}

pub(super) fn responses(name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "type": "function",
        "name": name,
        "description": description,
        "parameters": schema,
        "strict": false,
    })
}

/// Reduces the schema to the subset for structured outputs.
///
/// # Errors
/// Why it does not fit into it.
pub(super) fn strict(schema: &Value, notes: &mut Notes) -> Result<Value, String> {
    let mut open = None;
    walk(schema, "", &mut |node, place| {
        if is_open(node) {
            open.get_or_insert_with(|| place.to_owned());
        }
    });
    if let Some(place) = open {
        return Err(format!("{} accepts any value", named(&place)));
    }
    let mut strict = schema.clone();
    close(&mut strict, "", notes);
    let mut faults = Vec::new();
    check_strict(&strict, "", &mut faults);
    match faults.is_empty() {
        true => Ok(strict),
        false => Err(faults.join("; ")),
    }
}

fn close(schema: &mut Value, place: &str, notes: &mut Notes) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if !place.is_empty() {
        json_text_if_free_form(node, place, notes);
    }
    let required = node.remove("required").unwrap_or_default();
    let is_closed = node.remove("additionalProperties") == Some(json!(false));
    keep(node, STRICT, place, notes);
    each_child(node, place, |child, place| close(child, place, notes));
    let Some(properties) = node.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    if !is_closed {
        notes.at(Notes::CLOSED, named(place).to_owned());
    }
    for (name, child) in properties.iter_mut() {
        if !holds(&required, name) {
            take_null(child);
        }
    }
    let all: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    node.insert(String::from("required"), Value::Array(all));
    node.insert(String::from("additionalProperties"), json!(false));
}

fn take_null(node: &mut Value) {
    let add = |list: &mut Vec<Value>, null: Value| {
        if !list.contains(&null) {
            list.push(null);
        }
    };
    if let Some(Value::Array(options)) = node.get_mut("anyOf") {
        if !options.iter().any(|option| has_type(option, "null")) {
            add(options, json!({ "type": "null" }));
        }
        return;
    }
    match &mut node["type"] {
        Value::Array(types) => add(types, json!("null")),
        one => *one = json!([one.take(), "null"]),
    }
    if let Some(Value::Array(options)) = node.get_mut("enum") {
        add(options, Value::Null);
    }
}

pub(super) fn check_chat(tool: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if tool["type"] != "function" {
        faults.push(String::from("/type: expected \"function\""));
    }
    check_function(&tool["function"], "/function", &mut faults);
    faults
}

pub(super) fn check_responses(tool: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if tool["type"] != "function" {
        faults.push(String::from("/type: expected \"function\""));
    }
    if !tool["strict"].is_boolean() {
        faults.push(String::from(
            "/strict: expected true or false, because it defaults to true",
        ));
    }
    check_function(tool, "", &mut faults);
    faults
}

fn check_function(function: &Value, place: &str, faults: &mut Vec<String>) {
    check_head(function, place, 64, faults);
    let description = function["description"].as_str().unwrap_or_default();
    if description.chars().count() > DESCRIPTION {
        faults.push(format!(
            "{place}/description: expected at most {DESCRIPTION} characters"
        ));
    }
    let at = format!("{place}/parameters");
    check_schema(function.get("parameters"), &at, faults);
    if function["strict"] == true {
        check_strict(&function["parameters"], &at, faults);
    }
}

fn check_strict(schema: &Value, at: &str, faults: &mut Vec<String>) {
    let (mut parameters, mut options) = (0, 0);
    if schema.get("anyOf").is_some() {
        faults.push(format!(
            "{at}: the root can't be a choice of several schemas"
        ));
    }
    walk(schema, at, &mut |node, place| {
        let mut fault = |text: &str| faults.push(format!("{place}: {text}"));
        if is_open(node) {
            fault("expected a type");
        }
        if has_type(node, "object") {
            let members = node["properties"].as_object().map_or(0, Map::len);
            parameters += members;
            let required = node["required"].as_array().map_or(0, Vec::len);
            if members == 0 && place != at || required != members {
                fault("expected every parameter to be required");
            }
            if node["additionalProperties"] != false {
                fault("expected an object without other members");
            }
        }
        options += node["enum"].as_array().map_or(0, Vec::len);
        unknown_keywords(node, place, STRICT, faults);
    });
    for (found, most, what) in [
        (levels(schema), LEVELS, "levels"),
        (parameters, PARAMETERS, "parameters"),
        (options, OPTIONS, "options"),
    ] {
        if found > most {
            faults.push(format!(
                "{at}: expected at most {most} {what}, found {found}"
            ));
        }
    }
}

/// How deep objects are nested.
fn levels(node: &Value) -> usize {
    let below = super::node::children(node, "");
    let deepest = below.into_iter().map(|(_, child)| levels(child)).max();
    deepest.unwrap_or_default() + usize::from(has_type(node, "object"))
}

pub(super) fn check_count(tools: usize) -> Option<String> {
    (tools > TOOLS).then(|| format!("expected at most {TOOLS} tools, found {tools}"))
}
