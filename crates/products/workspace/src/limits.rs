//! Size limits of requests (Notion API, "Request limits", size limits). They are checked here, because the product's error
//! doesn't always name the place.

use serde_json::{Number, Value};
use stead_core::error::{Violations, push_segment};

/// Most items in a list of rich text, blocks, options, relations or people.
pub(crate) const ITEMS: usize = 100;

/// Members with a text, and the most characters for each.
const TEXTS: [(&str, usize); 5] = [
    ("content", 2000),
    ("expression", 1000),
    ("url", 2000),
    ("email", 200),
    ("phone_number", 200),
];
/// Members with a limited list.
const LISTS: [&str; 7] = [
    "rich_text",
    "title",
    "caption",
    "children",
    "multi_select",
    "relation",
    "people",
];

/// Checks every text and every list in a value of any shape.
pub(crate) fn check_value(value: &Value, path: &str, violations: &mut Violations) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let mut path = path.to_owned();
                push_segment(&mut path, name);
                check_member(name, member, &path, violations);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_value(item, &format!("{path}/{index}"), violations);
            }
        }
        Value::Number(number) if loses_digits(number) => {
            let message = "the product keeps only about 15 digits of a number; write this one as text into a text column";
            violations.add(path, "maximum", message);
        }
        _ => {}
    }
}

/// Whether the product would silently change a number, because it stores doubles. A number beyond 64 bits has already
/// become a double here. If that double has more digits than a double keeps reliably, the original had more too.
fn loses_digits(number: &Number) -> bool {
    const SURE: usize = 15;
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(double) if number.is_f64() => {
            let digits = format!("{double:e}");
            let digits = digits.split('e').next().unwrap_or_default().bytes();
            double.abs() > EXACT && digits.filter(u8::is_ascii_digit).count() > SURE
        }
        Some(double) => format!("{double:.0}") != number.to_string(),
        None => true,
    }
}

/// Checks a member of an object by its name, and everything below it.
pub(crate) fn check_member(name: &str, member: &Value, path: &str, violations: &mut Violations) {
    match member {
        Value::String(text) => {
            if let Some((_, most)) = TEXTS.iter().find(|(known, _)| *known == name) {
                check_text(text, *most, path, violations);
            }
        }
        Value::Array(items) if LISTS.contains(&name) => {
            check_array(items.len(), ITEMS, path, violations);
        }
        _ => {}
    }
    check_value(member, path, violations);
}

/// Checks a text's length. The product counts UTF-16 code units, so an emoji counts as two.
pub(crate) fn check_text(text: &str, most: usize, path: &str, violations: &mut Violations) {
    // A text never has more code units than bytes.
    if text.len() > most {
        let length = text.encode_utf16().count();
        if length > most {
            let message = format!("has {length} characters; the product allows {most}");
            violations.add(path, "maxLength", message);
        }
    }
}

/// Checks a list's length.
pub(crate) fn check_array(length: usize, most: usize, path: &str, violations: &mut Violations) {
    if length > most {
        violations.add(
            path,
            "maxItems",
            format!("has {length} items; the product allows {most}"),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_digit_of_a_number_is_lost() {
        for (is_lost, text) in [
            (true, "12345678901234567890123"),
            (true, "-12345678901234567890123"),
            (true, "9007199254740993"),
            (true, "-9007199254740993"),
            (true, "18446744073709551615"),
            (false, "9007199254740992"),
            (false, "1152921504606846976"),
            (false, "1e22"),
            (false, "100000000000000000000"),
            (false, "0.30000000000000004"),
            (false, "1234567.125"),
        ] {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(loses_digits(&number), is_lost, "{text}");
            // A number from the product is a double, and the readable view keeps it.
            if !is_lost {
                assert_eq!(number.as_f64(), text.parse().ok(), "{text}");
            }
        }
    }

    #[test]
    fn texts_and_lists_are_found_at_any_depth() {
        let value = json!({
            "Link/s": {"url": "u".repeat(2001)},
            "Tags": {"multi_select": vec![json!({"name": "a"}); 101]},
            "Mail": {"email": "e".repeat(201)},
            "Fine": {"rich_text": [{"text": {"content": "ok"}}]},
        });
        let mut violations = Violations::default();
        check_value(&value, "/properties", &mut violations);
        let mut paths: Vec<String> = violations
            .finish()
            .unwrap_err()
            .violation_list()
            .iter()
            .map(|one| one.path.clone())
            .collect();
        paths.sort();
        assert_eq!(
            paths,
            [
                "/properties/Link~1s/url",
                "/properties/Mail/email",
                "/properties/Tags/multi_select"
            ]
        );
    }
}
