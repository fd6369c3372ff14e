//! What a struct becomes as a published schema.

mod validation;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::*;
use crate::tool::{Call, Effect, Hints, Io, Output, Tool};

/// Move a
/// note.
///
/// A second paragraph, with
/// two lines.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveNote {
    /// Note
    /// to move.
    #[schemars(length(min = 1, max = 20), regex(pattern = "^[a-z]*$"))]
    note_id: String,
    /// Colour.
    colour: Option<Colour>,
    /// Urgency.
    urgency: Option<Urgency>,
    /// Position.
    #[schemars(range(min = 1, max = 100))]
    position: Option<u32>,
    /// Weight.
    weight: Option<f64>,
    /// Whether it is pinned.
    pinned: Option<bool>,
    /// Places.
    #[schemars(length(min = 1, max = 2))]
    places: Option<Vec<AssociatedData>>,
    /// Author.
    author: Option<Author>,
    /// Parent; `null` takes the note out of its parent.
    #[schemars(extend("x-null" = true))]
    parent: Option<String>,
    /// Labels.
    labels: Option<BTreeMap<String, String>>,
    /// Anything.
    extra: Option<Value>,
    /// Text or number.
    either: Option<Either>,
    /// Strange name.
    #[serde(rename = "a/b~c")]
    strange: Option<Author>,
}

/// A place.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AssociatedData {
    /// Folder.
    folder: String,
    /// Row.
    row: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-ignored" = ["id"]))]
struct Author {
    /// Name.
    #[serde(rename = "full/name~")]
    name: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Colour {
    Red,
    DarkBlue,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Urgency {
    /// Can
    /// wait.
    Low,
    /// Now.
    High,
    Unknown,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Text(String),
    Number(i64),
}

impl Tool for MoveNote {
    const NAME: &'static str = "demo_move_note";
    const EFFECT: Effect = Effect::Delete;
    type Output = Author;

    async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
        Ok(Value::Null.into())
    }
}

static ENTRY: ToolEntry = ToolEntry::of::<MoveNote>();

fn schema() -> InputSchema {
    InputSchema::of(&ENTRY).unwrap()
}

fn author() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "full/name~": { "type": "string", "description": "Name." } },
        "required": ["full/name~"],
    })
}

#[test]
fn a_struct_becomes_a_plain_schema() {
    let [mut by, mut strange] = [author(), author()];
    by["description"] = json!("Author.");
    strange["description"] = json!("Strange name.");
    let expected = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "note_id": {
                "type": "string", "description": "Note to move.", "minLength": 1, "maxLength": 20, "pattern": "^[a-z]*$",
            },
            "colour": { "type": "string", "description": "Colour.", "enum": ["red", "dark_blue"] },
            "urgency": {
                "type": "string", "description": "Urgency. low: Can wait. high: Now.", "enum": ["unknown", "low", "high"],
            },
            "position": { "type": "integer", "description": "Position.", "minimum": 1, "maximum": 100 },
            "weight": { "type": "number", "description": "Weight." },
            "pinned": { "type": "boolean", "description": "Whether it is pinned." },
            "places": {
                "type": "array",
                "description": "Places.",
                "minItems": 1,
                "maxItems": 2,
                "items": {
                    "type": "object",
                    "description": "A place.",
                    "additionalProperties": false,
                    "properties": {
                        "folder": { "type": "string", "description": "Folder." },
                        "row": { "type": "integer", "description": "Row." },
                    },
                    "required": ["folder"],
                },
            },
            "author": by,
            "parent": { "type": ["string", "null"], "description": "Parent; `null` takes the note out of its parent." },
            "labels": { "type": "object", "description": "Labels.", "additionalProperties": { "type": "string" } },
            "extra": { "description": "Anything." },
            "either": { "description": "Text or number.", "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            "a/b~c": strange,
            "schema_version": {
                "type": "string",
                "description": "Schema version used for the call, a date (YYYY-MM-DD); the newest when absent.",
            },
            "tool_version": {
                "type": "string",
                "description": "Tool version used for the call, a date (YYYY-MM-DD); the newest when absent.",
            },
        },
        "required": ["note_id"],
    });
    assert_eq!(schema().schema(), &expected);
}

#[test]
fn a_description_keeps_its_paragraphs_and_no_line_breaks() {
    assert_eq!(
        schema().description(),
        "Move a note.\n\nA second paragraph, with two lines."
    );
}

