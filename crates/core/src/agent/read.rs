//! Reads tool calls in the models' formats.

use serde_json::{Map, Value};

use super::CallFormat;
use crate::{Error, Result, error::Violation, tool::numbers};

/// Maximum number of calls in a request.
const CALLS: usize = 32;

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// The vendor's ID, if there is one.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// The input. A string if it isn't JSON.
    pub(crate) input: Value,
}

/// The calls in a model's response, and their format.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if there are no calls, too many calls, or calls of
/// two vendors.
pub(crate) fn read(named: Option<CallFormat>, items: &[Value]) -> Result<(CallFormat, Vec<Call>)> {
    let mut format = named;
    let mut calls = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(found) = recognised(item, named) else {
            continue;
        };
        let expected = *format.get_or_insert(found);
        let place = ["calls", &index.to_string()];
        if found != expected {
            let message =
                format!("expected a call in the format {expected:?}, found one in {found:?}");
            return Err(Error::invalid(vec![Violation::at(
                &place, "format", message,
            )]));
        }
        let Some(call) = call(found, item) else {
            let message = "expected a call with a name";
            return Err(Error::invalid(vec![Violation::at(
                &place, "required", message,
            )]));
        };
        calls.push(call);
    }
    let Some(format) = format.filter(|_| !calls.is_empty()) else {
        let message = "expected at least one call: an item of tool_calls, or one with function_call, tool_use or functionCall";
        return Err(Error::invalid(vec![Violation::new(
            "/calls", "minItems", message,
        )]));
    };
    if calls.len() > CALLS {
        let message = format!("expected at most {CALLS} calls, found {}", calls.len());
        return Err(Error::invalid(vec![Violation::new(
            "/calls", "maxItems", message,
        )]));
    }
    Ok((format, calls))
}

/// The vendor of this call. `None` if it isn't a call.
fn recognised(item: &Value, named: Option<CallFormat>) -> Option<CallFormat> {
    match item["type"].as_str() {
        Some("function_call") => return Some(CallFormat::OpenaiResponses),
        Some("tool_use") => return Some(CallFormat::Anthropic),
        _ => {}
    }
    if item["function"].is_object() {
        Some(CallFormat::Openai)
    } else if function_call(item).is_some() {
        Some(CallFormat::Gemini)
    } else {
        // A bare call, as Gemini's SDKs list it.
        let bare = named == Some(CallFormat::Gemini) && item["name"].is_string();
        bare.then_some(CallFormat::Gemini)
    }
}

fn function_call(item: &Value) -> Option<&Value> {
    let spelled = ["functionCall", "function_call"];
    let mut found = spelled.iter().filter_map(|name| item.get(*name));
    found.find(|call| call.is_object())
}

fn call(format: CallFormat, item: &Value) -> Option<Call> {
    let (id, call, input) = match format {
        CallFormat::Openai => (&item["id"], &item["function"], "arguments"),
        CallFormat::OpenaiResponses => (&item["call_id"], item, "arguments"),
        CallFormat::Anthropic => (&item["id"], item, "input"),
        CallFormat::Gemini => {
            let call = function_call(item).unwrap_or(item);
            (&call["id"], call, "args")
        }
    };
    Some(Call {
        id: id.as_str().map(str::to_owned),
        name: call["name"].as_str()?.to_owned(),
        input: parsed(&call[input]),
    })
}

