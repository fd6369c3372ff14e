//! Coerces inputs with the wrong form but a clear meaning. The published schema stays strict: it says what to send, and
//! this module accepts what models and languages make of it.
//!
//! | Given | Where the schema expects | Read as |
//! |---|---|---|
//! | text that contains JSON: `"[1]"`, `"10"`, `"true"`, `"True"` | no text | that JSON |
//! | `5.0` | an integer | `5` |
//! | `INBOX`; also `names,birthdays` if the items are from a fixed list, or if the schema [says so](COMMAS_MARK) | a list of texts | a list |
//! | `["A1", "B2"]` | text that [contains a list with commas](COMMAS_MARK) | `A1,B2` |
//! | a URL or an emoji | an object that [says what they stand for](TEXT_MARK) | that object |
//! | a whole number | only text, such as an ID | its digits |
//! | `Rows`, ` rows `, `startTime` | one word of a fixed list | the word in its spelling: `ROWS`, `start_time` |
//! | `null` | an optional member that is never `null` | no member |
//! | an empty text | an optional parameter of a tool that reads, or one that an empty text doesn't fit | no member |
//! | a member that only the product writes | an object that [names it](IGNORED_MARK) | no member |
//!
//! Free-form objects and values of any type are data and stay unchanged.

use serde_json::{Number, Value, json};

use super::normalize::{COMMAS_MARK, IGNORED_MARK, TEXT_MARK};
use crate::{similar::spelling, tool::numbers};

