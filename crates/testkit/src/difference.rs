//! Describes the differences between two JSON values for people.

use serde_json::Value;

/// Every difference between the values, by JSON pointer. None if they're equal.
pub fn differences(expected: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expected, actual, true, &mut found);
    found
}

/// Everything of `expected` that `actual` lacks. Objects may have members that `expected` doesn't name. Lists must have
/// the same length.
pub fn missing(expected: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expected, actual, false, &mut found);
    found
}

fn compare(path: &str, expected: &Value, actual: &Value, exact: bool, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(given)) => {
            for (name, value) in wanted {
                let path = format!("{path}/{name}");
                match given.get(name) {
                    Some(other) => compare(&path, value, other, exact, found),
                    None => found.push(format!("{path}: missing, expected {}", short(value))),
                }
            }
            for (name, value) in given
                .iter()
                .filter(|(name, _)| exact && !wanted.contains_key(*name))
            {
                found.push(format!("{path}/{name}: not expected, got {}", short(value)));
            }
        }
        (Value::Array(wanted), Value::Array(given)) => {
            for (index, (value, other)) in wanted.iter().zip(given).enumerate() {
                compare(&format!("{path}/{index}"), value, other, exact, found);
            }
            if wanted.len() != given.len() {
                found.push(format!(
                    "{path}: expected {} items, got {}",
                    wanted.len(),
                    given.len()
                ));
            }
        }
        _ if expected == actual => {}
        _ => found.push(format!(
            "{path}: expected {}, got {}",
            short(expected),
            short(actual)
        )),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 200 {
        text
    } else {
        text.chars().take(199).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_named() {
        let expected = json!({"a": [1, {"b": "x"}], "c": true});
        assert!(differences(&expected, &expected).is_empty());
        assert_eq!(
            differences(&expected, &json!({"a": [1, {"b": "y"}, 3], "d": null})),
            [
                "/a/1/b: expected \"x\", got \"y\"",
                "/a: expected 2 items, got 3",
                "/c: missing, expected true",
                "/d: not expected, got null",
            ]
        );
    }

    #[test]
    fn extra_members_are_ignored_when_looking_for_missing_ones() {
        assert!(
            missing(
                &json!({"a": {"b": 1}}),
                &json!({"a": {"b": 1, "c": 2}, "d": 3})
            )
            .is_empty()
        );
        assert_eq!(
            missing(&json!([1]), &json!([])),
            [": expected 1 items, got 0"]
        );
    }
}
