//! Checks a value against a schema of a description.
//!
//! The validator knows one dialect and takes schemas literally. So `copy.rs` rewrites each schema to say what its
//! description means.

mod copy;
mod messages;

use anyhow::{Result, anyhow};
use jsonschema::{Draft, Validator};
use serde_json::Value;

use crate::finding::Finding;

/// How strict a schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A request, without members that are read-only.
    Request,
    /// A complete response.
    Response,
    /// An excerpt of a response. Members may be missing, but none may be wrong.
    Excerpt,
}

/// A compiled schema.
pub(crate) struct Compiled {
    validator: Validator,
    /// Whether it says nothing about a value except its type.
    open: bool,
}

impl Compiled {
    /// Copies `schema` from `root`. `method` is the ID of the method that uses it.
    ///
    /// # Errors
    /// If a reference leads nowhere, or it isn't a schema.
    pub(crate) fn new(
        root: &Value,
        schema: &Value,
        method: &str,
        reading: Reading,
    ) -> Result<Self> {
        let copy = copy::copy(root, schema, method, reading)?;
        let mut options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true);
        for (name, check) in messages::FORMATS {
            options = options.with_format(*name, *check);
        }
        let validator = options.build(&copy).map_err(|error| anyhow!("{error}"))?;
        Ok(Self {
            validator,
            open: says_nothing(root, schema),
        })
    }

    /// Whether the description doesn't say what's right.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The faults of `value`. Their places begin with `place`.
    pub(crate) fn findings(&self, value: &Value, place: &str) -> Vec<Finding> {
        messages::findings(self.validator.iter_errors(value), place)
    }
}

/// Whether a schema allows any object, or any value.
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

/// Follows `$ref` within `root`. Returns a reference unchanged if it leads nowhere.
pub(crate) fn resolved<'a>(root: &'a Value, mut value: &'a Value) -> &'a Value {
    // Descriptions don't nest deeper than this, so a cycle ends.
    for _ in 0..32 {
        let next = value
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| root.pointer(reference.strip_prefix('#')?));
        match next {
            Some(next) => value = next,
            None => break,
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn references_are_followed_and_circles_end() {
        let root = json!({"a": {"$ref": "#/b"}, "b": {"type": "string"}, "c": {"$ref": "#/c"}});
        assert_eq!(resolved(&root, &root["a"]), &json!({"type": "string"}));
        assert_eq!(resolved(&root, &root["c"]), &json!({"$ref": "#/c"}));
    }

    #[test]
    fn valid_values_pass() {
        let value = json!({
            "name": "a", "size": 3, "bytes": "9000000000", "colour": "RED",
            "inner": {"name": "b"}, "anything": [1, {}], "labels": {"x": "y"}
        });
        assert!(wrong(&boxed(), &value, Reading::Request).is_empty());
    }

    #[test]
    fn planted_faults_are_found_at_their_places() {
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
                "body/colour: \"GREEN\" is not one of \"RED\", \"BLUE\"",
                "body/inner/widht: there is no such member",
                "body/labels/x: expected string, found 1",
                "body/size: 3000000000 is greater than the maximum of 2147483647",
            ]
        );
    }

    #[test]
    fn requests_have_required_members_and_no_read_only_ones() {
        let planted = json!({"id": "b1"});
        assert_eq!(
            wrong(&boxed(), &planted, Reading::Request),
            ["body/id: is only for reading", "body/name: is missing"]
        );
        assert!(wrong(&boxed(), &planted, Reading::Response).is_empty());
    }

    #[test]
    fn an_excerpt_may_omit_members_but_not_add_any() {
        let schema = json!({"oneOf": [
            {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
        ]});
        assert!(wrong(&schema, &json!({"a": "x"}), Reading::Excerpt).is_empty());
        assert!(wrong(&schema, &json!({}), Reading::Excerpt).is_empty());
        assert_eq!(wrong(&schema, &json!({"c": 1}), Reading::Excerpt).len(), 1);
        assert_eq!(wrong(&schema, &json!({}), Reading::Response).len(), 1);
    }

    #[test]
    fn parts_of_a_whole_are_closed_together() {
        let schema = json!({"allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": false}
        ]});
        assert!(wrong(&schema, &json!({"a": "x", "b": "y"}), Reading::Response).is_empty());
        assert_eq!(
            wrong(&schema, &json!({"a": "x", "c": "y"}), Reading::Response),
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
    fn schemas_without_constraints_are_open() {
        for (schema, open) in [
            (json!({"type": "object"}), true),
            (json!({}), true),
            (json!({"type": "string"}), false),
            (boxed(), false),
        ] {
            let root = json!({"schemas": {"Box": {"type": "object", "properties": {"a": {}}}}});
            let compiled = Compiled::new(&root, &schema, "m", Reading::Response).unwrap();
            assert_eq!(compiled.is_open(), open, "{schema}");
        }
        assert!(
            Compiled::new(&json!({}), &json!({"$ref": "#/x"}), "m", Reading::Response).is_err()
        );
    }
}