/// Converts a value to the type that its schema asks for, if the meaning is certain.
pub(super) fn coerce(schema: &Value, value: &mut Value) {
    let meant = match value {
        Value::String(text) => from_text(schema, text),
        Value::Number(number) => from_number(schema, number),
        Value::Array(items) => with_commas(schema, items),
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

/// Removes optional parameters that are empty strings: models send them for parameters that they don't need. If the
/// tool changes something, an empty string that fits the schema stays, because it may be intended, for example to clear
/// a description. A string of blanks also stays, unless the parameter is a number or an option.
pub(super) fn without_empty_texts(schema: &Value, reads: bool, input: &mut Value) {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let Some(parameters) = input.as_object_mut() else {
        return;
    };
    parameters.retain(|name, given| {
        let Some(schema) = schema["properties"].get(name) else {
            return true;
        };
        let is_text = takes(schema, "string") && schema.get("enum").is_none();
        let is_empty = |text: &str| text.is_empty() || !is_text && text.trim().is_empty();
        if !given.as_str().is_some_and(is_empty) {
            return true;
        }
        let fits = !reads
            && (is_open(schema) || takes(schema, "string"))
            && schema["minLength"].as_u64().unwrap_or_default() == 0
            && schema.get("enum").is_none()
            && schema.get("format").is_none();
        fits || is_required(name)
    });
}

fn from_text(schema: &Value, text: &str) -> Option<Value> {
    if takes(schema, "string") {
        let list = || with_commas(schema, &serde_json::from_str::<Vec<Value>>(text).ok()?);
        return option_spelled_so(schema, text).or_else(list);
    }
    if is_open(schema) {
        return None;
    }
    let text = text.trim();
    if !numbers::inexact(text).is_empty() {
        return None;
    }
    let word = ["true", "false"]
        .into_iter()
        .find(|word| text.eq_ignore_ascii_case(word));
    let Ok(parsed) = serde_json::from_str(word.unwrap_or(text)) else {
        return list_of(schema, text).or_else(|| object_of(schema, text));
    };
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

/// Splits a string into a list of strings.
fn list_of(schema: &Value, text: &str) -> Option<Value> {
    let items = &schema["items"];
    if text.is_empty() || !takes(schema, "array") || !takes(items, "string") {
        return None;
    }
    let has_commas = items.get("enum").is_some() || schema.get(COMMAS_MARK).is_some();
    let list = || text.split(',').map(str::trim).collect();
    match text.contains(',') {
        true => has_commas.then(list),
        false => Some(json!([text])),
    }
}

/// Joins a list of strings with commas.
fn with_commas(schema: &Value, items: &[Value]) -> Option<Value> {
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let is_meant = schema.get(COMMAS_MARK).is_some() && takes(schema, "string");
    let texts = texts.filter(|texts| is_meant && !texts.is_empty())?;
    Some(json!(texts.join(",")))
}

/// Builds the object that a URL or an emoji stands for, if the schema [allows it](TEXT_MARK).
fn object_of(schema: &Value, text: &str) -> Option<Value> {
    let form = match text {
        url if url.starts_with("https://") || url.starts_with("http://") => "url",
        // The name of an emoji isn't an emoji, and the product accepts no words here.
        emoji if !emoji.contains(|letter: char| letter.is_alphabetic()) && !emoji.is_ascii() => {
            "emoji"
        }
        _ => return None,
    };
    let mut object = schema[TEXT_MARK].get(form)?.clone();
    fill(&mut object, text);
    Some(object)
}

fn fill(value: &mut Value, text: &str) {
    match value {
        Value::String(place) if place == "*" => text.clone_into(place),
        Value::Object(members) => members.values_mut().for_each(|member| fill(member, text)),
        _ => {}
    }
}

/// Finds the one option that equals the text except for case and separators.
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

/// Returns the number as an integer, if it is one and no digits were lost.
fn whole(number: &Number) -> Option<Number> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if !number.is_f64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    (float.fract() == 0.0 && float.abs() <= LIMIT).then(|| Number::from(float as i64))
}

/// Whether the schema allows this type.
fn takes(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}

/// Whether the schema names no type: it accepts anything, or it has alternatives that can't be told apart for a value.
fn is_open(schema: &Value) -> bool {
    schema.get("type").is_none()
}

/// Whether `null` is a meaningful value here.
fn takes_null(schema: &Value) -> bool {
    match &schema["anyOf"] {
        Value::Array(options) => options.iter().any(takes_null),
        _ => is_open(schema) || takes(schema, "null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_and_a_text_with_commas_are_treated_as_each_other() {
        let words = json!({ "type": "array", "items": { "type": "string", "enum": ["names", "birthdays"] } });
        let lines = json!({ "type": "array", "items": { "type": "string" } });
        let labels = json!({ "type": "array", "items": { "type": "string" }, "x-commas": true });
        let ranges = json!({ "type": "string", "x-commas": true });
        let name = json!({ "type": "string" });
        let numbers = json!({ "type": "array", "items": { "type": "integer" } });
        for (schema, given, expected) in [
            (
                &words,
                json!("names, Birthdays"),
                json!(["names", "birthdays"]),
            ),
            (
                &lines,
                json!("RRULE:FREQ=DAILY"),
                json!(["RRULE:FREQ=DAILY"]),
            ),
            (&labels, json!("INBOX"), json!(["INBOX"])),
            (&labels, json!("INBOX,UNREAD"), json!(["INBOX", "UNREAD"])),
            (&labels, json!("[\"a,b\"]"), json!(["a,b"])),
            (&ranges, json!(["A1:B2", "C3"]), json!("A1:B2,C3")),
            (&ranges, json!("[\"A1:B2\", \"C3\"]"), json!("A1:B2,C3")),
            (&ranges, json!("A1:B2,C3"), json!("A1:B2,C3")),
        ] {
            let mut value = given.clone();
            coerce(schema, &mut value);
            assert_eq!(value, expected, "{schema} {given}");
        }
        for (schema, given) in [
            (&lines, json!("RRULE:FREQ=WEEKLY;BYDAY=MO,WE")),
            (&lines, json!("")),
            (&ranges, json!([])),
            (&ranges, json!([1])),
            (&name, json!(["A1"])),
            (&name, json!("[\"A1\"]")),
            (&numbers, json!("a,b")),
        ] {
            let mut value = given.clone();
            coerce(schema, &mut value);
            assert_eq!(value, given, "{schema}");
        }
    }
}
