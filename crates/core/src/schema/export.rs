//! A tool in the envelope that a model vendor asks for.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{InputSchema, VERSION_PARAMETERS};
use crate::tool::{Effect, ToolEntry};

/// Envelope in which a catalogue is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExportFormat {
    /// `{type: "function", function: {name, description, parameters}}`.
    Openai,
    /// `{name, description, input_schema}`.
    Anthropic,
    /// `{name, description, parameters}` in the OpenAPI subset.
    Gemini,
    /// `{name, description, inputSchema, annotations}`.
    Mcp,
}

/// One tool in a model vendor's envelope. The version parameters are left out: an application pins versions, a model does not.
pub fn export(entry: &ToolEntry, input: &InputSchema, format: ExportFormat) -> Value {
    let name = entry.name();
    let description = input.description();
    let mut schema = input.schema().clone();
    if let Some(properties) = schema["properties"].as_object_mut() {
        VERSION_PARAMETERS
            .iter()
            .for_each(|parameter| drop(properties.remove(*parameter)));
    }
    match format {
        ExportFormat::Openai => json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": schema, "strict": false },
        }),
        ExportFormat::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
        ExportFormat::Gemini => {
            to_openapi_subset(&mut schema);
            json!({ "name": name, "description": description, "parameters": schema })
        }
        ExportFormat::Mcp => json!({
            "name": name,
            "description": description,
            "inputSchema": schema,
            "annotations": {
                "readOnlyHint": entry.effect() == Effect::Read,
                "destructiveHint": entry.effect() == Effect::Delete,
                "idempotentHint": entry.effect() == Effect::Read,
                "openWorldHint": true,
            },
        }),
    }
}

/// Keeps what Gemini's `parameters` take: no `additionalProperties`, no type lists.
fn to_openapi_subset(schema: &mut Value) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    node.remove("additionalProperties");
    if let Some(Value::Array(types)) = node.get("type") {
        let nullable = types.iter().any(|one| one == "null");
        let first = types
            .iter()
            .find(|one| *one != "null")
            .cloned()
            .unwrap_or_else(|| json!("string"));
        node.insert(String::from("type"), first);
        if nullable {
            node.insert(String::from("nullable"), json!(true));
        }
    }
    node.get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
        .for_each(|(_, child)| to_openapi_subset(child));
    node.get_mut("items")
        .into_iter()
        .for_each(to_openapi_subset);
    for key in ["anyOf", "oneOf", "allOf"] {
        node.get_mut(key)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(to_openapi_subset);
    }
}
