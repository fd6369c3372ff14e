use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::*;
use crate::tool::{Call, Io, Output, Tool};

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
    #[schemars(length(min = 1, max = 20), regex(pattern = "^[a-z]+$"))]
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
    places: Option<Vec<Place>>,
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
struct Place {
    /// Folder.
    folder: String,
    /// Row.
    row: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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

    async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
        Ok(Value::Null.into())
    }
}

static ENTRY: ToolEntry = ToolEntry::of::<MoveNote>();

fn schema() -> InputSchema {
    InputSchema::of(&ENTRY).unwrap()
}

#[test]
fn dump() {
    println!("{}", serde_json::to_string_pretty(schema().schema()).unwrap());
    println!("{}", schema().description());
    println!("{}", serde_json::to_string_pretty(&export(&ENTRY, &schema(), ExportFormat::Gemini)).unwrap());
}
