//! A tool in the envelope that a model vendor asks for.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{InputSchema, VERSION_PARAMETERS};
use crate::tool::{Effect, ToolEntry};

/// Envelope in which a catalogue is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExportFormat {
    /// `{type: "function", function: {name, description, parameters, strict: false}}`.
    Openai,
    /// The same with `strict: true`, in the subset of JSON Schema that OpenAI's structured outputs take: every parameter is
    /// required and an optional one may be `null`, and a free-form object is a string that holds its JSON.
    OpenaiStrict,
    /// `{name, description, input_schema}`.
    Anthropic,
    /// `{name, description, parameters}` in the subset of OpenAPI that Gemini takes; a free-form object is a string that
    /// holds its JSON. Without `parameters` where there are none.
    Gemini,
    /// `{name, description, inputSchema, outputSchema, annotations}`; `outputSchema` where results are objects.
    Mcp,
}

impl ExportFormat {
    /// Every format with its name in REST.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("openai", Self::Openai),
        ("openai_strict", Self::OpenaiStrict),
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
        ("mcp", Self::Mcp),
    ];

    /// Stable snake_case name.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }
}

/// Keywords of OpenAI's structured outputs.
const STRICT: &[&str] = &[
    "type",
    "description",
    "properties",
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

/// Members of Gemini's `Schema`.
const GEMINI: &[&str] = &[
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

/// One tool in a model vendor's envelope. The version parameters are left out: an application pins versions, a model does
/// not. Whatever a schema's subset cannot say is still checked when the tool is called.
pub fn export(
    entry: &ToolEntry,
    input: &InputSchema,
    output: &Value,
    format: ExportFormat,
) -> Value {
    let name = entry.name();
    let description = input.description();
    let mut schema = input.schema().clone();
    if let Some(properties) = schema["properties"].as_object_mut() {
        VERSION_PARAMETERS
            .iter()
            .for_each(|parameter| drop(properties.remove(*parameter)));
    }
    match format {
        ExportFormat::Openai => function(name, description, &schema, false),
        ExportFormat::OpenaiStrict => {
            to_strict(&mut schema, true);
            function(name, description, &schema, true)
        }
        ExportFormat::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
        ExportFormat::Gemini => {
            to_gemini(&mut schema, true);
            let mut declaration = json!({ "name": name, "description": description });
            if schema["properties"] != json!({}) {
                declaration["parameters"] = schema;
            }
            declaration
        }
        ExportFormat::Mcp => {
            let mut tool = json!({
                "name": name,
                "description": description,
                "inputSchema": schema,
                "annotations": {
                    "readOnlyHint": entry.effect() == Effect::Read,
                    "destructiveHint": entry.hints().destructive,
                    "idempotentHint": entry.hints().idempotent,
                    "openWorldHint": true,
                },
            });
            if output["type"] == "object" {
                tool["outputSchema"] = output.clone();
            }
            tool
        }
    }
}

fn function(name: &str, description: &str, parameters: &Value, strict: bool) -> Value {
    json!({
        "type": "function",
        "function": { "name": name, "description": description, "parameters": parameters, "strict": strict },
    })
}

/// Keeps what OpenAI's structured outputs take.
fn to_strict(schema: &mut Value, is_root: bool) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if !is_root {
        json_text_if_free_form(node);
    }
    let required = node.remove("required").unwrap_or_default();
    node.retain(|keyword, _| STRICT.contains(&keyword.as_str()));
    each_child(node, |child| to_strict(child, false));
    let Some(properties) = node.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, child) in properties.iter_mut() {
        let mut required = required.as_array().into_iter().flatten();
        if required.all(|one| one != name) {
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
        let taken = |option: &Value| {
            option["type"]
                .as_array()
                .is_some_and(|types| types.contains(&json!("null")))
        };
        if !options.iter().any(taken) {
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

/// Keeps what Gemini's `parameters` take: one type for each node, and no object without properties.
fn to_gemini(schema: &mut Value, is_root: bool) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if !is_root {
        json_text_if_free_form(node);
    }
    if let Some(Value::Array(types)) = node.get("type") {
        let nullable = types.iter().any(|one| one == "null");
        let first = types.iter().find(|one| *one != "null").cloned();
        node.insert(String::from("type"), first.unwrap_or(json!("string")));
        if nullable {
            node.insert(String::from("nullable"), json!(true));
        }
    }
    node.retain(|keyword, _| GEMINI.contains(&keyword.as_str()));
    each_child(node, |child| to_gemini(child, false));
}

/// A free-form object becomes a string that holds its JSON, which is read as the object when the tool is called.
fn json_text_if_free_form(node: &mut Map<String, Value>) {
    let has_members = node
        .get("properties")
        .is_some_and(|members| *members != json!({}));
    let is_object = |kind: &Value| kind == "object";
    match node.get_mut("type") {
        Some(kind) if !has_members && is_object(kind) => *kind = json!("string"),
        Some(Value::Array(kinds)) if !has_members && kinds.iter().any(is_object) => {
            kinds
                .iter_mut()
                .filter(|kind| is_object(kind))
                .for_each(|kind| *kind = json!("string"));
        }
        _ => return,
    }
    for keyword in [
        "properties",
        "additionalProperties",
        "minProperties",
        "maxProperties",
    ] {
        node.remove(keyword);
    }
    let own = node
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let description = format!("{own} Write the object as JSON text.");
    node.insert(String::from("description"), json!(description.trim_start()));
}

fn each_child(node: &mut Map<String, Value>, mut change: impl FnMut(&mut Value)) {
    let properties = node.get_mut("properties").and_then(Value::as_object_mut);
    properties
        .into_iter()
        .flatten()
        .for_each(|(_, child)| change(child));
    node.get_mut("items").into_iter().for_each(&mut change);
    let options = node.get_mut("anyOf").and_then(Value::as_array_mut);
    options.into_iter().flatten().for_each(change);
}
