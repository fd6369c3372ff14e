//! A tool in each vendor's format.

use super::*;
use crate::tool::Hints;

/// File a note.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileNote {
    /// Note to file. Not the one before.
    #[schemars(length(max = 20))]
    note_id: String,
    /// Colour.
    colour: Option<Colour>,
    /// Position.
    #[schemars(range(min = 1, max = 100))]
    position: Option<u32>,
    /// Places.
    #[schemars(length(min = 2))]
    places: Option<Vec<AssociatedData>>,
    /// Parent; `null` takes the note out of its parent.
    #[schemars(extend("x-null" = true))]
    parent: Option<String>,
    /// Labels.
    labels: Option<BTreeMap<String, String>>,
    /// Text or number.
    either: Option<Either>,
    /// What it looks like.
    look: Option<Look>,
    /// Version of the product's API.
    #[schemars(extend("x-pinned" = true))]
    api_version: Option<String>,
}

/// A look.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-brief" = "Look: size and font."))]
struct Look {
    /// Size.
    size: u32,
    /// Font.
    font: Option<String>,
}

impl Tool for FileNote {
    const NAME: &'static str = "demo_file_note";
    const EFFECT: Effect = Effect::Write;
    type Output = Vec<Author>;

    async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
        Ok(Value::Null.into())
    }
}

static FILE: ToolEntry = ToolEntry::of::<FileNote>();

/// The schema without the version parameters.
fn parameters() -> Value {
    let mut schema = schema().schema().clone();
    let properties = schema["properties"].as_object_mut().unwrap();
    properties.retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
    schema
}

fn whole(entry: &ToolEntry, format: ExportFormat, detail: Detail) -> Exported {
    let (input, output) = (InputSchema::of(entry).unwrap(), output_schema(entry));
    let tool = Exportable {
        name: entry.name(),
        input: &input,
        output: &output,
        effect: entry.effect(),
        hints: entry.hints(),
    };
    export(tool, format, detail)
}

fn exported(format: ExportFormat) -> Value {
    whole(&ENTRY, format, Detail::Full).tool
}

