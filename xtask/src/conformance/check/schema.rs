//! A value against a schema of a description.
//!
//! Descriptions write schemas in three dialects (discovery, OpenAPI 3.0 and 3.1) and leave objects open that their
//! products do not leave open. So a schema is copied out of its description first, with all that it refers to: in one
//! dialect, closed where it names members, and as strict as the reading asks for.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use super::{Finding, words};
use crate::conformance::description::resolved;

/// How a schema is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// What is sent: no member that is only for reading.
    Request,
    /// A whole answer.
    Answer,
    /// An answer that shows what matters to it: members may be missing, but none may be wrong.
    Excerpt,
}

/// A schema, ready.
pub(crate) struct Compiled {
    validator: Validator,
    /// Says nothing about a value beyond its type.
    open: bool,
}

impl Compiled {
    /// Copies `schema` out of `root` for the method with this id.
    ///
    /// # Errors
    /// Where it refers to nothing, or is no schema.
    pub(crate) fn new(
        root: &Value,
        schema: &Value,
        method: &str,
        reading: Reading,
    ) -> Result<Self> {
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
        let mut options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true);
        for (name, fits) in words::FORMATS {
            options = options.with_format(*name, *fits);
        }
        let validator = options.build(&copy).map_err(|error| anyhow!("{error}"))?;
        Ok(Self {
            validator,
            open: says_nothing(root, schema),
        })
    }

    /// Whether the description leaves open what is right.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// What is wrong with `value`, below `place`.
    pub(crate) fn findings(&self, value: &Value, place: &str) -> Vec<Finding> {
        words::findings(self.validator.iter_errors(value), place)
    }
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
    /// A schema that stands alone for a value: here, and not in one of its parts, it is closed.
    fn site(&mut self, schema: &Value) -> Value {
        if self.reading == Reading::Request && schema["readOnly"] == true {
            return Value::Bool(false);
        }
        let mut copy = self.schema(schema, Role::Whole);
        if let Value::Object(members) = &mut copy
            && names_members(self.root, schema, 0)
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
                // Descriptions close a part alone, which taken at its word would exclude the members of the others.
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
                    let parts = parts.iter().map(|part| self.schema(part, role)).collect();
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

/// Whether a schema takes any object, or anything.
fn says_nothing(root: &Value, schema: &Value) -> bool {
    let schema = resolved(root, schema);
    let silent = [
        "properties",
        "additionalProperties",
        "anyOf",
        "oneOf",
        "allOf",
        "items",
        "enum",
    ]
    .iter()
    .all(|name| schema.get(*name).is_none());
    silent && matches!(schema["type"].as_str(), None | Some("object" | "any"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(schema: &Value, value: &Value, reading: Reading) -> Vec<String> {
        let root = json!({
            "schemas": {
                "Box": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "readOnly": true},
                        "size": {"type": "integer", "format": "int32"},
                        "bytes": {"type": "string", "format": "int64"},
                        "name": {"type": "string", "annotations": {"required": ["boxes.create"]}},
                        "colour": {"type": "string", "enum": ["RED", "BLUE"]},
                        "inner": {"$ref": "#/schemas/Box"},
                        "anything": {"type": "any"},
                        "labels": {"type": "object", "additionalProperties": {"type": "string"}}
                    }
                }
            }
        });
        Compiled::new(&root, schema, "boxes.create", reading)
            .unwrap()
            .findings(value, "body")
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn boxed() -> Value {
        json!({"$ref": "#/schemas/Box"})
    }

    #[test]
    fn what_is_right_passes() {
        let value = json!({
            "name": "a", "size": 3, "bytes": "9000000000", "colour": "RED",
            "inner": {"name": "b"}, "anything": [1, {}], "labels": {"x": "y"}
        });
        assert!(wrong(&boxed(), &value, Reading::Request).is_empty());
    }

    #[test]
    fn planted_faults_are_found_where_they_are() {
        let planted = json!({
            "name": "a",
            "colour": "GREEN",
            "size": 3_000_000_000_u64,
            "bytes": "1.5",
            "inner": {"name": "b", "widht": 1},
            "labels": {"x": 1}
        });
        let found = wrong(&boxed(), &planted, Reading::Request);
        assert_eq!(
            found,
            [
                "body/bytes: \"1.5\" is not of the format int64",
                "body/colour: \"GREEN\" is none of \"RED\", \"BLUE\"",
                "body/inner/widht: there is no such member",
                "body/labels/x: is no string: 1",
                "body/size: 3000000000 is greater than the maximum of 2147483647",
            ]
        );
    }

    #[test]
    fn requests_hold_what_is_required_and_nothing_that_is_only_read() {
        let planted = json!({"id": "b1"});
        assert_eq!(
            wrong(&boxed(), &planted, Reading::Request),
            ["body/id: is only for reading", "body/name: is missing"]
        );
        assert!(wrong(&boxed(), &planted, Reading::Answer).is_empty());
    }

    #[test]
    fn an_excerpt_may_leave_out_but_not_invent() {
        let schema = json!({"oneOf": [
            {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
        ]});
        assert!(wrong(&schema, &json!({"a": "x"}), Reading::Excerpt).is_empty());
        assert!(wrong(&schema, &json!({}), Reading::Excerpt).is_empty());
        assert_eq!(wrong(&schema, &json!({"c": 1}), Reading::Excerpt).len(), 1);
        assert_eq!(wrong(&schema, &json!({}), Reading::Answer).len(), 1);
    }

    #[test]
    fn parts_of_a_whole_are_closed_together() {
        let schema = json!({"allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": false}
        ]});
        assert!(wrong(&schema, &json!({"a": "x", "b": "y"}), Reading::Answer).is_empty());
        assert_eq!(
            wrong(&schema, &json!({"a": "x", "c": "y"}), Reading::Answer),
            ["body/c: there is no such member"]
        );
    }

    #[test]
    fn the_other_dialect_is_understood() {
        let schema = json!({"type": "object", "properties": {
            "link": {"type": "string", "nullable": true},
            "share": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
            "free": {"type": "object", "properties": {}}
        }});
        let right = json!({"link": null, "share": 0.5, "free": {"x": 1}});
        assert!(wrong(&schema, &right, Reading::Request).is_empty());
        assert_eq!(
            wrong(&schema, &json!({"share": 0}), Reading::Request).len(),
            1
        );
        assert_eq!(
            wrong(&schema, &json!({"share": null}), Reading::Request).len(),
            1
        );
    }

    #[test]
    fn what_says_nothing_is_known() {
        for (schema, open) in [
            (json!({"type": "object"}), true),
            (json!({}), true),
            (json!({"type": "string"}), false),
            (boxed(), false),
        ] {
            let root = json!({"schemas": {"Box": {"type": "object", "properties": {"a": {}}}}});
            let compiled = Compiled::new(&root, &schema, "m", Reading::Answer).unwrap();
            assert_eq!(compiled.is_open(), open, "{schema}");
        }
        assert!(Compiled::new(&json!({}), &json!({"$ref": "#/x"}), "m", Reading::Answer).is_err());
    }
}
