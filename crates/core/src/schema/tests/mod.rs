//! Published schemas of structs.

mod exports;
#[cfg(feature = "platform")]
mod property;
mod validation;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    export::{Exportable, export},
    input::InputSchema,
    *,
};
use crate::{
    ErrorKind, Result,
    tool::{Call, Effect, Io, Output, Tool, ToolEntry},
};

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
                "description": "Schema version for the call, a date (YYYY-MM-DD). Defaults to the newest.",
            },
            "tool_version": {
                "type": "string",
                "description": "Tool version for the call, a date (YYYY-MM-DD). Defaults to the newest.",
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
