//! Bind variables of a statement.

use serde_json::{Map, Number, Value, json};

use crate::reader::Reader;

/// Bind variables in the product's form, `{"1": {"type": "FIXED", "value": "123"}}`, in which every value is a text or
/// null. A bare value gets its JSON type (SQL API, "Using bind variables in a statement").
pub(crate) fn read(reader: &mut Reader, given: &Map<String, Value>) -> Map<String, Value> {
    let mut bindings = Map::new();
    for (name, value) in given {
        match binding(value) {
            Ok(binding) => {
                bindings.insert(name.clone(), binding);
            }
            Err(message) => reader.refuse_at(&["bindings", name], "type", message),
        }
    }
    bindings
}

fn binding(value: &Value) -> Result<Value, &'static str> {
    let typed = |name: &str, value: Value| Ok(json!({ "type": name, "value": value }));
    match value {
        Value::Null => typed("TEXT", Value::Null),
        Value::Bool(flag) => typed("BOOLEAN", json!(flag.to_string())),
        Value::Number(number) if is_rounded(number) => Err(ROUNDED),
        Value::Number(number) if number.is_f64() => typed("REAL", json!(number.to_string())),
        Value::Number(number) => typed("FIXED", json!(number.to_string())),
        Value::String(text) => typed("TEXT", json!(text)),
        Value::Object(members) => of_object(members),
        Value::Array(_) => {
            Err("bind a single value, bare or as {\"type\": …, \"value\": …}, not a list")
        }
    }
}

const ROUNDED: &str = "a number of this size may have lost digits: bind {\"type\": \"FIXED\", \"value\": \"…\"} with the digits as a text, or REAL for a floating-point number";

/// Whether a number may be a rounded integer: JSON parsers keep 64-bit integers and round larger ones.
fn is_rounded(number: &Number) -> bool {
    const MOST: f64 = 9_223_372_036_854_775_808.0;
    number.is_f64() && number.as_f64().is_some_and(|double| double.abs() >= MOST)
}

/// Reads a value in the product's form. A number or a boolean in it becomes a text, which the product requires.
fn of_object(members: &Map<String, Value>) -> Result<Value, &'static str> {
    let known = members
        .keys()
        .all(|name| matches!(name.as_str(), "type" | "value" | "fmt"));
    if !known || !members.get("type").is_some_and(Value::is_string) {
        return Err(
            "an object needs a `type`, such as FIXED or TEXT, and a `value`; `fmt` is optional",
        );
    }
    let value = match members.get("value") {
        None => return Err("`value` is required; null means SQL's NULL"),
        Some(value @ (Value::Null | Value::String(_))) => value.clone(),
        Some(Value::Number(number)) if is_rounded(number) && members["type"] != "REAL" => {
            return Err(ROUNDED);
        }
        Some(value @ (Value::Number(_) | Value::Bool(_))) => json!(value.to_string()),
        Some(_) => return Err("`value` must be a text or null"),
    };
    let mut binding = members.clone();
    binding.insert(String::from("value"), value);
    Ok(Value::Object(binding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_texts_with_a_type() {
        let given = json!({
            "1": {"type": "FIXED", "value": "123"},
            "2": {"type": "FIXED", "value": 123},
            "3": 7,
            "4": 2.5,
            "5": "a'b",
            "6": true,
            "7": null,
            "8": {"type": "DATE", "value": null, "fmt": "YYYY"},
            "9": {"type": "REAL", "value": 1e300},
            "10": 18_446_744_073_709_551_615_u64,
        });
        let mut reader = Reader::default();
        let read = read(&mut reader, given.as_object().unwrap());
        reader.end().unwrap();
        assert_eq!(
            Value::Object(read),
            json!({
                "1": {"type": "FIXED", "value": "123"},
                "2": {"type": "FIXED", "value": "123"},
                "3": {"type": "FIXED", "value": "7"},
                "4": {"type": "REAL", "value": "2.5"},
                "5": {"type": "TEXT", "value": "a'b"},
                "6": {"type": "BOOLEAN", "value": "true"},
                "7": {"type": "TEXT", "value": null},
                "8": {"type": "DATE", "value": null, "fmt": "YYYY"},
                "9": {"type": "REAL", "value": "1e+300"},
                "10": {"type": "FIXED", "value": "18446744073709551615"},
            })
        );
    }

    #[test]
    fn an_invalid_binding_is_refused_with_the_place() {
        let given = json!({"1": [1], "a/b": {"type": "FIXED"}, "3": {"value": "1"}, "4": {"type": "TEXT", "value": {}}});
        let mut reader = Reader::default();
        read(&mut reader, given.as_object().unwrap());
        let error = reader.end().unwrap_err();
        let places: Vec<&str> = error
            .violation_list()
            .iter()
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(
            places,
            [
                "/bindings/1",
                "/bindings/3",
                "/bindings/4",
                "/bindings/a~1b"
            ]
        );
    }
}
