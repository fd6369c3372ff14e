//! Examples of bodies: the types' own, or examples made from the types' members.

use serde_json::{Map, Value, json};

/// Adds an example to every JSON or form body whose type has one.
pub(crate) fn add(paths: &mut Map<String, Value>, schemas: &Value) {
    let operations = paths.values_mut().filter_map(Value::as_object_mut);
    for operation in operations.flat_map(Map::values_mut) {
        let Some(operation) = operation.as_object_mut() else {
            continue;
        };
        for (name, part) in operation {
            match (name.as_str(), part) {
                ("requestBody", body) => add_to(body, schemas),
                ("responses", Value::Object(responses)) => {
                    let done = responses
                        .iter_mut()
                        .filter(|(status, _)| status.starts_with('2'));
                    done.for_each(|(_, response)| add_to(response, schemas));
                }
                _ => {}
            }
        }
    }
}

fn add_to(part: &mut Value, schemas: &Value) {
    let contents = part.get_mut("content").and_then(Value::as_object_mut);
    for content in contents.into_iter().flat_map(Map::values_mut) {
        if let Some(example) = of(&content["schema"], schemas) {
            content["example"] = example;
        }
    }
}

/// The example of a schema: its own, or one made from its required members, its items, or its first option.
pub(crate) fn of(schema: &Value, schemas: &Value) -> Option<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return of(schemas.get(reference.rsplit('/').next()?)?, schemas);
    }
    if let Some(example) = schema["examples"].get(0) {
        return Some(example.clone());
    }
    if let Some(first) = schema["anyOf"].get(0) {
        return of(first, schemas);
    }
    if let Some(items) = schema.get("items") {
        return Some(json!([of(items, schemas)?]));
    }
    let members = schema["properties"].as_object()?;
    let required = schema["required"].as_array()?.iter();
    let named = required.filter_map(Value::as_str).map(|name| {
        let example = of(members.get(name)?, schemas)?;
        Some((name.to_owned(), example))
    });
    named.collect::<Option<Map<_, _>>>().map(Value::Object)
}
