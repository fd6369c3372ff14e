//! Google's discovery documents (Google API Discovery Service, "RestDescription").

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::{
    method::{Body, Mask, Method, Parameter, Place, ResponseSchema},
    template::Template,
};

/// Returns the API's name, its methods, and the document that references point into.
pub(super) fn read(mut document: Value) -> Result<(String, Vec<Method>, Value)> {
    let text = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
    let name = format!("{} {}", text("title"), text("version"));
    let base = format!("/{}", text("servicePath"));
    let common = parameters(&document["parameters"]);
    let mut methods = Vec::new();
    collect(&document, &base, &common, &mut methods)?;
    let schemas = document["schemas"].take();
    Ok((name, methods, json!({ "schemas": point(schemas) })))
}

/// Collects the methods of a resource and of its sub-resources.
fn collect(
    resource: &Value,
    base: &str,
    common: &[(String, Value)],
    methods: &mut Vec<Method>,
) -> Result<()> {
    for (_, method) in members(&resource["methods"]) {
        let read = read_method(method, base, common)?;
        let upload = &method["mediaUpload"]["protocols"]["simple"]["path"];
        if let Some(path) = upload.as_str() {
            // An upload's body has two parts, and the schema describes the first. The check reads neither.
            methods.push(Method {
                path: Template::parse(path, true)?,
                body: None,
                ..read_method(method, base, common)?
            });
        }
        methods.push(read);
    }
    for (_, below) in members(&resource["resources"]) {
        collect(below, base, common, methods)?;
    }
    Ok(())
}

fn read_method(method: &Value, base: &str, common: &[(String, Value)]) -> Result<Method> {
    let text = |name: &str| {
        method[name]
            .as_str()
            .with_context(|| format!("a method has no {name}"))
    };
    let shape = |name: &str| method[name]["$ref"].as_str().map(reference);
    let mut own = parameters(&method["parameters"]);
    own.extend(common.iter().cloned());
    Ok(Method {
        id: text("id")?.to_owned(),
        verb: text("httpMethod")?.to_owned(),
        path: Template::parse(&format!("{base}{}", text("path")?), true)?,
        parameters: own
            .iter()
            .map(|(name, known)| parameter(name, known))
            .collect(),
        body: shape("request").map(|schema| Body {
            schema: Some(schema),
            required: false,
        }),
        scopes: method["scopes"].as_array().map(|scopes| texts(scopes)),
        responses: vec![(
            String::from("2XX"),
            shape("response").map_or(ResponseSchema::Empty, ResponseSchema::Schema),
        )],
    })
}

fn parameter(name: &str, known: &Value) -> Parameter {
    let words = known["description"].as_str().unwrap_or_default();
    Parameter {
        name: name.to_owned(),
        place: match known["location"].as_str() {
            Some("path") => Place::Path,
            _ => Place::Query,
        },
        // Newer documents say it only in the description. A name with a dot is a member of a message, and the whole
        // message may be absent.
        required: known["required"] == true
            || (words.starts_with("Required.") && !name.contains('.')),
        repeated: known["repeated"] == true,
        schema: schema_of_text(known),
        mask: mask(name, known, words),
    }
}

/// The schema of one value. Discovery documents write a parameter's limits as texts; here they're numbers.
fn schema_of_text(known: &Value) -> Value {
    let mut schema = Map::new();
    for name in ["type", "format", "enum", "pattern"] {
        if let Some(value) = known.get(name) {
            schema.insert(name.to_owned(), value.clone());
        }
    }
    for name in ["minimum", "maximum"] {
        let limit = known[name]
            .as_str()
            .and_then(|text| text.parse::<i64>().ok());
        if let Some(limit) = limit {
            schema.insert(name.to_owned(), limit.into());
        }
    }
    Value::Object(schema)
}

fn mask(name: &str, known: &Value, words: &str) -> Option<Mask> {
    if name == "fields" {
        return Some(Mask::OfResponse);
    }
    if known["format"] != "google-fieldmask" {
        return None;
    }
    let listed = ["Valid values are:", "Valid fields are:"]
        .iter()
        .find_map(|start| words.split_once(start))
        .map(|(_, list)| list_items(list));
    Some(listed.map_or(Mask::Unlisted, Mask::Listed))
}

/// The items of a list such as ` * one * two`.
fn list_items(list: &str) -> Vec<String> {
    let mut words = list.split_whitespace();
    let mut items = Vec::new();
    while let (Some("*"), Some(item)) = (words.next(), words.next()) {
        items.push(item.to_owned());
    }
    items
}

/// Turns references by name into references by pointer.
fn point(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| match (name.as_str(), value.as_str()) {
                    ("$ref", Some(target)) => (name, pointer(target).into()),
                    _ => (name, point(value)),
                })
                .collect(),
        ),
        Value::Array(items) => items.into_iter().map(point).collect(),
        other => other,
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": pointer(name) })
}

fn pointer(name: &str) -> String {
    format!("#/schemas/{name}")
}

fn parameters(list: &Value) -> Vec<(String, Value)> {
    members(list)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn texts(values: &[Value]) -> Vec<String> {
    values
        .iter()
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_words_are_read() {
        assert_eq!(list_items(" * names * photos"), ["names", "photos"]);
        assert_eq!(list_items(" * names and more"), ["names"]);
        assert!(list_items("").is_empty());
    }

    #[test]
    fn limits_become_numbers() {
        let known =
            json!({"type": "integer", "minimum": "1", "maximum": "250", "description": "x"});
        assert_eq!(
            schema_of_text(&known),
            json!({"type": "integer", "minimum": 1, "maximum": 250})
        );
    }
}
