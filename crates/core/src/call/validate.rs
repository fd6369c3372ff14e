//! The input of a tool, coerced and checked against the schema.

use serde_json::Value;

use crate::{Result, catalogue::CatalogueTool, tool::AnyTool};

/// The input as the tool's struct. No input at all is an empty one.
pub(super) fn input(tool: &CatalogueTool, mut input: Value) -> Result<Box<dyn AnyTool>> {
    if input.is_null() {
        input = Value::Object(serde_json::Map::new());
    }
    tool.schema()?.validate(&mut input)?;
    tool.entry().parse(input)
}
