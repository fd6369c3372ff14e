//! The document's schemas for requests and for responses.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Collects the schemas that operations use.
pub(crate) struct Schemas {
    sent: SchemaGenerator,
    received: SchemaGenerator,
    named: Map<String, Value>,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self {
            // A type that is used in both directions has other required members in each. Requests contain their parts
            // inline.
            sent: settings()
                .with(|settings| settings.inline_subschemas = true)
                .for_deserialize()
                .into_generator(),
            received: settings().for_serialize().into_generator(),
            named: Map::new(),
        }
    }

    /// The schema of a request's body.
    pub(crate) fn sent<T: JsonSchema>(&mut self) -> Value {
        let schema = self.sent.subschema_for::<T>().to_value();
        let name = T::schema_name().into_owned();
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        self.named.insert(name, schema);
        reference
    }

    /// The schema of a response's body.
    pub(crate) fn received<T: JsonSchema>(&mut self) -> Value {
        self.received.subschema_for::<T>().to_value()
    }

    /// All of them, by name.
    pub(crate) fn finish(mut self) -> Value {
        let mut all = self.received.take_definitions(true);
        all.extend(self.named);
        let mut all = Value::Object(all);
        tidy(&mut all);
        for (name, schema) in all.as_object_mut().into_iter().flatten() {
            if OPEN.iter().any(|end| name.ends_with(end)) {
                open(schema);
            }
        }
        all
    }
}

/// Endings of the names of enumerations that later versions may extend. A generated client must not reject values that
/// it doesn't know.
const OPEN: &[&str] = &["ErrorKind", "Health", "State"];

/// Allows any text, and lists the current values.
fn open(schema: &mut Value) {
    if let Some(members) = schema.as_object_mut()
        && let Some(values) = members.remove("enum")
    {
        members.insert(String::from("examples"), json!([values[0]]));
        members.insert(String::from("x-extensible-enum"), values);
    }
}

/// Writes `oneOf` of words as `enum`, because client generators don't understand the former. The meaning of each word
/// goes into the description.
fn one_enum(members: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = members.get("oneOf") else {
        return;
    };
    let mut values = Vec::new();
    let mut meanings = Vec::new();
    for option in options {
        match (option.get("const"), option.get("enum")) {
            (Some(value @ Value::String(word)), _) => {
                values.push(value.clone());
                if let Some(meaning) = option["description"].as_str() {
                    meanings.push(format!("`{word}`: {meaning}"));
                }
            }
            (None, Some(Value::Array(words))) => values.extend(words.iter().cloned()),
            _ => return,
        }
    }
    if !values.iter().all(Value::is_string) {
        return;
    }
    members.remove("oneOf");
    members.insert(String::from("type"), json!("string"));
    members.insert(String::from("enum"), Value::Array(values));
    let before = members.get("description").and_then(Value::as_str);
    let text: Vec<&str> = before
        .into_iter()
        .chain(meanings.iter().map(String::as_str))
        .collect();
    if !text.is_empty() {
        let text = text.join(" ");
        members.insert(String::from("description"), Value::String(text));
    }
}

/// Writes `true` as `{}`. The two mean the same, but generators reject the former.
fn no_bare_true(members: &mut Map<String, Value>) {
    let any = |schema: &mut Value| {
        if *schema == Value::Bool(true) {
            *schema = json!({});
        }
    };
    for name in ["items", "not", "contains"] {
        members.get_mut(name).into_iter().for_each(any);
    }
    for name in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let options = members.get_mut(name).and_then(Value::as_array_mut);
        options.into_iter().flatten().for_each(any);
    }
    let properties = members.get_mut("properties");
    let properties = properties.and_then(Value::as_object_mut);
    properties
        .into_iter()
        .flat_map(Map::values_mut)
        .for_each(any);
}

/// Cleans up a schema. An optional member that is omitted is never `null`, a text has no line breaks within a
/// paragraph, and readers of the document need no examples in Rust.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                let words = text.split("```").next().unwrap_or_default();
                *text = words.trim().replace('\n', " ");
            }
            let required = members.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                for (name, property) in properties {
                    let required = required.as_array().into_iter().flatten();
                    if !required.into_iter().any(|one| one == name) {
                        without_null(property);
                    }
                }
            }
            members.values_mut().for_each(tidy);
            one_enum(members);
            no_bare_true(members);
        }
        _ => {}
    }
}

/// Removes `null` from the allowed values of a schema.
fn without_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            schema["type"] = one.clone();
        }
    }
    let Some(Value::Array(options)) = schema.get_mut("anyOf") else {
        return;
    };
    options.retain(|option| option["type"] != "null");
    if options.len() == 1
        && let Some(Value::Object(only)) = options.pop()
        && let Some(members) = schema.as_object_mut()
    {
        members.remove("anyOf");
        for (name, value) in only {
            members.entry(name).or_insert(value);
        }
    }
}
