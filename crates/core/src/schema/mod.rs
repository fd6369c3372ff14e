//! JSON Schema of a tool's input: made from its struct, checked before anything is sent, exported for models.

mod coerce;
mod export;
mod normalize;

use serde_json::{Value, json};

use self::{
    coerce::coerce,
    normalize::{Nulls, keep_null, normalize, unwrap_lines},
};
use crate::{
    Error, ErrorKind, Result,
    error::{Violation, push_segment},
    tool::ToolEntry,
};

pub use export::{ExportFormat, export};

/// The two parameters that every tool takes besides its own; the platform reads and removes them.
pub const VERSION_PARAMETERS: [&str; 2] = ["schema_version", "tool_version"];

/// A tool's description and the schema of its input, ready to validate.
#[derive(Debug)]
pub struct InputSchema {
    description: String,
    schema: Value,
    validator: jsonschema::Validator,
}

impl InputSchema {
    /// Builds the schema of a tool.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] where the struct gives no valid schema; every product's suite proves that it does.
    pub fn of(entry: &ToolEntry) -> Result<Self> {
        Self::build(entry, entry.struct_schema().to_value())
    }

    /// The same, where `null` may stand for an optional parameter.
    ///
    /// # Errors
    /// As [`InputSchema::of`].
    pub fn with_null(entry: &ToolEntry) -> Result<Self> {
        let mut schema = entry.struct_schema().to_value();
        keep_null(&mut schema);
        Self::build(entry, schema)
    }

    fn build(entry: &ToolEntry, mut schema: Value) -> Result<Self> {
        let description = schema
            .get("description")
            .and_then(Value::as_str)
            .map(unwrap_lines)
            .unwrap_or_default();
        normalize(&mut schema, Nulls::WhereMarked);
        if let Some(root) = schema.as_object_mut() {
            for noise in ["$schema", "title", "description"] {
                root.remove(noise);
            }
            root.insert(String::from("type"), json!("object"));
            root.entry("properties").or_insert_with(|| json!({}));
        }
        for (name, text) in VERSION_PARAMETERS.into_iter().zip([
            "Schema version used for the call, a date (YYYY-MM-DD); the newest when absent.",
            "Tool version used for the call, a date (YYYY-MM-DD); the newest when absent.",
        ]) {
            schema["properties"][name] = json!({ "type": "string", "description": text });
        }
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| {
            Error::new(
                ErrorKind::Internal,
                format!("{entry:?} has no valid schema: {error}"),
            )
        })?;
        Ok(Self {
            description,
            schema,
            validator,
        })
    }

    /// What the tool does, for people and models.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The schema: draft 2020-12, without references.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Coerces what is meant (an object sent as a JSON string, `5.0` for an integer), then validates.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaViolation`] with every place.
    pub fn validate(&self, input: &mut Value) -> Result<()> {
        coerce(&self.schema, input);
        if self.validator.is_valid(input) {
            return Ok(());
        }
        let violations = self
            .validator
            .iter_errors(input)
            .flat_map(|error| self.violation(&error))
            .collect();
        Err(Error::violations(violations))
    }

    fn violation(&self, error: &jsonschema::ValidationError<'_>) -> Vec<Violation> {
        use jsonschema::error::ValidationErrorKind as Kind;
        let path = error.instance_path().to_string();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let known = self.known_members(&path);
                unexpected
                    .iter()
                    .map(|name| {
                        // Names with an underscore in front are those of values that are made from other arguments.
                        let why = if name.starts_with('_') {
                            "is computed and cannot be given"
                        } else {
                            "is not known"
                        };
                        Violation::new(
                            member(&path, name),
                            "additionalProperties",
                            format!("{name:?} {why}; expected one of: {known}"),
                        )
                    })
                    .collect()
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![Violation::new(
                    member(&path, name),
                    "required",
                    format!("{name:?} is required"),
                )]
            }
            Kind::Type { .. } => {
                vec![Violation::new(
                    path,
                    "type",
                    format!(
                        "expected {}, found {}",
                        self.expected(error),
                        type_name(error.instance())
                    ),
                )]
            }
            kind => vec![Violation::new(path, kind.keyword(), error.to_string())],
        }
    }

    /// The members that the object at `path` takes, for a message.
    fn known_members(&self, path: &str) -> String {
        let mut node = &self.schema;
        for step in path.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            node = node["properties"].get(&name).unwrap_or(&node["items"]);
        }
        let names: Vec<&str> = node["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        names.join(", ")
    }

    fn expected(&self, error: &jsonschema::ValidationError<'_>) -> String {
        match self.schema.pointer(&error.schema_path().to_string()) {
            Some(Value::String(one)) => one.clone(),
            Some(Value::Array(several)) => several
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" or "),
            _ => String::from("another type"),
        }
    }
}

/// JSON Schema of a tool's result: draft 2020-12, without references. A member may be absent or `null` where the
/// product leaves it out, and there may be members that the schema does not name.
pub fn output_schema(entry: &ToolEntry) -> Value {
    let mut schema = entry.output_struct_schema().to_value();
    normalize(&mut schema, Nulls::Kept);
    if let Some(root) = schema.as_object_mut() {
        root.remove("$schema");
        root.remove("title");
    }
    schema
}

/// The JSON pointer to a member of the object at `path`.
fn member(path: &str, name: &str) -> String {
    let mut pointer = path.to_owned();
    push_segment(&mut pointer, name);
    pointer
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests;
