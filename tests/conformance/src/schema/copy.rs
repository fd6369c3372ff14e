//! Copies schemas and everything that they refer to.
//!
//! Descriptions use three dialects (discovery, OpenAPI 3.0 and 3.1), and leave objects open although the products
//! reject unknown members. A copy uses one dialect (JSON Schema 2020-12), closes every object that names its members,
//! and is as strict as the reading requires.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use serde_json::{Map, Value, json};

use super::{Reading, resolved};

/// Copies `schema` from `root`. `method` is the ID of the method that uses it.
///
/// # Errors
/// If a reference leads nowhere.
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

/// How a schema relates to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// It describes the whole value, or is one of its alternatives.
    Whole,
    /// It describes the value together with other schemas (`allOf`), which name more members.
    Part,
}

/// Copies schemas and remembers their references.
struct Copier<'a> {
    root: &'a Value,
    method: &'a str,
    reading: Reading,
    /// The names of the copies, by pointer and role.
    names: BTreeMap<(String, Role), String>,
    waiting: Vec<Waiting>,
}

/// A schema that still has to be copied.
struct Waiting {
    pointer: String,
    role: Role,
    name: String,
}

impl Copier<'_> {
    /// Copies the only schema of a value, and closes it here and not in one of its parts.
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
                // A description may close one part. Taken literally, that would exclude the members of the other parts.
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
                    // Close each alternative if the schema has no members of its own. Otherwise they share those.
                    let only = role == Role::Whole && is_only_choice(schema);
                    let parts = parts
                        .iter()
                        .map(|part| match only {
                            true => self.site(part),
                            false => self.schema(part, role),
                        })
                        .collect();
                    // An excerpt may lack required members, so several alternatives may fit.
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

    /// The reference to the copy of the schema at `pointer`.
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

    /// Discovery documents list the methods that require a member (`annotations.required`).
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

/// Adds the limits of an integer format such as `int32`.
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

/// In OpenAPI 3.0, a flag makes a limit exclusive. In OpenAPI 3.1, the exclusive limit is a number of its own.
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

/// Whether a schema is only a choice, without members of its own.
fn is_only_choice(schema: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| schema.get(*name).is_some());
    has(&["anyOf", "oneOf"]) && !has(&["$ref", "allOf", "properties", "additionalProperties"])
}

/// Descriptions don't nest deeper than this, so cycles end here.
const DEEPEST: usize = 16;

/// Whether the schema names the members of every object that it describes, so that any other member is wrong.
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