/// OpenAI's arguments are JSON in a string, which is empty if there are none. It stays a string if parsing would change
/// a number, so that the call rejects it at that place.
fn parsed(input: &Value) -> Value {
    match input {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) if numbers::inexact(text).is_empty() => {
            serde_json::from_str(text).unwrap_or_else(|_| input.clone())
        }
        given => given.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(calls: &[Call]) -> Vec<(Option<&str>, &str, Value)> {
        let each = calls.iter();
        each.map(|call| (call.id.as_deref(), call.name.as_str(), call.input.clone()))
            .collect()
    }

    #[test]
    fn every_vendors_calls_are_recognised_and_other_items_are_skipped() {
        let input = json!({ "a": 1 });
        for (format, items, id) in [
            (
                CallFormat::Openai,
                json!([{ "id": "c1", "type": "function", "function": { "name": "t", "arguments": "{\"a\":1}" } }]),
                Some("c1"),
            ),
            (
                CallFormat::OpenaiResponses,
                json!([
                    { "type": "reasoning", "id": "r", "summary": [] },
                    { "type": "function_call", "id": "fc", "call_id": "c1", "name": "t", "arguments": "{\"a\":1}" },
                ]),
                Some("c1"),
            ),
            (
                CallFormat::Anthropic,
                json!([{ "type": "text", "text": "Let me see." }, { "type": "tool_use", "id": "c1", "name": "t", "input": { "a": 1 } }]),
                Some("c1"),
            ),
            (
                CallFormat::Gemini,
                json!([{ "text": "Let me see." }, { "functionCall": { "name": "t", "args": { "a": 1 } }, "thoughtSignature": "s" }]),
                None,
            ),
            (
                CallFormat::Gemini,
                json!([{ "text": null, "function_call": { "id": "c1", "name": "t", "args": { "a": 1 } } }]),
                Some("c1"),
            ),
        ] {
            let items = items.as_array().unwrap();
            for named in [None, Some(format)] {
                let (found, calls) = read(named, items).unwrap();
                assert_eq!(found, format);
                assert_eq!(names(&calls), [(id, "t", input.clone())], "{format:?}");
            }
        }
        let bare = [json!({ "name": "t", "args": null })];
        let (_, calls) = read(Some(CallFormat::Gemini), &bare).unwrap();
        assert_eq!(names(&calls), [(None, "t", json!({}))]);
        assert!(read(None, &bare).is_err());
    }

    #[test]
    fn arguments_that_are_not_json_stay_a_text() {
        let call = |arguments: &str| json!([{ "id": "c", "type": "function", "function": { "name": "t", "arguments": arguments } }]);
        for (arguments, input) in [
            ("", json!({})),
            (" ", json!({})),
            ("{", json!("{")),
            ("[1]", json!([1])),
        ] {
            let items = call(arguments);
            let (_, calls) = read(None, items.as_array().unwrap()).unwrap();
            assert_eq!(calls[0].input, input);
        }
    }

    #[test]
    fn arguments_with_inexact_numbers_stay_a_text() {
        for (given, expected) in [
            (
                r#"{"a":12345678901234567890123}"#,
                json!(r#"{"a":12345678901234567890123}"#),
            ),
            (r#"{"a":0.1}"#, json!({ "a": 0.1 })),
        ] {
            let items = [json!({ "id": "c", "function": { "name": "t", "arguments": given } })];
            let (_, calls) = read(None, &items).unwrap();
            assert_eq!(calls[0].input, expected);
        }
    }

    #[test]
    fn items_that_are_not_calls_of_one_model_are_refused_with_the_place() {
        let tool_use = json!({ "type": "tool_use", "id": "c", "name": "t", "input": {} });
        let function = json!({ "id": "c", "function": { "name": "t", "arguments": "" } });
        for (named, items, place) in [
            (None, vec![], "/calls"),
            (
                None,
                vec![json!({ "type": "text", "text": "Hi" }), json!(null)],
                "/calls",
            ),
            (None, vec![tool_use.clone(), function.clone()], "/calls/1"),
            (Some(CallFormat::Gemini), vec![function], "/calls/0"),
            (
                None,
                vec![json!({ "type": "tool_use", "id": "c" })],
                "/calls/0",
            ),
            (None, vec![tool_use; 33], "/calls"),
        ] {
            let error = read(named, &items).unwrap_err();
            assert_eq!(error.violation_list()[0].path, place, "{error}");
        }
    }
}