#[test]
fn the_envelopes_of_the_vendors() {
    let description = "Move a note.\n\nA second paragraph, with two lines.";
    let openai = json!({
        "type": "function",
        "function": { "name": "demo_move_note", "description": description, "parameters": parameters(), "strict": false },
    });
    assert_eq!(exported(ExportFormat::Openai), openai);
    let anthropic = json!({ "name": "demo_move_note", "description": description, "input_schema": parameters() });
    assert_eq!(exported(ExportFormat::Anthropic), anthropic);
    let hints = json!({ "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true });
    let mcp = json!({ "name": "demo_move_note", "description": description, "inputSchema": parameters(), "outputSchema": output_schema(&ENTRY), "annotations": hints });
    assert_eq!(exported(ExportFormat::Mcp), mcp);
}

#[test]
fn gemini_takes_neither_type_lists_nor_additional_properties() {
    let exported = exported(ExportFormat::Gemini);
    assert_eq!(exported["name"], "demo_move_note");
    assert_eq!(exported.as_object().unwrap().len(), 3);
    let text = exported["parameters"].to_string();
    for absent in "additionalProperties schema_version tool_version $defs $ref".split(' ') {
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
    let Exported { tool, report } = whole(&FILE, ExportFormat::OpenaiStrict, Detail::Full);
    assert_eq!(tool["function"]["strict"], true);
    let nullable_text = json!(["string", "null"]);
    let place = json!({
        "type": "object",
        "description": "A place.",
        "additionalProperties": false,
        "properties": {
            "folder": { "type": "string", "description": "Folder." },
            "row": { "type": ["integer", "null"], "description": "Row." },
        },
        "required": ["folder", "row"],
    });
    let look = json!({
        "type": ["object", "null"],
        "description": "What it looks like.",
        "additionalProperties": false,
        "properties": {
            "font": { "type": nullable_text, "description": "Font." },
            "size": { "type": "integer", "description": "Size.", "minimum": 0 },
        },
        "required": ["font", "size"],
    });
    let expected = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "note_id": { "type": "string", "description": "Note to file. Not the one before." },
            "colour": { "type": nullable_text, "description": "Colour.", "enum": ["red", "dark_blue", null] },
            "position": { "type": ["integer", "null"], "description": "Position.", "minimum": 1, "maximum": 100 },
            "places": { "type": ["array", "null"], "description": "Places.", "minItems": 2, "items": place },
            "parent": { "type": nullable_text, "description": "Parent; `null` takes the note out of its parent." },
            "labels": { "type": nullable_text, "description": "Labels. Write the object as JSON text." },
            "either": { "description": "Text or number.", "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "null" }] },
            "look": look,
        },
        "required": ["colour", "either", "labels", "look", "note_id", "parent", "places", "position"],
    });
    assert_eq!(tool["function"]["parameters"], expected);
    assert_eq!(report.strict, Some(true));
    assert_eq!(
        report.notes,
        [
            "accepts more members than can be given here: /look",
            "free-form, written as JSON text: /labels",
            "not in this schema, checked when called: maxLength of /note_id",
        ]
    );
}

#[test]
fn anthropic_strict_closes_objects_and_leaves_bounds_out() {
    let Exported { tool, report } = whole(&FILE, ExportFormat::AnthropicStrict, Detail::Full);
    assert_eq!(tool["strict"], true);
    let schema = &tool["input_schema"];
    assert_eq!(schema["required"], json!(["note_id"]));
    let position = json!({ "type": "integer", "description": "Position." });
    assert_eq!(schema["properties"]["position"], position);
    assert_eq!(schema["properties"]["look"]["additionalProperties"], false);
    assert_eq!(schema["properties"]["labels"]["type"], "string");
    assert_eq!(report.optional_parameters, 9);
    assert_eq!(report.union_parameters, 2);
    assert_eq!(
        report.notes,
        [
            "accepts more members than can be given here: /look",
            "free-form, written as JSON text: /labels",
            "not in this schema, checked when called: minimum of /look/size, maxLength of /note_id, minItems of /places, \
             maximum of /position, minimum of /position",
        ]
    );
}

#[test]
fn an_export_that_cannot_be_strict_says_why() {
    for format in [ExportFormat::OpenaiStrict, ExportFormat::AnthropicStrict] {
        let Exported { tool, report } = whole(&ENTRY, format, Detail::Full);
        let said = tool.pointer("/function/strict").unwrap_or(&tool["strict"]);
        assert_eq!((said, report.strict), (&json!(false), Some(false)));
        assert_eq!(report.notes, ["not strict: /extra accepts any value"]);
        assert_eq!(tool.pointer(format.schema_pointer()), Some(&parameters()));
    }
}

#[test]
fn brief_types_are_whole_only_in_enforced_formats() {
    let look = |format: ExportFormat| {
        let tool = whole(&FILE, format, Detail::Full).tool;
        let schema = tool.pointer(format.schema_pointer()).unwrap();
        let version = schema["properties"].get("api_version");
        assert!(version.is_none(), "{format:?}");
        assert!(!tool.to_string().contains("x-"), "{format:?}");
        schema["properties"]["look"].clone()
    };
    for (name, format) in ExportFormat::NAMES {
        let brief = json!({ "type": "object", "description": "Look: size and font." });
        let is_whole = format.is_strict() || *format == ExportFormat::Gemini;
        assert_eq!(look(*format) != brief, is_whole, "{name}");
    }
    let published = InputSchema::of(&FILE).unwrap();
    let published = &published.schema()["properties"];
    assert_eq!(published["look"]["required"], json!(["size"]));
    assert_eq!(published["api_version"]["type"], "string");
}

#[test]
fn a_compact_export_has_names_types_and_required_members() {
    let tool = whole(&FILE, ExportFormat::Anthropic, Detail::Compact).tool;
    let hint = "Places. For its schema, call stead_describe_tool.";
    let expected = json!({
        "name": "demo_file_note",
        "description": "File a note.",
        "input_schema": {
            "type": "object",
            "properties": {
                "note_id": { "type": "string", "description": "Note to file.", "maxLength": 20 },
                "colour": { "type": "string", "enum": ["red", "dark_blue"] },
                "position": { "type": "integer" },
                "places": { "type": "array", "items": { "type": "object" }, "description": hint },
                "parent": { "type": ["string", "null"] },
                "labels": { "type": "object" },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "look": { "type": "object" },
            },
            "required": ["note_id"],
        },
    });
    assert_eq!(tool, expected);
}

#[test]
fn a_request_has_bounds() {
    let tool = |name: &str| {
        let mut tool = whole(&FILE, ExportFormat::AnthropicStrict, Detail::Full).tool;
        tool["name"] = json!(name);
        tool
    };
    let check = |tools: &[Value]| check_request(ExportFormat::AnthropicStrict, tools);
    assert_eq!(check(&[tool("a"), tool("b")]), [""; 0]);
    let many = "a request can have at most 24 optional parameters of strict tools, found 27";
    let found = check(&[tool("a"), tool("b"), tool("b")]);
    assert_eq!(found, ["b appears twice", many]);
    let mut loose = tool("c");
    loose["strict"] = json!(false);
    assert_eq!(check(&[tool("a"), tool("b"), loose]), [""; 0]);
    let many = vec![exported(ExportFormat::Openai); 129];
    let faults = check_request(ExportFormat::Openai, &many);
    let expected = "expected at most 128 tools, found 129";
    assert_eq!(faults.last().unwrap(), expected);
}

/// The faults that a check finds in a tool after one change.
fn faults(format: ExportFormat, pointer: &str, value: Value) -> Vec<String> {
    let mut tool = whole(&FILE, format, Detail::Full).tool;
    assert_eq!(check_tool(format, &tool), [""; 0]);
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    tool.pointer_mut(parent).unwrap()[name] = value;
    check_tool(format, &tool)
}

#[test]
fn checks_find_what_a_vendor_refuses() {
    use ExportFormat::{
        Anthropic, AnthropicStrict, Gemini, Mcp, Openai, OpenaiResponses, OpenaiStrict,
    };
    // Below, `@` stands for the place of the schema.
    let whole = |pointer: &str| pointer.replace('@', "/function/parameters");
    let long = |length| json!("x".repeat(length));
    let responses = [("/strict", json!(null)), ("/name", long(65))];
    let anthropic = [("/name", json!("")), ("/input_schema", json!(null))];
    let tables: [(ExportFormat, &[(&str, Value)]); 7] = [
        (
            Openai,
            &[
                ("/type", json!("tool")),
                ("/function/name", json!("a b")),
                ("/function/description", long(1_025)),
                ("@/type", json!("array")),
                ("@/properties/note_id/$ref", json!("#")),
                ("@/properties/note_id/type", json!("text")),
            ],
        ),
        (OpenaiResponses, &responses),
        (
            OpenaiStrict,
            &[
                ("@/required", json!(["note_id"])),
                ("@/additionalProperties", json!(true)),
                ("@/properties/note_id/maxLength", json!(1)),
                ("@/properties/note_id", json!({})),
                ("@/properties/labels", json!({ "type": "object" })),
            ],
        ),
        (Anthropic, &anthropic),
        (
            AnthropicStrict,
            &[
                ("/input_schema/properties/position/maximum", json!(1)),
                ("/input_schema/properties/places/minItems", json!(2)),
                ("/input_schema/additionalProperties", json!(true)),
            ],
        ),
        (
            Gemini,
            &[
                ("/name", json!("1a")),
                ("/parameters/properties/note_id/type", json!(["string"])),
                ("/parameters/properties/a-b", json!({ "type": "string" })),
                ("/parameters/properties/labels/type", json!("object")),
                ("/parameters/properties/colour/enum", json!([1])),
                ("/parameters/required", json!(["nothing"])),
                ("/parameters/properties/places/items", json!(null)),
            ],
        ),
        (
            Mcp,
            &[
                ("/name", json!("a/b")),
                ("/outputSchema", json!({ "type": "array" })),
                ("/annotations/readOnlyHint", json!("yes")),
            ],
        ),
    ];
    for (format, changes) in tables {
        for (pointer, value) in changes {
            let found = faults(format, &whole(pointer), value.clone());
            assert!(!found.is_empty(), "{format:?} {pointer} {value}");
        }
    }
}

#[test]
fn formats_have_stable_names() {
    for (format, name) in [
        (ExportFormat::Openai, "openai"),
        (ExportFormat::OpenaiResponses, "openai_responses"),
        (ExportFormat::OpenaiStrict, "openai_strict"),
        (ExportFormat::Anthropic, "anthropic"),
        (ExportFormat::AnthropicStrict, "anthropic_strict"),
        (ExportFormat::Gemini, "gemini"),
        (ExportFormat::Mcp, "mcp"),
    ] {
        assert_eq!(serde_json::to_value(format).unwrap(), name);
        let read: ExportFormat = serde_json::from_value(json!(name)).unwrap();
        assert_eq!(read, format);
    }
}
