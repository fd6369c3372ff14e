//! JSON numbers that a double can't represent. Parsing rounds them, so Stead keeps their digits as a text or reports
//! them.

use std::{borrow::Cow, iter, ops::Range};

use serde_json::Value;

use crate::error::Violation;

/// Number of digits that every double preserves.
const SAFE: usize = 15;

/// Whether parsing a JSON number preserves its digits. It does for a 64-bit integer, and for a number that its nearest
/// double reproduces with as many digits. Returns true for a text that isn't a number; the JSON parser reports that.
pub fn is_exact(number: &str) -> bool {
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    let Ok(double) = number.parse::<f64>() else {
        return true;
    };
    let given = significant(number);
    if given.is_empty() || (given.len() <= SAFE && double.is_normal()) {
        return true;
    }
    double.is_finite() && significant(&format!("{double:.*e}", given.len() - 1)) == given
}

/// The digits of a number, without leading and trailing zeros.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// Replaces the numbers of a JSON text with strings, except those that `stays` accepts.
pub fn as_texts(json: &str, stays: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let (mut written, mut copied) = (String::new(), 0);
    for place in places(json) {
        let number = &json[place.clone()];
        if !stays(number) {
            written.push_str(&json[copied..place.start]);
            written.extend(["\"", number, "\""]);
            copied = place.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    written.push_str(&json[copied..]);
    Cow::Owned(written)
}

/// The inexact numbers of a JSON text, each with its place.
pub fn inexact(json: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let Cow::Owned(texts) = as_texts(json, is_exact) else {
        return found;
    };
    // The JSON parser reports a text that isn't JSON.
    if let (Ok(read), Ok(kept)) = (serde_json::from_str(json), serde_json::from_str(&texts)) {
        compare(&read, &kept, &mut Vec::new(), &mut found);
    }
    found
}

/// Finds each number of one value that is a text in the other.
fn compare(read: &Value, kept: &Value, steps: &mut Vec<String>, found: &mut Vec<Violation>) {
    match (read, kept) {
        (Value::Number(_), Value::String(number)) => {
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            let message =
                format!("{number} has too many digits for a JSON number; send it as a string");
            found.push(Violation::at(&steps, "format", message));
        }
        (Value::Array(read), Value::Array(kept)) => {
            for (index, (read, kept)) in read.iter().zip(kept).enumerate() {
                steps.push(index.to_string());
                compare(read, kept, steps, found);
                steps.pop();
            }
        }
        (Value::Object(read), Value::Object(kept)) => {
            for (name, read) in read {
                steps.push(name.clone());
                compare(read, &kept[name], steps, found);
                steps.pop();
            }
        }
        _ => {}
    }
}

/// Positions of the numbers in a JSON text.
fn places(json: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = json.as_bytes();
    let mut at = 0;
    iter::from_fn(move || {
        loop {
            let start = at;
            at += 1;
            match bytes.get(start)? {
                b'"' => at = after_text(bytes, at),
                b'-' | b'0'..=b'9' => {
                    let rest = bytes[at..].iter();
                    let is_part =
                        |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                    at += rest.take_while(is_part).count();
                    return Some(start..at);
                }
                _ => {}
            }
        }
    })
}

/// End of a string that begins before `at`.
fn after_text(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_fits_a_double_is_exact() {
        for number in [
            "0",
            "-0",
            "0.000",
            "18446744073709551615",
            "-9223372036854775808",
            "1E5",
            "1.50",
            "0.1",
            "0.30000000000000004",
            "0.10000000000000001",
            "0.1000000000000000055511151231257827",
            "1e300",
            "5e-324",
            "100000000000000000000000",
            // JavaScript writes 2^67 - 1 like this.
            "147573952589676410000",
        ] {
            assert!(is_exact(number), "{number}");
        }
        for number in [
            "18446744073709551616.5",
            "12345678901234567890123",
            "-123456789012345678901",
            "1234567.1234567890123",
            "0.1234567890123456789012",
            "1.0000000000000001",
            "1e400",
            "1e-400",
        ] {
            assert!(!is_exact(number), "{number}");
        }
    }

    #[test]
    fn only_inexact_numbers_become_texts() {
        let json = r#"{"a\\":[12345678901234567890123,1.50,"12345678901234567890123 \" 1"],"b":-0.1234567890123456789}"#;
        let kept = r#"{"a\\":["12345678901234567890123",1.50,"12345678901234567890123 \" 1"],"b":"-0.1234567890123456789"}"#;
        assert_eq!(as_texts(json, is_exact), kept);
        for same in ["", "\"", "\"\\", "[1,2.5]", "12-3", "-"] {
            assert!(
                matches!(as_texts(same, is_exact), Cow::Borrowed(_)),
                "{same}"
            );
        }
    }

    #[test]
    fn each_number_that_loses_digits_has_its_place() {
        let json =
            r#"{"a/b":[1,{"c":12345678901234567890123}],"d":0.12345678901234567890,"e":1E5}"#;
        let found = inexact(json);
        let places: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(places, ["/a~1b/1/c", "/d"]);
        for other in [
            r#"{"a":[1,2.5,"12345678901234567890123"]}"#,
            "{12345678901234567890123",
        ] {
            assert_eq!(inexact(other), [], "{other}");
        }
    }
}
