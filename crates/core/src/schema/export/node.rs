//! Walks through a schema, and collects notes on the way.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::push_segment;

/// Maximum length of the list of places in a note, in bytes.
const PLACES: usize = 300;

/// The changes of a transform, with their places.
#[derive(Debug, Default)]
pub(super) struct Notes {
    sentences: Vec<String>,
    /// Each change with the places where it was made.
    places: BTreeMap<&'static str, Vec<String>>,
}

impl Notes {
    /// Note about free-form values that become strings.
    pub(super) const JSON_TEXT: &'static str = "free-form, written as JSON text";
    /// Note about omitted keywords.
    pub(super) const UNSAID: &'static str = "not in this schema, checked when called";
    /// Note about closed objects.
    pub(super) const CLOSED: &'static str = "accepts more members than can be given here";
    /// Note about objects that are shown without their members.
    pub(super) const SHORT: &'static str = "shown without its contents";

    pub(super) fn add(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// Records that a change was made at a place.
    pub(super) fn at(&mut self, change: &'static str, place: String) {
        self.places.entry(change).or_default().push(place);
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.sentences.extend(other.sentences);
        for (change, places) in other.places {
            self.places.entry(change).or_default().extend(places);
        }
    }

    /// Returns a sentence for each change.
    pub(super) fn into_sentences(self) -> Vec<String> {
        let mut sentences = self.sentences;
        for (change, places) in self.places {
            let mut list = String::new();
            let mut left = places.len();
            for place in &places {
                if list.len() + place.len() > PLACES {
                    break;
                }
                if !list.is_empty() {
                    list.push_str(", ");
                }
                list.push_str(place);
                left -= 1;
            }
            if left > 0 {
                list.push_str(&format!(", and {left} more"));
            }
            sentences.push(format!("{change}: {list}"));
        }
        sentences
    }
}

/// The schemas directly below a node, each with its place.
pub(super) fn children<'n>(node: &'n Value, place: &str) -> Vec<(String, &'n Value)> {
    let members = node["properties"].as_object().into_iter().flatten();
    let mut found: Vec<_> = members
        .map(|(name, child)| (below(place, name), child))
        .collect();
    found.extend(node.get("items").map(|items| (below(place, "*"), items)));
    let options = node["anyOf"].as_array().into_iter().flatten();
    found.extend(options.map(|option| (place.to_owned(), option)));
    found
}

/// Changes each schema directly below a node.
pub(super) fn each_child(
    node: &mut Map<String, Value>,
    place: &str,
    mut change: impl FnMut(&mut Value, &str),
) {
    let members = node.get_mut("properties").and_then(Value::as_object_mut);
    for (name, child) in members.into_iter().flatten() {
        change(child, &below(place, name));
    }
    if let Some(items) = node.get_mut("items") {
        change(items, &below(place, "*"));
    }
    let options = node.get_mut("anyOf").and_then(Value::as_array_mut);
    for option in options.into_iter().flatten() {
        change(option, place);
    }
}

/// Visits a schema and everything below it.
pub(super) fn walk(node: &Value, place: &str, visit: &mut impl FnMut(&Value, &str)) {
    visit(node, place);
    for (place, child) in children(node, place) {
        walk(child, &place, visit);
    }
}

/// The JSON pointer of a member. `*` stands for every item of a list.
pub(super) fn below(place: &str, name: &str) -> String {
    let mut place = place.to_owned();
    push_segment(&mut place, name);
    place
}

/// The place as notes name it. The root has no name.
pub(super) fn named(place: &str) -> &str {
    if place.is_empty() { "/" } else { place }
}

/// Whether a node allows this type, alone or among others.
pub(super) fn has_type(node: &Value, name: &str) -> bool {
    node["type"] == name || holds(&node["type"], name)
}

pub(super) fn holds(list: &Value, name: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|one| one == name))
}

/// Whether a node has neither a type nor options, so it accepts any value.
pub(super) fn is_open(node: &Value) -> bool {
    ["type", "anyOf", "enum"]
        .iter()
        .all(|keyword| node.get(*keyword).is_none())
}

