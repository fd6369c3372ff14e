//! Inputs of tools: how they are coerced, which ones are rejected, and how the tool's struct reads them.

use serde_json::Value;

use crate::{
    ErrorKind,
    schema::{InputSchema, VERSION_PARAMETERS},
    tool::ToolEntry,
};

/// A tool with two validators: Stead's own, and one compiled from the published schema.
#[derive(Debug)]
pub struct Subject {
    entry: &'static ToolEntry,
    schema: InputSchema,
    published: jsonschema::Validator,
}

impl Subject {
    /// # Panics
    /// If the tool has no valid schema.
    pub fn new(entry: &'static ToolEntry) -> Self {
        let schema = InputSchema::of(entry).expect("a schema");
        let published = jsonschema::draft202012::new(schema.schema()).expect("a schema");
        Self {
            entry,
            schema,
            published,
        }
    }
}

/// An input is rejected with its violations, or it fits the published schema and validating it again doesn't change it.
/// If it was valid before, coercion doesn't change its meaning.
pub fn tool_input(subject: &Subject, text: &str) {
    let Ok(given) = serde_json::from_str::<Value>(text) else {
        return;
    };
    let fitted = subject.published.is_valid(&given);
    let mut input = given.clone();
    match subject.schema.validate(&mut input) {
        Err(error) => {
            assert!(!fitted, "refused though it fits: {given}");
            assert_eq!(error.kind(), ErrorKind::SchemaViolation);
            assert!(!error.violation_list().is_empty());
            for violation in error.violation_list() {
                assert!(
                    violation.path.is_empty() || violation.path.starts_with('/'),
                    "{given}"
                );
                assert!(
                    !violation.message.is_empty() && !violation.keyword.is_empty(),
                    "{given}"
                );
            }
        }
        Ok(()) => {
            assert!(
                subject.published.is_valid(&input),
                "accepted though it does not fit: {given}"
            );
            assert!(!fitted || means(&given, &input), "{given} became {input}");
            let mut again = input.clone();
            assert!(subject.schema.validate(&mut again).is_ok(), "{input}");
            assert_eq!(again, input, "{given} is coerced twice");
            read(subject, input);
        }
    }
}

/// The struct accepts every input that the schema accepts, except numbers that are too large for their field.
fn read(subject: &Subject, mut input: Value) {
    if let Some(members) = input.as_object_mut() {
        members.retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
    }
    let is_large = has_large_number(&input);
    match subject.entry.rewrite(input.clone()) {
        Ok(written) => {
            let again = subject.entry.rewrite(written.clone());
            assert_eq!(again.ok(), Some(written), "{input}");
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::SchemaViolation);
            assert!(
                is_large,
                "the schema takes {input}, and its struct says: {error}"
            );
        }
    }
}

fn has_large_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => number
            .as_f64()
            .is_none_or(|number| number.abs() > f64::from(u16::MAX)),
        Value::Array(items) => items.iter().any(has_large_number),
        Value::Object(members) => members.values().any(has_large_number),
        _ => false,
    }
}

/// Whether two values are equal, treating `5.0` and `5` as the same.
fn means(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| means(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let found = |(name, one): (&String, &Value)| {
                other.get(name).is_some_and(|other| means(one, other))
            };
            one.len() == other.len() && one.iter().all(found)
        }
        _ => one == other,
    }
}