/// The schema without the version parameters.
fn parameters() -> Value {
    let mut schema = schema().schema().clone();
    schema["properties"]
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
    schema
}

fn exported(format: ExportFormat) -> Value {
    export(&ENTRY, &schema(), &output_schema(&ENTRY), format)
}

#[test]
fn the_envelopes_of_the_vendors() {
    let description = "Move a note.\n\nA second paragraph, with two lines.";
    assert_eq!(
        exported(ExportFormat::Openai),
        json!({
            "type": "function",
            "function": { "name": "demo_move_note", "description": description, "parameters": parameters(), "strict": false },
        })
    );
    assert_eq!(
        exported(ExportFormat::Anthropic),
        json!({ "name": "demo_move_note", "description": description, "input_schema": parameters() })
    );
    let hints = json!({ "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true });
    assert_eq!(
        exported(ExportFormat::Mcp),
        json!({ "name": "demo_move_note", "description": description, "inputSchema": parameters(), "outputSchema": output_schema(&ENTRY), "annotations": hints })
    );
}

#[test]
fn gemini_takes_neither_type_lists_nor_additional_properties() {
    let exported = exported(ExportFormat::Gemini);
    assert_eq!(
        (&exported["name"], exported.as_object().unwrap().len()),
        (&json!("demo_move_note"), 3)
    );
    let text = exported["parameters"].to_string();
    for absent in [
        "additionalProperties",
        "schema_version",
        "tool_version",
        "$defs",
        "$ref",
    ] {
        assert!(!text.contains(absent), "{absent}");
    }
    let properties = &exported["parameters"]["properties"];
    let parent = json!({ "type": "string", "nullable": true, "description": "Parent; `null` takes the note out of its parent." });
    assert_eq!(properties["parent"], parent);
    assert_eq!(properties["places"]["items"]["required"], json!(["folder"]));
    assert_eq!(exported["parameters"]["required"], json!(["note_id"]));
    let labels =
        json!({ "type": "string", "description": "Labels. Write the object as JSON text." });
    assert_eq!(properties["labels"], labels);
}

#[test]
fn the_hints_are_those_of_the_effect_or_the_tools_own() {
    let hints = |effect| (Hints::of(effect).destructive, Hints::of(effect).idempotent);
    assert_eq!(hints(Effect::Read), (false, true));
    assert_eq!(hints(Effect::Write), (false, false));
    assert_eq!(hints(Effect::Delete), (true, true));
}

#[test]
fn openai_strict_requires_every_parameter_and_takes_null_for_optional_ones() {
    let exported = exported(ExportFormat::OpenaiStrict);
    assert_eq!(exported["function"]["strict"], true);
    let parameters = &exported["function"]["parameters"];
    let mut names: Vec<_> = parameters["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    names.sort();
    assert_eq!(parameters["required"], json!(names));
    assert_eq!(parameters["additionalProperties"], false);
    let properties = &parameters["properties"];
    let nullable_text = json!(["string", "null"]);
    assert_eq!(properties["note_id"]["type"], "string");
    assert_eq!(properties["note_id"].get("maxLength"), None);
    assert_eq!(properties["position"]["maximum"], 100);
    assert_eq!(properties["parent"]["type"], nullable_text);
    assert_eq!(
        properties["colour"]["enum"],
        json!(["red", "dark_blue", null])
    );
    assert_eq!(properties["either"]["anyOf"][2], json!({ "type": "null" }));
    let place = &properties["places"]["items"];
    assert_eq!(
        (&place["type"], &place["required"]),
        (&json!("object"), &json!(["folder", "row"]))
    );
    assert_eq!(
        place["properties"]["row"]["type"],
        json!(["integer", "null"])
    );
    let labels =
        json!({ "type": nullable_text, "description": "Labels. Write the object as JSON text." });
    assert_eq!(properties["labels"], labels);
}

#[test]
fn formats_have_stable_names() {
    for (format, name) in [
        (ExportFormat::Openai, "openai"),
        (ExportFormat::OpenaiStrict, "openai_strict"),
        (ExportFormat::Anthropic, "anthropic"),
        (ExportFormat::Gemini, "gemini"),
        (ExportFormat::Mcp, "mcp"),
    ] {
        assert_eq!(serde_json::to_value(format).unwrap(), name);
        assert_eq!(
            serde_json::from_value::<ExportFormat>(json!(name)).unwrap(),
            format
        );
    }
}
