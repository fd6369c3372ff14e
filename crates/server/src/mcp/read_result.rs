//! `stead_read_result`: reads more of a result, with a handle from an earlier result.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ResourceContents};
use serde::Deserialize;
use serde_json::{Value, json};
use stead::Error;
use stead_core::{
    environment::{Environment, McpOffer},
    error::Violation,
    resource::ResultFile,
    tool::Effect,
};

use super::results::{self, READ};

/// Maximum number of bytes of a piece, which is also the default.
const MOST: u64 = 40_000;
const USUAL: u64 = 20_000;
/// Maximum size of a binary file that is returned as base64.
const SMALL: usize = 32_768;

/// Its arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    handle: String,
    #[serde(default)]
    offset: u64,
    #[serde(default)]
    max_bytes: Option<u64>,
}

/// The tool, if the session has read tools: only their results have handles.
pub(super) fn tool(offer: &McpOffer<'_>) -> Option<Value> {
    let mut tools = offer.tools.iter();
    tools.any(|tool| tool.entry().effect() == Effect::Read).then(|| {
        json!({
            "name": READ,
            "title": "Read more of a result",
            "description": "Reads a truncated part of an earlier result by its handle: a long text, a list or a file.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "handle": { "type": "string", "description": "Handle from the result." },
                    "offset": { "type": "integer", "minimum": 0, "description": "Byte to start at. Use next_offset of the previous part." },
                    "max_bytes": { "type": "integer", "minimum": 1, "maximum": MOST, "description": "Maximum number of bytes. Defaults to 20000." },
                },
                "required": ["handle"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true },
        })
    })
}

/// A piece of a handle's content.
pub(super) async fn call(
    environment: &Environment,
    arguments: &JsonObject,
) -> Result<CallToolResult, Error> {
    let arguments = read(arguments)?;
    let file = environment.read_result(&arguments.handle).await?;
    if file.text().is_none() {
        return Ok(binary(&file));
    }
    piece(&file, &arguments)
}

fn read(arguments: &JsonObject) -> Result<Arguments, Error> {
    let read: Result<Arguments, _> = serde_json::from_value(Value::Object(arguments.clone()));
    let read = read.map_err(|error| {
        Error::violations(vec![Violation::new("", "arguments", error.to_string())])
    })?;
    match read.max_bytes {
        Some(most) if !(1..=MOST).contains(&most) => {
            let message = format!("expected 1 to {MOST}, found {most}");
            let violation = Violation::new("/max_bytes", "maximum", message);
            Err(Error::violations(vec![violation]))
        }
        _ => Ok(read),
    }
}

/// A piece of a text, cut between characters, and the position of the next piece.
fn piece(file: &ResultFile, arguments: &Arguments) -> Result<CallToolResult, Error> {
    let text = file.text().unwrap_or_default();
    let first = usize::try_from(arguments.offset).unwrap_or(usize::MAX);
    if first > text.len() {
        let message = format!("the text has {} bytes, found {first}", text.len());
        let violation = Violation::new("/offset", "maximum", message);
        return Err(Error::violations(vec![violation]));
    }
    let first = text.floor_char_boundary(first);
    let most = usize::try_from(arguments.max_bytes.unwrap_or(USUAL)).unwrap_or(usize::MAX);
    let mut end = text.floor_char_boundary(first.saturating_add(most));
    if end == first {
        // A single character is longer than the requested number of bytes.
        end = text.ceil_char_boundary(first + 1);
    }
    let mut piece = json!({
        "text": &text[first..end], "offset": first, "size": text.len(), "media_type": file.media_type,
        "etag": file.etag, "untrusted": ["text"],
    });
    if end < text.len() {
        piece["next_offset"] = json!(end);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(piece.to_string())]);
    result.structured_content = Some(piece);
    result.meta = Some(meta(file));
    Ok(result)
}

/// A small binary file. For a large one, a text that says how to read it.
fn binary(file: &ResultFile) -> CallToolResult {
    let (name, kind) = (file.name.as_deref().unwrap_or("content"), &file.media_type);
    let mut result = if file.content.len() <= SMALL {
        let blob = STANDARD.encode(&file.content);
        let uri = format!("stead://executions/{}/file", file.execution_id);
        let resource = ResourceContents::blob(blob, uri).with_mime_type(kind);
        CallToolResult::success(vec![ContentBlock::resource(resource)])
    } else {
        let size = file.size;
        let message = format!(
            "{name} is {kind} with {size} bytes. It isn't text, so a model can't read it. The application can get it with GET /v1/files/ and the handle."
        );
        CallToolResult::error(vec![ContentBlock::text(message)])
    };
    result.meta = Some(meta(file));
    result
}

fn meta(file: &ResultFile) -> rmcp::model::MetaObject {
    results::meta(json!({ "stead/execution_id": file.execution_id }))
}
