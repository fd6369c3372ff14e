//! Short messages for a validator's errors, and the formats that the validator doesn't know.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use crate::finding::Finding;

/// The longest value that a message shows.
const MOST_SHOWN: usize = 60;

type FormatCheck = fn(&str) -> bool;

/// The text formats of discovery documents (Google API Discovery Service, "Type and Format Summary").
pub(super) const FORMATS: &[(&str, FormatCheck)] = &[
    ("int64", |text| text.parse::<i64>().is_ok()),
    ("uint64", |text| text.parse::<u64>().is_ok()),
    ("byte", is_base64),
    ("google-datetime", |text| {
        // Like RFC 3339's format, which the validator knows by another name.
        text.ends_with('Z') && text.get(10..11) == Some("T")
    }),
];

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len() - digits.len() <= 2
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte))
}

/// One finding for each fault, in the order of their places.
pub(super) fn findings<'a>(
    errors: impl Iterator<Item = ValidationError<'a>>,
    place: &str,
) -> Vec<Finding> {
    let errors: Vec<ValidationError<'a>> = errors.collect();
    let mut found = reported(errors.iter(), place);
    found.sort();
    found.dedup();
    found
}

fn reported<'e, 'a: 'e>(
    errors: impl Iterator<Item = &'e ValidationError<'a>>,
    place: &str,
) -> Vec<Finding> {
    let mut reporter = Reporter {
        place,
        found: Vec::new(),
        unknown: Vec::new(),
        undecided: Vec::new(),
    };
    for error in errors {
        reporter.report(error);
    }
    reporter.end()
}

struct Reporter<'p> {
    place: &'p str,
    found: Vec<Finding>,
    /// Objects, each with a member that no part of the schema names.
    unknown: Vec<(String, String)>,
    /// Objects in which a part or all alternatives fail. The validator then reports the members of those as unknown.
    undecided: Vec<String>,
}

impl Reporter<'_> {
    fn report(&mut self, error: &ValidationError<'_>) {
        let path = error.instance_path().as_str();
        let here = format!("{}{path}", self.place);
        let shown = shown(error.instance());
        if error.evaluation_path().as_str().contains("/allOf/") {
            let ends = path.match_indices('/').map(|(end, _)| end);
            let above = ends.map(|end| format!("{}{}", self.place, &path[..end]));
            self.undecided.extend(above.chain([here.clone()]));
        }
        let what = match error.kind() {
            Kind::UnevaluatedProperties { unexpected } => {
                let unknown = unexpected.iter().map(|name| (here.clone(), name.clone()));
                self.unknown.extend(unknown);
                return;
            }
            Kind::AdditionalProperties { unexpected } => {
                let unknown = unexpected
                    .iter()
                    .map(|name| Finding::new(format!("{here}/{name}"), UNKNOWN));
                self.found.extend(unknown);
                return;
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.found
                    .push(Finding::new(format!("{here}/{name}"), "is missing"));
                return;
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.undecided.push(here.clone());
                match closest(context, path) {
                    Some(errors) => {
                        self.found.extend(reported(errors.into_iter(), self.place));
                        return;
                    }
                    None => format!("matches no alternative: {shown}"),
                }
            }
            Kind::OneOfMultipleValid { .. } => {
                format!("matches several alternatives, expected one: {shown}")
            }
            Kind::FalseSchema => String::from("is only for reading"),
            Kind::Type { kind } => format!("expected {}, found {shown}", types(kind)),
            Kind::Enum { options } => {
                let options: Vec<String> = options
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(Value::to_string)
                    .collect();
                format!("{shown} is not one of {}", options.join(", "))
            }
            Kind::Constant { expected_value } => format!("{shown} is not {expected_value}"),
            Kind::Format { format } => format!("{shown} is not of the format {format}"),
            _ => error.masked_with(shown).to_string(),
        };
        self.found.push(Finding::new(here, what));
    }

    fn end(mut self) -> Vec<Finding> {
        for (object, name) in self.unknown {
            let member = Finding::new(format!("{object}/{name}"), UNKNOWN);
            let known = self.found.iter().any(|other| other.is_at(&member.place));
            if !known && !self.undecided.contains(&object) {
                self.found.push(member);
            }
        }
        self.found
    }
}

const UNKNOWN: &str = "there is no such member";

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => {
            let kinds: Vec<String> = kinds.iter().map(|kind| kind.to_string()).collect();
            kinds.join(" or ")
        }
    }
}

