//! Writes results in the models' formats.

use serde_json::{Value, json};

use super::{CallFormat, read::Call, text::data_text};
use crate::tool::{
    Warning,
    numbers::{as_texts, is_exact},
};

/// Result of a call.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    /// Its data, as JSON.
    Data(&'a str, &'a [Warning]),
    /// Why the call failed.
    Error(String),
}

/// The result of a call in the vendor's format.
pub(crate) fn result(format: CallFormat, call: &Call, content: Content<'_>) -> Value {
    if format == CallFormat::Gemini {
        let mut response = json!({ "name": call.name, "response": object(content) });
        if let Some(id) = &call.id {
            response["id"] = json!(id);
        }
        return json!({ "functionResponse": response });
    }
    let is_error = matches!(content, Content::Error(_));
    let text = match content {
        Content::Data(data, warnings) => data_text(data, warnings),
        Content::Error(text) => text,
    };
    match format {
        CallFormat::OpenaiResponses => {
            json!({ "type": "function_call_output", "call_id": call.id, "output": text })
        }
        CallFormat::Anthropic => {
            let mut result =
                json!({ "type": "tool_result", "tool_use_id": call.id, "content": text });
            if is_error {
                result["is_error"] = json!(true);
            }
            result
        }
        _ => json!({ "role": "tool", "tool_call_id": call.id, "content": text }),
    }
}

/// Gemini reads an object: `output`, or `error`.
fn object(content: Content<'_>) -> Value {
    match content {
        Content::Error(text) => json!({ "error": text }),
        Content::Data(data, warnings) => {
            let output =
                serde_json::from_str(&as_texts(data, is_exact)).unwrap_or_else(|_| json!(data));
            let mut object = json!({ "output": output });
            if !warnings.is_empty() {
                object["warnings"] = json!(warnings);
            }
            object
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call {
            id: Some(String::from("c1")),
            name: String::from("t"),
            input: json!({}),
        }
    }

    #[test]
    fn results_have_the_vendors_shape() {
        let data = r#"{ "z": 1, "a": 12345678901234567890123 }"#;
        for (format, done, failed) in [
            (
                CallFormat::Openai,
                json!({ "role": "tool", "tool_call_id": "c1", "content": data }),
                json!({ "role": "tool", "tool_call_id": "c1", "content": "No." }),
            ),
            (
                CallFormat::OpenaiResponses,
                json!({ "type": "function_call_output", "call_id": "c1", "output": data }),
                json!({ "type": "function_call_output", "call_id": "c1", "output": "No." }),
            ),
            (
                CallFormat::Anthropic,
                json!({ "type": "tool_result", "tool_use_id": "c1", "content": data }),
                json!({ "type": "tool_result", "tool_use_id": "c1", "content": "No.", "is_error": true }),
            ),
        ] {
            assert_eq!(result(format, &call(), Content::Data(data, &[])), done);
            assert_eq!(
                result(format, &call(), Content::Error(String::from("No."))),
                failed
            );
        }
        let gemini = |content| result(CallFormat::Gemini, &call(), content);
        assert_eq!(
            gemini(Content::Data("[1]", &[])),
            json!({ "functionResponse": { "id": "c1", "name": "t", "response": { "output": [1] } } })
        );
        assert_eq!(
            gemini(Content::Error(String::from("No."))),
            json!({ "functionResponse": { "id": "c1", "name": "t", "response": { "error": "No." } } })
        );
    }
}