/// The number of optional parameters, and of those with several types.
pub(super) fn counts(schema: &Value) -> (usize, usize) {
    let (mut optional, mut unions) = (0, 0);
    walk(schema, "", &mut |node, _| {
        let members = node["properties"].as_object().into_iter().flatten();
        optional += members
            .filter(|(name, _)| !holds(&node["required"], name))
            .count();
        unions += usize::from(node["type"].is_array() || node.get("anyOf").is_some());
    });
    (optional, unions)
}

/// Keeps these keywords, and records which others were removed. Texts that describe a value aren't recorded.
pub(super) fn keep(
    node: &mut Map<String, Value>,
    keywords: &[&str],
    place: &str,
    notes: &mut Notes,
) {
    node.retain(|keyword, value| {
        let keep = keywords.contains(&keyword.as_str());
        let says_nothing = matches!(keyword.as_str(), "default" | "title" | "format")
            || keyword == "additionalProperties" && value != &json!(false);
        if !keep && !says_nothing {
            notes.at(Notes::UNSAID, format!("{keyword} of {}", named(place)));
        }
        keep
    });
}

/// Turns a free-form object into a string that contains its JSON. Stead parses it when the tool is called.
pub(super) fn json_text_if_free_form(
    node: &mut Map<String, Value>,
    place: &str,
    notes: &mut Notes,
) {
    let has_members = node
        .get("properties")
        .is_some_and(|members| *members != json!({}));
    let is_object = |kind: &Value| kind == "object";
    match node.get_mut("type") {
        Some(kind) if !has_members && is_object(kind) => *kind = json!("string"),
        Some(Value::Array(kinds)) if !has_members && kinds.iter().any(is_object) => {
            kinds
                .iter_mut()
                .filter(|kind| is_object(kind))
                .for_each(|kind| *kind = json!("string"));
        }
        _ => return,
    }
    for keyword in [
        "properties",
        "additionalProperties",
        "minProperties",
        "maxProperties",
        "required",
    ] {
        node.remove(keyword);
    }
    let own = node
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let description = format!("{own} Write the object as JSON text.");
    node.insert(String::from("description"), json!(description.trim_start()));
    notes.at(Notes::JSON_TEXT, place.to_owned());
}

/// Checks what every envelope has: a description, and a name of at most `most` characters that all vendors allow.
pub(super) fn check_head(tool: &Value, place: &str, most: usize, faults: &mut Vec<String>) {
    let name = tool["name"].as_str().unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !(1..=most).contains(&name.len()) || !name.bytes().all(plain) {
        faults.push(format!(
            "{place}/name: expected 1 to {most} of a-z, A-Z, 0-9, _ and -, found {name:?}"
        ));
    }
    if !tool.get("description").is_none_or(Value::is_string) {
        faults.push(format!("{place}/description: expected a text"));
    }
}

/// Checks that an input's schema is a JSON Schema of an object, without references.
pub(super) fn check_schema(schema: Option<&Value>, place: &str, faults: &mut Vec<String>) {
    let Some(schema) = schema else {
        faults.push(format!("{place}: expected a schema"));
        return;
    };
    if schema["type"] != "object" {
        faults.push(format!("{place}: expected the schema of an object"));
    }
    if let Err(error) = jsonschema::draft202012::new(schema) {
        faults.push(format!("{place}: {error}"));
    }
    walk(schema, "", &mut |node, at| {
        for keyword in ["$ref", "$defs", "oneOf", "allOf", "not", "if"] {
            if node.get(keyword).is_some() {
                faults.push(format!("{place}{at}: not every vendor supports {keyword}"));
            }
        }
    });
}

/// Adds a fault for each keyword that a subset doesn't support.
pub(super) fn unknown_keywords(
    node: &Value,
    place: &str,
    known: &[&str],
    faults: &mut Vec<String>,
) {
    let keywords = node.as_object().into_iter().flatten();
    let unknown = keywords.filter(|(keyword, _)| !known.contains(&keyword.as_str()));
    faults.extend(unknown.map(|(keyword, _)| format!("{place}: {keyword} isn't supported")));
}
