//! The schemas of the document: of what is sent and of what comes back.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Gathers the schemas that operations name.
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
            // A type that goes both ways has other required members each way: what is sent holds its parts within.
            sent: settings()
                .with(|settings| settings.inline_subschemas = true)
                .for_deserialize()
                .into_generator(),
            received: settings().for_serialize().into_generator(),
            named: Map::new(),
        }
    }

    /// The schema of a body that is sent to the service.
    pub(crate) fn sent<T: JsonSchema>(&mut self) -> Value {
        let schema = self.sent.subschema_for::<T>().to_value();
        let name = T::schema_name().into_owned();
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        self.named.insert(name, schema);
        reference
    }

    /// The schema of a body that the service sends.
    pub(crate) fn received<T: JsonSchema>(&mut self) -> Value {
        self.received.subschema_for::<T>().to_value()
    }

    /// All of them, by name.
    pub(crate) fn finish(mut self) -> Value {
        let mut all = self.received.take_definitions(true);
        all.extend(self.named);
        let mut all = Value::Object(all);
        tidy(&mut all);
        all
    }
}

/// A member that is left out where there is nothing is never `null`, a text goes on after the end of a line, and examples in Rust are not for
/// the readers of the document.
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
        }
        _ => {}
    }
}

/// Takes `null` from what a schema allows.
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
