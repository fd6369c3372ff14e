//! Copies of schemas, with all that they refer to.
//!
//! Descriptions write schemas in three dialects (discovery, OpenAPI 3.0 and 3.1) and leave objects open that their
//! products do not leave open. A copy is in one dialect (JSON Schema 2020-12), closed where it names members, and as
//! strict as the reading asks for.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use serde_json::{Map, Value, json};

use super::{Reading, resolved};

/// Copies `schema` out of `root` for the method with this id.
///
/// # Errors
/// Where it refers to nothing.
pub(super) fn copy(root: &Value, schema: &Value, method: &str, reading: Reading) -> Result<Value> {
    let mut copier = Copier {
        root,
        method,
        reading,
        names: BTreeMap::new(),
        waiting: Vec::new(),
    };
    let mut copy = copier.site(schema);
    let mut definitions = Map::new();
    while let Some(waiting) = copier.waiting.pop() {
        let pointer = &waiting.pointer;
        let target = root
            .pointer(pointer)
            .ok_or_else(|| anyhow!("a reference leads to nothing: {pointer}"))?;
        let target = copier.schema(target, waiting.role);
        definitions.insert(waiting.name, target);
    }
    if let Value::Object(members) = &mut copy {
        members.insert(String::from("$defs"), Value::Object(definitions));
    }
    Ok(copy)
}

/// What a schema is to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// It describes the value, or is an alternative of such a one.
    Whole,
    /// It describes the value together with others (`allOf`), which name further members.
    Part,
}

/// Copies schemas and remembers what they refer to.
struct Copier<'a> {
    root: &'a Value,
    method: &'a str,
    reading: Reading,
    /// Pointers with their roles, and the names of their copies.
    names: BTreeMap<(String, Role), String>,
    waiting: Vec<Waiting>,
}

/// A schema that is referred to and not yet copied.
struct Waiting {
    pointer: String,
    role: Role,
    name: String,
}

impl Copier<'_> {
    /// A schema that is the only one for a value: here, and not in one of its parts, it is closed.
    fn site(&mut self, schema: &Value) -> Value {
        if self.reading == Reading::Request && schema["readOnly"] == true {
            return Value::Bool(false);
        }
        let mut copy = self.schema(schema, Role::Whole);
        if let Value::Object(members) = &mut copy
            && names_members(self.root, schema, 0)
            && !is_only_choice(resolved(self.root, schema))
            && !members.contains_key("additionalProperties")
        {
            members.insert(String::from("unevaluatedProperties"), false.into());
        }
        copy
    }

    fn schema(&mut self, schema: &Value, role: Role) -> Value {
        let Value::Object(given) = schema else {
            return schema.clone();
        };
        let mut copy = Map::new();
        for (name, value) in given {
            match (name.as_str(), value) {
                ("$ref", Value::String(reference)) => {
                    let pointer = reference.trim_start_matches('#');
                    copy.insert(name.clone(), self.definition(pointer, role).into());
                }
                ("properties" | "patternProperties", Value::Object(members)) => {
                    let members = members
                        .iter()
                        .map(|(name, member)| (name.clone(), self.site(member)))
                        .collect();
                    copy.insert(name.clone(), Value::Object(members));
                }
                // Descriptions close a single part, which taken at its word would exclude the members of the others.
                ("additionalProperties", Value::Bool(false)) if role == Role::Part => {}
                ("items" | "additionalProperties" | "propertyNames", value) => {
                    copy.insert(name.clone(), self.site(value));
                }
                ("prefixItems", Value::Array(items)) => {
                    let items = items.iter().map(|item| self.site(item)).collect();
                    copy.insert(name.clone(), items);
                }
                ("allOf", Value::Array(parts)) => {
                    let parts = parts
                        .iter()
                        .map(|part| self.schema(part, Role::Part))
                        .collect();
                    copy.insert(name.clone(), parts);
                }
                ("anyOf" | "oneOf", Value::Array(parts)) => {
                    // Alternatives without members next to them are closed each; others share those members.
                    let only = role == Role::Whole && is_only_choice(schema);
                    let parts = parts
                        .iter()
                        .map(|part| match only {
                            true => self.site(part),
                            false => self.schema(part, role),
                        })
                        .collect();
                    // Without what is required, several alternatives may fit.
                    let excerpt = self.reading == Reading::Excerpt && name == "oneOf";
                    let name = if excerpt && !given.contains_key("anyOf") {
                        "anyOf"
                    } else {
                        name
                    };
                    copy.insert(name.to_owned(), parts);
                }
                ("required", Value::Array(_)) if self.reading == Reading::Excerpt => {}
                ("type", value) if value == "any" => {}
                (
                    "type" | "required" | "enum" | "const" | "format" | "pattern" | "minimum"
                    | "maximum" | "multipleOf" | "minLength" | "maxLength" | "minItems"
                    | "maxItems" | "uniqueItems" | "minProperties" | "maxProperties",
                    value,
                ) => {
                    copy.insert(name.clone(), value.clone());
                }
                ("exclusiveMinimum" | "exclusiveMaximum", Value::Number(_)) => {
                    copy.insert(name.clone(), value.clone());
                }
                _ => {}
            }
        }
        self.require_annotated(given, &mut copy);
        widths(&mut copy);
        exclusive_limits(given, &mut copy);
        if given.get("nullable") == Some(&Value::Bool(true)) {
            return json!({ "anyOf": [copy, { "type": "null" }] });
        }
        Value::Object(copy)
    }

    /// The reference to the copy of what `pointer` leads to.
    fn definition(&mut self, pointer: &str, role: Role) -> String {
        let next = self.names.len().to_string();
        let key = (pointer.to_owned(), role);
        let name = self.names.entry(key).or_insert_with(|| {
            self.waiting.push(Waiting {
                pointer: pointer.to_owned(),
                role,
                name: next.clone(),
            });
            next
        });
        format!("#/$defs/{name}")
    }

    /// Discovery documents note at a member which methods require it (`annotations.required`).
    fn require_annotated(&self, given: &Map<String, Value>, copy: &mut Map<String, Value>) {
        if self.reading != Reading::Request {
            return;
        }
        let required: Vec<Value> = given
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter(|(_, member)| {
                let methods = member["annotations"]["required"].as_array();
                methods.is_some_and(|methods| methods.iter().any(|id| id == self.method))
            })
            .map(|(name, _)| name.clone().into())
            .collect();
        if !required.is_empty() {
            copy.insert(String::from("required"), required.into());
        }
    }
}