/// Finds the alternative that was meant for the value at `here`, and returns its faults. `None` if no alternative
/// allows the value's type. Prefers an alternative whose distinguishing members fit, then the fewest faults of the
/// value itself, then the fewest faults in total.
fn closest<'e>(
    alternatives: &'e [Vec<ValidationError<'static>>],
    here: &str,
) -> Option<Vec<&'e ValidationError<'static>>> {
    let mut flat = Vec::new();
    for faults in alternatives {
        flatten(faults.iter().collect(), here, &mut flat);
    }
    flat.retain(|faults| {
        let another_type = |fault: &&ValidationError<'_>| {
            is_at(fault, here) && matches!(fault.kind(), Kind::Type { .. })
        };
        !faults.iter().any(another_type)
    });
    flat.into_iter().min_by_key(|faults| {
        let another_kind = faults.iter().any(|fault| tells_kinds_apart(fault, here));
        let at_itself = faults.iter().filter(|fault| is_at(fault, here));
        let at_itself: usize = at_itself.map(|fault| weight(fault)).sum();
        (another_kind, at_itself, faults.len())
    })
}

/// An alternative may be a choice for the same value. Then its alternatives are added to the others.
fn flatten<'e>(
    faults: Vec<&'e ValidationError<'static>>,
    here: &str,
    flat: &mut Vec<Vec<&'e ValidationError<'static>>>,
) {
    let choice = faults
        .iter()
        .enumerate()
        .find_map(|(position, fault)| match fault.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if is_at(fault, here) => {
                Some((position, context))
            }
            _ => None,
        });
    let Some((position, context)) = choice else {
        flat.push(faults);
        return;
    };
    for inner in context {
        let mut joined = faults.clone();
        joined.remove(position);
        joined.extend(inner);
        flatten(joined, here, flat);
    }
}

fn is_at(fault: &ValidationError<'_>, here: &str) -> bool {
    fault.instance_path().as_str() == here
}

/// Whether a member directly below isn't the one text that its schema allows. Such members distinguish alternatives.
fn tells_kinds_apart(fault: &ValidationError<'_>, here: &str) -> bool {
    let path = fault.instance_path().as_str();
    let one = match fault.kind() {
        Kind::Constant { .. } => true,
        Kind::Enum { options } => options.as_array().is_some_and(|options| options.len() == 1),
        _ => false,
    };
    let below = path.strip_prefix(here).unwrap_or_default();
    one && below.matches('/').count() == 1
}

/// The number of members that a fault is about.
fn weight(fault: &ValidationError<'_>) -> usize {
    match fault.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.len()
        }
        _ => 1,
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_know_their_texts() {
        let fits = |name: &str, text: &str| {
            let (_, fits) = FORMATS.iter().find(|(known, _)| *known == name).unwrap();
            fits(text)
        };
        assert!(fits("int64", "-9000000000"));
        assert!(!fits("int64", "1e3"));
        assert!(!fits("uint64", "-1"));
        assert!(fits("byte", "R29vZA=="));
        assert!(fits("byte", "_-A"));
        assert!(!fits("byte", "a b"));
        assert!(fits("google-datetime", "2026-05-04T09:00:00Z"));
        assert!(!fits("google-datetime", "2026-05-04"));
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(shown(&Value::from("ü".repeat(100))).chars().count(), 61);
        assert_eq!(shown(&Value::from(1)), "1");
    }

    #[test]
    fn messages_come_from_the_best_matching_alternative() {
        let schema = serde_json::json!({"anyOf": [
            {"type": "object", "required": ["date"], "additionalProperties": false,
             "properties": {"date": {"type": "object", "required": ["start"]}}},
            {"type": "object", "required": ["title"], "additionalProperties": false,
             "properties": {"title": {"type": "array"}}},
            {"type": "null"}
        ]});
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let say = |value: Value| {
            findings(validator.iter_errors(&value), "body")
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            say(serde_json::json!({"date": {}})),
            ["body/date/start: is missing"]
        );
        let kinds = serde_json::json!({"oneOf": [
            {"type": "object", "required": ["kind", "a", "b"], "properties": {"kind": {"const": "one"}, "a": {"type": "string"}}},
            {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "two"}}}
        ]});
        let validator = jsonschema::draft202012::new(&kinds).unwrap();
        let value = serde_json::json!({"kind": "one"});
        let found = findings(validator.iter_errors(&value), "body");
        let places: Vec<&str> = found.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["body/a", "body/b"]);
        assert_eq!(
            say(serde_json::json!("x")),
            ["body: matches no alternative: \"x\""]
        );
    }
}
