//! Inputs whose form is off and whose meaning is clear: an object in a JSON string, `5.0` for an integer.

use serde_json::{Value, json};

/// Turns a value into what its schema asks for, where the meaning is certain.
pub(super) fn coerce(schema: &Value, value: &mut Value) {
    let takes = |name: &str| match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    };
    if let Value::String(text) = value
        && !takes("string")
        && (takes("object") || takes("array"))
        && let Ok(parsed) = serde_json::from_str::<Value>(text)
        && (parsed.is_object() && takes("object") || parsed.is_array() && takes("array"))
    {
        *value = parsed;
    }
    match value {
        Value::Number(number) if takes("integer") && !takes("number") => {
            if let Some(integer) = number
                .as_f64()
                .filter(|_| !number.is_i64() && !number.is_u64())
                .and_then(exact_integer)
            {
                *value = json!(integer);
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| coerce(&schema["items"], item)),
        Value::Object(members) => {
            for (name, member) in members {
                coerce(&schema["properties"][name], member);
            }
        }
        _ => {}
    }
}

fn exact_integer(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    (number.fract() == 0.0 && number.abs() <= LIMIT).then_some(number as i64)
}
