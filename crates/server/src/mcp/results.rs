//! The outcome of a call, in words that a model can act on.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject, MetaObject},
};
use serde_json::{Value, json};
use stead::{Error, ErrorKind};
use stead_core::{
    error::ActBy,
    resource::Execution,
    tool::numbers::{as_texts, is_exact},
};

/// The tool that reads truncated parts of results.
pub(super) const READ: &str = "stead_read_result";

/// The result of a call as a text, and also as a structure if it's an object.
pub(super) fn success(execution: &Execution) -> CallToolResult {
    let text = execution.data.get();
    let mut content = vec![ContentBlock::text(text)];
    // The handles already describe the truncated parts.
    let notes = execution.warnings.iter();
    let notes = notes.filter(|warning| warning.code != "left_out");
    content.extend(notes.map(|warning| ContentBlock::text(format!("Note: {}", warning.message))));
    content.extend(named(execution).map(ContentBlock::text));
    let mut result = CallToolResult::success(content);
    let data: Option<Value> = serde_json::from_str(&as_texts(text, is_exact)).ok();
    result.structured_content = data.filter(Value::is_object);
    result.meta = Some(meta(
        json!({ "stead/execution_id": execution.execution_id }),
    ));
    result
}

/// The truncated parts of a result, in words.
fn named(execution: &Execution) -> Option<String> {
    let left_out = &execution.left_out;
    let named = left_out
        .iter()
        .map(|one| format!("\n- {one}: {}", one.handle));
    let named: String = named.collect();
    (!left_out.is_empty()).then(|| format!("Read the omitted parts with {READ}:{named}"))
}

/// An error as the result of a call: the problem, every faulty place in the arguments, and who needs to act.
pub(super) fn error(error: &Error) -> CallToolResult {
    let mut lines = Vec::new();
    match error.violation_list() {
        [] => lines.push(error.message().to_owned()),
        places => {
            lines.push(String::from(
                "The arguments aren't valid. Correct them and call again:",
            ));
            lines.extend(places.iter().map(|place| format!("- {place}")));
        }
    }
    if error.violation_list().is_empty() {
        lines.push(what_next(error));
    }
    if let Some(partial) = error.partial() {
        lines.push(format!("This was created before the failure: {partial}"));
    }
    let mut members = json!({
        "stead/error": { "kind": error.kind_name(), "act_by": error.act_by().name(), "retryable": error.retryable() },
    });
    if let Some(id) = error.execution_id() {
        lines.push(format!("(execution {id})"));
        members["stead/execution_id"] = json!(id);
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(lines.join("\n"))]);
    result.meta = Some(meta(members));
    result
}

/// A sentence that says who needs to act.
fn what_next(error: &Error) -> String {
    if error.is_outcome_unknown() {
        return String::from("It may have succeeded. Check before you call again.");
    }
    if error.retryable() {
        return match error.retry_after() {
            Some(after) => format!("Call again after {} seconds.", after.as_secs().max(1)),
            None => String::from("Call again in a moment."),
        };
    }
    String::from(match (error.act_by(), error.kind()) {
        (ActBy::EndUser, _) => "The user needs to fix this.",
        (ActBy::Product, _) => "Only the product can fix this. Don't call again now.",
        (ActBy::Operator, _) => {
            "The operator of this service needs to fix this. Don't call again now."
        }
        (ActBy::AppDeveloper, kind) if is_about_input(kind) => {
            "Correct the arguments, or use another tool."
        }
        (_, _) => "The developer of this application needs to fix this. Don't call again now.",
    })
}

/// Whether the call may succeed with other arguments.
fn is_about_input(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::SchemaViolation
            | ErrorKind::ProductInvalidRequest
            | ErrorKind::ProductNotFound
            | ErrorKind::ProductConflict
            | ErrorKind::NotFound
            | ErrorKind::InvalidRequest
    )
}

/// Converts an error to one of the protocol, and not to a tool's result.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
pub(super) fn protocol_error(error: Error) -> ErrorData {
    match error.kind() {
        ErrorKind::UnknownTool | ErrorKind::InvalidRequest => {
            ErrorData::invalid_params(error.message().to_owned(), None)
        }
        _ => ErrorData::internal_error(error.to_string(), None),
    }
}

/// Members of `_meta`.
pub(super) fn meta(members: Value) -> MetaObject {
    let members: JsonObject = match members {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    MetaObject::from(members)
}
