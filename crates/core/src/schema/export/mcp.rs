//! A tool of the Model Context Protocol (modelcontextprotocol.io, schema 2026-07-28, `Tool`).

use serde_json::{Value, json};

use super::{
    Exportable,
    node::{check_head, check_schema},
};
use crate::tool::Effect;

pub(super) fn tool(exported: Exportable<'_>, description: &str, schema: &Value) -> Value {
    let mut tool = json!({
        "name": exported.name,
        "description": description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": exported.effect == Effect::Read,
            "destructiveHint": exported.hints.destructive,
            "idempotentHint": exported.hints.idempotent,
            "openWorldHint": true,
        },
    });
    if exported.output["type"] == "object" {
        tool["outputSchema"] = exported.output.clone();
    }
    tool
}

pub(super) fn check(tool: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check_head(tool, "", 128, &mut faults);
    check_schema(tool.get("inputSchema"), "/inputSchema", &mut faults);
    if let Some(output) = tool.get("outputSchema") {
        if output["type"] != "object" {
            faults.push(String::from(
                "/outputSchema: expected the schema of an object",
            ));
        }
        if let Err(error) = jsonschema::draft202012::new(output) {
            faults.push(format!("/outputSchema: {error}"));
        }
    }
    let hints = tool["annotations"].as_object().into_iter().flatten();
    let wrong = hints.filter(|(_, hint)| !hint.is_boolean());
    faults.extend(wrong.map(|(name, _)| format!("/annotations/{name}: expected a boolean")));
    faults
}
