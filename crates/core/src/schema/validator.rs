//! Coerces and checks values by a JSON Schema. Every violation has a plain message and its location.

use serde_json::Value;

use super::coerce::coerce;
use crate::{
    error::{Violation, push_segment},
    scrub::scrub,
    similar::unknown,
};

/// Maximum number of violations to look for. Callers don't read more, and each takes time.
const MOST: usize = 100;

/// A schema, ready to check values.
#[derive(Debug)]
pub(super) struct Validator {
    schema: Value,
    compiled: jsonschema::Validator,
}

impl Validator {
    /// # Errors
    /// One sentence where the schema is not one.
    pub(super) fn new(schema: Value) -> Result<Self, String> {
        match jsonschema::draft202012::new(&schema) {
            Ok(compiled) => Ok(Self { schema, compiled }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Coerces the value, then returns what still violates the schema.
    pub(super) fn check(&self, value: &mut Value) -> Vec<Violation> {
        coerce(&self.schema, value);
        if self.compiled.is_valid(value) {
            return Vec::new();
        }
        let errors = self.compiled.iter_errors(value);
        let violations = errors.flat_map(|error| self.violations(&error));
        violations.take(MOST).collect()
    }

    fn violations(&self, error: &jsonschema::ValidationError<'_>) -> Vec<Violation> {
        use jsonschema::error::ValidationErrorKind as Kind;
        let path = error.instance_path().to_string();
        let message = match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let known = self.known_members(&path);
                let unexpected = unexpected.iter().take(MOST);
                return unexpected
                    .map(|name| unknown_member(&path, name, &known))
                    .collect();
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let message = format!("{name:?} is required");
                return vec![Violation::new(member(&path, name), "required", message)];
            }
            Kind::Type { .. } => {
                let schema = self.schema.pointer(&error.schema_path().to_string());
                expected_type(&types(schema.unwrap_or_default()), error.instance())
            }
            Kind::AnyOf { .. } => {
                let options = self.schema.pointer(&error.schema_path().to_string());
                let options = options.and_then(Value::as_array).into_iter().flatten();
                let expected: Vec<&str> =
                    options.flat_map(|option| types(&option["type"])).collect();
                expected_type(&expected, error.instance())
            }
            Kind::Enum { options } => expected_option(options, error.instance()),
            // A number is short and isn't a secret.
            _ if error.instance().is_number() => error.to_string(),
            _ => error.masked_with("the value").to_string(),
        };
        vec![Violation::new(path, error.kind().keyword(), message)]
    }

    /// The members that the object at `path` accepts.
    fn known_members(&self, path: &str) -> Vec<&str> {
        let mut node = &self.schema;
        for step in path.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            node = node["properties"].get(&name).unwrap_or(&node["items"]);
        }
        let members = node["properties"].as_object().into_iter().flatten();
        members.map(|(name, _)| name.as_str()).collect()
    }
}

fn unknown_member(path: &str, name: &str, known: &[&str]) -> Violation {
    let known = known.iter().copied();
    // A name that starts with an underscore stands for a value that Stead computes from other arguments.
    let message = if name.starts_with('_') {
        let known: Vec<&str> = known.collect();
        let (shown, known) = (scrub(name, 80), known.join(", "));
        format!("{shown:?} is computed and can't be given; expected one of: {known}")
    } else {
        unknown(name, known)
    };
    Violation::new(member(path, name), "additionalProperties", message)
}

/// The types of a `type` keyword.
fn types(keyword: &Value) -> Vec<&str> {
    match keyword {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn expected_type(expected: &[&str], found: &Value) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("expected {}, found {found}", expected.join(" or "))
}

fn expected_option(options: &Value, found: &Value) -> String {
    let options = options.as_array().into_iter().flatten();
    let options: Vec<&str> = options.filter_map(Value::as_str).collect();
    let found = scrub(&found.to_string(), 80);
    format!("expected one of: {}; found {found}", options.join(", "))
}

/// The JSON pointer to a member of the object at `path`.
fn member(path: &str, name: &str) -> String {
    let mut pointer = path.to_owned();
    push_segment(&mut pointer, name);
    pointer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hundred_faults_are_enough() {
        let schema = json!({ "properties": { "of": { "items": { "type": "string" } } }, "additionalProperties": false });
        let validator = Validator::new(schema).unwrap();
        let unknown = (0..20_000).map(|number| (format!("x{number}"), Value::Null));
        let faults = validator.check(&mut Value::Object(unknown.collect()));
        assert_eq!(faults.len(), MOST);
        let faults = validator.check(&mut json!({ "of": vec![true; 20_000] }));
        assert_eq!(faults.len(), MOST);
    }
}
