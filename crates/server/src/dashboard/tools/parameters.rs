//! The members of a schema for people, a line each.

use serde::Serialize;
use serde_json::Value;

/// A member of an object.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Parameter {
    name: String,
    kind: String,
    required: bool,
    description: String,
}

/// The members of an object's schema in its order, required ones first.
pub(super) fn parameters(schema: &Value) -> Vec<Parameter> {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|one| one == name));
    let members = schema["properties"].as_object().into_iter().flatten();
    let mut parameters: Vec<Parameter> = members
        .map(|(name, member)| Parameter {
            name: name.clone(),
            kind: kind(member, schema),
            required: is_required(name),
            description: member["description"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        })
        .collect();
    parameters.sort_by_key(|parameter| !parameter.required);
    parameters
}

/// The type of a value: a type, a list of a type, its options, or several of these.
fn kind(member: &Value, schema: &Value) -> String {
    if let Some(name) = member["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        return schema
            .pointer(name)
            .map_or_else(String::new, |found| kind(found, schema));
    }
    if let Some(words) = member["enum"].as_array() {
        let words = words.iter().map(|word| {
            word.as_str()
                .map_or_else(|| word.to_string(), str::to_owned)
        });
        return words.collect::<Vec<_>>().join(" | ");
    }
    if let Some(value) = member.get("const") {
        return value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(kinds) = member[several].as_array() {
            let mut kinds: Vec<String> = kinds.iter().map(|one| kind(one, schema)).collect();
            kinds.dedup();
            return kinds.join(" | ");
        }
    }
    match &member["type"] {
        Value::String(name) if name == "array" => {
            let items = kind(&member["items"], schema);
            format!("list of {}", if items.is_empty() { "any" } else { &items })
        }
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" | "),
        _ => String::from("any"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_member_is_a_line_with_its_type() {
        let schema = json!({
            "type": "object", "required": ["z"],
            "$defs": { "Color": { "enum": ["red", "blue"] } },
            "properties": {
                "a": { "type": "array", "items": { "type": "string" }, "description": "Some." },
                "b": { "$ref": "#/$defs/Color" },
                "c": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
                "z": {},
            },
        });
        let found = parameters(&schema);
        let lines: Vec<_> = found
            .iter()
            .map(|one| (one.name.as_str(), one.kind.as_str(), one.required))
            .collect();
        assert_eq!(
            lines,
            [
                ("z", "any", true),
                ("a", "list of string", false),
                ("b", "red | blue", false),
                ("c", "integer | null", false),
            ]
        );
        assert_eq!(found[1].description, "Some.");
    }
}
