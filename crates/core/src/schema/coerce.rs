//! Inputs whose form is off and whose meaning is clear. The published schema stays strict: it says what to send, and
//! this takes what models and languages make of it.
//!
//! | Given | Where the schema takes | Read as |
//! |---|---|---|
//! | text that holds JSON: `"[1]"`, `"10"`, `"true"`, `"True"` | no text | that JSON |
//! | `5.0` | an integer | `5` |
//! | a whole number | only text, such as an id | its digits |
//! | `Rows`, ` rows `, `startTime` | one of a few words | the word of that spelling: `ROWS`, `start_time` |
//! | `null` | an optional member that is never `null` | no member |
//! | a member that the product only writes | an object that [names it](super::IGNORED_MARK) | no member |
//!
//! What a schema leaves open (free-form objects, values of any type) is data and stays as it is.

use serde_json::{Number, Value, json};

use super::IGNORED_MARK;
use crate::similar::spelling;

/// Turns a value into what its schema asks for, where the meaning is certain.
pub(super) fn coerce(schema: &Value, value: &mut Value) {
    let meant = match value {
        Value::String(text) => from_text(schema, text),
        Value::Number(number) => from_number(schema, number),
        _ => None,
    };
    if let Some(meant) = meant {
        *value = meant;
    }
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| coerce(&schema["items"], item)),
        Value::Object(members) => {
            let ignored = schema[IGNORED_MARK].as_array().into_iter().flatten();
            ignored
                .filter_map(Value::as_str)
                .for_each(|name| drop(members.remove(name)));
            let required = schema["required"].as_array();
            members.retain(|name, member| {
                let Some(schema) = schema["properties"].get(name) else {
                    return true;
                };
                coerce(schema, member);
                let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
                !member.is_null() || is_required || takes_null(schema)
            });
        }
        _ => {}
    }
}

fn from_text(schema: &Value, text: &str) -> Option<Value> {
    if takes(schema, "string") {
        return option_spelled_so(schema, text);
    }
    if is_open(schema) {
        return None;
    }
    let text = text.trim();
    let word = ["true", "false"]
        .into_iter()
        .find(|word| text.eq_ignore_ascii_case(word));
    let parsed = serde_json::from_str(word.unwrap_or(text)).ok()?;
    match &parsed {
        Value::Null => Some(parsed),
        Value::Bool(_) => takes(schema, "boolean").then_some(parsed),
        Value::Array(_) => takes(schema, "array").then_some(parsed),
        Value::Object(_) => takes(schema, "object").then_some(parsed),
        Value::Number(_) if takes(schema, "number") => Some(parsed),
        Value::Number(number) if takes(schema, "integer") => {
            whole(number).map(|whole| json!(whole))
        }
        Value::Number(_) | Value::String(_) => None,
    }
}

/// The one option that is the text but for case and separators.
fn option_spelled_so(schema: &Value, text: &str) -> Option<Value> {
    let options = schema["enum"].as_array()?;
    if options.iter().any(|option| option == text) {
        return None;
    }
    let asked = spelling(text);
    let mut alike = options
        .iter()
        .filter(|option| option.as_str().is_some_and(|one| spelling(one) == asked));
    let found = alike.next()?;
    alike.next().is_none().then(|| found.clone())
}

fn from_number(schema: &Value, number: &Number) -> Option<Value> {
    if takes(schema, "number") {
        None
    } else if takes(schema, "integer") {
        whole(number).map(|whole| json!(whole))
    } else {
        let digits = !number.is_f64() && takes(schema, "string");
        digits.then(|| json!(number.to_string()))
    }
}

/// The number as an integer, where it is one and no digit of it was lost.
fn whole(number: &Number) -> Option<Number> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if !number.is_f64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    (float.fract() == 0.0 && float.abs() <= LIMIT).then(|| Number::from(float as i64))
}

/// Whether the schema names this type.
fn takes(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}

/// Whether the schema names no type: it takes anything, or alternatives among which a value cannot be placed.
fn is_open(schema: &Value) -> bool {
    schema.get("type").is_none()
}

/// Whether `null` is a value of its own here.
fn takes_null(schema: &Value) -> bool {
    match &schema["anyOf"] {
        Value::Array(options) => options.iter().any(takes_null),
        _ => is_open(schema) || takes(schema, "null"),
    }
}
