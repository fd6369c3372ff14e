//! Field lists, with which Google's APIs shorten a response (`fields=items(id,start/date)`).

use serde_json::Value;

use crate::description::Description;

/// Returns the faults of a field list for a response with this schema.
pub(super) fn of_response(description: &Description, schema: &Value, list: &str) -> Vec<String> {
    let mut reader = Reader {
        description,
        rest: list,
        wrong: Vec::new(),
    };
    reader.list(&[schema]);
    if !reader.rest.is_empty() {
        reader
            .wrong
            .push(format!("cannot be read from {:?} on", reader.rest));
    }
    reader.wrong
}

/// Returns the faults of a plain list whose items must be in `known`.
pub(super) fn listed(known: &[String], list: &str) -> Vec<String> {
    list.split(',')
        .filter(|item| *item != "*" && !known.iter().any(|known| known == top(item)))
        .map(|item| {
            format!(
                "{item:?} is not a field; expected one of: {}",
                known.join(", ")
            )
        })
        .collect()
}

/// The first step of a path. Steps are separated by dots or slashes.
fn top(path: &str) -> &str {
    path.split(['.', '/']).next().unwrap_or_default()
}

struct Reader<'a> {
    description: &'a Description,
    rest: &'a str,
    wrong: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Reads items separated by commas. Each name may be a member of any of `schemas`.
    fn list(&mut self, schemas: &[&'a Value]) {
        loop {
            self.item(schemas);
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None => return,
            }
        }
    }

    fn item(&mut self, schemas: &[&'a Value]) {
        let end = self
            .rest
            .find(['/', '.', '(', ')', ','])
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let below = self.below(schemas, name);
        if let Some(rest) = self.rest.strip_prefix(['/', '.']) {
            self.rest = rest;
            self.item(&below);
        } else if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            self.list(&below);
            match self.rest.strip_prefix(')') {
                Some(rest) => self.rest = rest,
                None => self.wrong.push(String::from("a parenthesis is not closed")),
            }
        }
    }

    /// The schemas of the member `name`. Empty if nothing is known about it.
    fn below(&mut self, schemas: &[&'a Value], name: &str) -> Vec<&'a Value> {
        if schemas.is_empty() {
            return Vec::new();
        }
        let mut below = Vec::new();
        let mut free = false;
        for schema in schemas {
            let mut schema = self.description.resolved(schema);
            while let Some(items) = schema.get("items") {
                schema = self.description.resolved(items);
            }
            let members = schema["properties"].as_object();
            match (members, schema.get("additionalProperties")) {
                (Some(members), _) if name == "*" => below.extend(members.values()),
                (Some(members), None) => below.extend(members.get(name)),
                (_, Some(value)) => below.push(value),
                // The schema allows any value.
                (None, None) => free = schema["type"] == "any",
            }
        }
        if below.is_empty() && !free {
            self.wrong
                .push(format!("{name:?} is not a field of the response"));
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(list: &str) -> Vec<String> {
        let document = json!({
            "discoveryVersion": "v1", "title": "Boxes", "version": "v1",
            "schemas": {
                "Boxes": {"type": "object", "properties": {
                    "next": {"type": "string"},
                    "boxes": {"type": "array", "items": {"$ref": "Box"}}
                }},
                "Box": {"type": "object", "properties": {
                    "id": {"type": "string"},
                    "size": {"type": "object", "properties": {"width": {"type": "number"}}},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}}
                }}
            }
        });
        let description = Description::of(document).unwrap();
        of_response(&description, &json!({"$ref": "#/schemas/Boxes"}), list)
    }

    #[test]
    fn known_fields_pass() {
        for list in [
            "*",
            "next",
            "next,boxes(id,size/width)",
            "boxes/size(width)",
            "boxes/*/width",
            "next,boxes.size(width)",
            "boxes(labels/any,id)",
        ] {
            assert!(wrong(list).is_empty(), "{list}: {:?}", wrong(list));
        }
    }

    #[test]
    fn unknown_fields_and_broken_lists_are_reported() {
        assert_eq!(wrong("nxt"), ["\"nxt\" is not a field of the response"]);
        assert_eq!(
            wrong("boxes(id,widht)"),
            ["\"widht\" is not a field of the response"]
        );
        assert_eq!(wrong("boxes(id"), ["a parenthesis is not closed"]);
        assert_eq!(wrong("next)"), ["cannot be read from \")\" on"]);
        assert_eq!(wrong("").len(), 1);
    }

    #[test]
    fn listed_fields_are_compared() {
        let known = ["names", "photos"].map(String::from);
        assert!(listed(&known, "names,photos").is_empty());
        assert_eq!(
            listed(&known, "names,nmes"),
            ["\"nmes\" is not a field; expected one of: names, photos"]
        );
    }
}
