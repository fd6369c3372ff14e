//! JSON Schema of a tool's input: made from its struct, checked before anything is sent, exported for models.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    Error, ErrorKind, Result,
    error::Violation,
    tool::{Effect, ToolEntry},
};

/// The two parameters that every tool takes beside its own; the platform reads and removes them.
pub const VERSION_PARAMETERS: [&str; 2] = ["schema_version", "tool_version"];

/// Marks an optional field that takes `null`: `#[schemars(extend("x-null" = true))]`. Elsewhere absence is the only
/// way to leave a field out.
const NULL_MARK: &str = "x-null";

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
        let mut schema = entry.struct_schema().to_value();
        let description = schema
            .get("description")
            .and_then(Value::as_str)
            .map(unwrap_lines)
            .unwrap_or_default();
        simplify(&mut schema);
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

    /// Understands what is meant (an object sent as a JSON string, `5.0` for an integer), then validates.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaViolation`] with every place.
    pub fn validate(&self, input: &mut Value) -> Result<()> {
        understand(&self.schema, input);
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
                        let pointer = format!("{path}/{}", escaped(name));
                        // Names with an underscore in front are those of values that are made from other arguments.
                        let why = if name.starts_with('_') {
                            "is computed and not taken from callers"
                        } else {
                            "is not known here"
                        };
                        Violation::new(
                            pointer,
                            "additionalProperties",
                            format!("{name:?} {why}; known: {known}"),
                        )
                    })
                    .collect()
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![Violation::new(
                    format!("{path}/{}", escaped(name)),
                    "required",
                    format!("{name:?} is required"),
                )]
            }
            Kind::Type { .. } => {
                vec![Violation::new(
                    path,
                    "type",
                    format!(
                        "{} is wanted, not {}",
                        self.wanted(error),
                        kind_of(error.instance())
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

    fn wanted(&self, error: &jsonschema::ValidationError<'_>) -> String {
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

/// A name as one step of a JSON pointer (RFC 6901, 3).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Envelope in which a catalogue is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExportFormat {
    /// `{type: "function", function: {name, description, parameters}}`.
    Openai,
    /// `{name, description, input_schema}`.
    Anthropic,
    /// `{name, description, parameters}` in the OpenAPI subset.
    Gemini,
    /// `{name, description, inputSchema, annotations}`.
    Mcp,
}

/// One tool in a model vendor's envelope. The version parameters are left out: an application pins versions, a model does not.
pub fn export(entry: &ToolEntry, input: &InputSchema, format: ExportFormat) -> Value {
    let name = entry.name();
    let description = input.description();
    let mut schema = input.schema().clone();
    if let Some(properties) = schema["properties"].as_object_mut() {
        VERSION_PARAMETERS
            .iter()
            .for_each(|parameter| drop(properties.remove(*parameter)));
    }
    match format {
        ExportFormat::Openai => json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": schema, "strict": false },
        }),
        ExportFormat::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
        ExportFormat::Gemini => {
            to_openapi_subset(&mut schema);
            json!({ "name": name, "description": description, "parameters": schema })
        }
        ExportFormat::Mcp => json!({
            "name": name,
            "description": description,
            "inputSchema": schema,
            "annotations": {
                "readOnlyHint": entry.effect() == Effect::Read,
                "destructiveHint": entry.effect() == Effect::Delete,
                "idempotentHint": entry.effect() == Effect::Read,
                "openWorldHint": true,
            },
        }),
    }
}

/// Joins the lines of a paragraph; keeps the breaks between paragraphs.
fn unwrap_lines(text: &str) -> String {
    text.split("\n\n")
        .map(|paragraph| paragraph.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Removes what says nothing to a caller, and `null` where only absence is meant.
fn simplify(schema: &mut Value) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    let takes_null = node
        .remove(NULL_MARK)
        .is_some_and(|mark| mark == json!(true));
    if !takes_null {
        drop_null(node);
    }
    if node
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| format.contains("int") || format == "double")
    {
        node.remove("format");
    }
    if node.get("default") == Some(&Value::Null) {
        node.remove("default");
    }
    if let Some(text) = node.get_mut("description")
        && let Some(lines) = text.as_str()
    {
        *text = Value::String(unwrap_lines(lines));
    }
    collapse_enum(node);
    for key in ["properties", "$defs"] {
        node.get_mut(key)
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
            .for_each(|(_, child)| {
                if let Some(child) = child.as_object_mut() {
                    child.remove("title");
                }
                simplify(child);
            });
    }
    for key in ["items", "additionalProperties"] {
        node.get_mut(key).into_iter().for_each(simplify);
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        node.get_mut(key)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(simplify);
    }
}

fn drop_null(node: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            node.insert(String::from("type"), one);
        }
    }
    if let Some(Value::Array(options)) = node.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(options)) = node.get_mut("anyOf") {
        options.retain(|option| option != &json!({ "type": "null" }));
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            node.remove("anyOf");
            for (key, value) in only {
                node.entry(key).or_insert(value);
            }
        }
    }
}

/// A documented enumeration comes as `oneOf` of constants; models read a plain `enum` better.
fn collapse_enum(node: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = node.get("oneOf") else {
        return;
    };
    let mut values = Vec::new();
    let mut meanings = Vec::new();
    for option in options {
        if let Some(constant) = option.get("const") {
            values.push(constant.clone());
            if let (Some(constant), Some(meaning)) = (
                constant.as_str(),
                option.get("description").and_then(Value::as_str),
            ) {
                meanings.push(format!("{constant}: {}", unwrap_lines(meaning)));
            }
        } else if let Some(Value::Array(several)) = option.get("enum") {
            values.extend(several.iter().cloned());
        } else {
            return;
        }
    }
    node.remove("oneOf");
    node.insert(String::from("type"), json!("string"));
    node.insert(String::from("enum"), Value::Array(values));
    if !meanings.is_empty() {
        let own = node
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let joined = [own, &meanings.join(" ")].join(" ").trim().to_owned();
        node.insert(String::from("description"), Value::String(joined));
    }
}

/// Reads a value as its schema means it, where the meaning is certain.
fn understand(schema: &Value, value: &mut Value) {
    let wants = |name: &str| match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    };
    if let Value::String(text) = value
        && !wants("string")
        && (wants("object") || wants("array"))
        && let Ok(parsed) = serde_json::from_str::<Value>(text)
        && (parsed.is_object() && wants("object") || parsed.is_array() && wants("array"))
    {
        *value = parsed;
    }
    match value {
        Value::Number(number) if wants("integer") && !wants("number") => {
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
            .for_each(|item| understand(&schema["items"], item)),
        Value::Object(members) => {
            for (name, member) in members {
                understand(&schema["properties"][name], member);
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

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Keeps what Gemini's `parameters` take: no `additionalProperties`, no type lists.
fn to_openapi_subset(schema: &mut Value) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    node.remove("additionalProperties");
    if let Some(Value::Array(types)) = node.get("type") {
        let nullable = types.iter().any(|one| one == "null");
        let first = types
            .iter()
            .find(|one| *one != "null")
            .cloned()
            .unwrap_or_else(|| json!("string"));
        node.insert(String::from("type"), first);
        if nullable {
            node.insert(String::from("nullable"), json!(true));
        }
    }
    node.get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
        .for_each(|(_, child)| to_openapi_subset(child));
    node.get_mut("items")
        .into_iter()
        .for_each(to_openapi_subset);
    for key in ["anyOf", "oneOf", "allOf"] {
        node.get_mut(key)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(to_openapi_subset);
    }
}

#[cfg(test)]
mod tests;