/// Whole numbers keep within the width that their format names.
fn widths(copy: &mut Map<String, Value>) {
    if copy.get("type") != Some(&json!("integer")) {
        return;
    }
    let (least, most) = match copy.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        _ => return,
    };
    copy.entry("minimum").or_insert(least.into());
    copy.entry("maximum").or_insert(most.into());
}

/// OpenAPI 3.0 says with a flag that a limit itself is out; OpenAPI 3.1 gives the limit.
fn exclusive_limits(given: &Map<String, Value>, copy: &mut Map<String, Value>) {
    for (flag, limit) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if given.get(flag) == Some(&Value::Bool(true))
            && let Some(value) = copy.remove(limit)
        {
            copy.insert(flag.to_owned(), value);
        }
    }
}

/// Whether a schema is alternatives and names no members next to them.
fn is_only_choice(schema: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| schema.get(*name).is_some());
    has(&["anyOf", "oneOf"]) && !has(&["$ref", "allOf", "properties", "additionalProperties"])
}

/// Deeper than any description nests, so that circles end.
const DEEPEST: usize = 16;

/// Whether every object that the schema describes has its members named, so that another one is wrong.
fn names_members(root: &Value, schema: &Value, depth: usize) -> bool {
    let schema = resolved(root, schema);
    if depth > DEEPEST || !schema.is_object() {
        return false;
    }
    let parts = |name: &str| {
        schema[name]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    };
    let named = schema["properties"]
        .as_object()
        .is_some_and(|members| !members.is_empty())
        || schema.get("additionalProperties").is_some()
        || parts("allOf")
            .iter()
            .any(|part| names_members(root, part, depth + 1));
    let alternatives: Vec<&Value> = parts("anyOf").iter().chain(parts("oneOf")).collect();
    if alternatives.is_empty() {
        return named;
    }
    let mut objects = alternatives
        .into_iter()
        .filter(|part| may_be_object(root, part))
        .peekable();
    named || (objects.peek().is_some() && objects.all(|part| names_members(root, part, depth + 1)))
}

fn may_be_object(root: &Value, schema: &Value) -> bool {
    match &resolved(root, schema)["type"] {
        Value::String(kind) => kind == "object",
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        _ => resolved(root, schema)["enum"].is_null() && resolved(root, schema)["const"].is_null(),
    }
}
