//! How much of a tool's schema a model gets.

use serde_json::{Map, Value, json};

use super::{
    super::{
        InputSchema,
        normalize::{BRIEF_MARK, OBVIOUS_MARK, without_marks},
    },
    node::{Notes, below, each_child, has_type, holds},
};

/// How much of a schema is shown, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// Names and types. Required parameters also have a one-sentence description.
    Compact,
    /// Everything that helps to make a call. [Marked](BRIEF_MARK) structures are replaced by a text.
    Brief,
    /// Everything.
    Whole,
}

/// Description and schema of a tool at this depth.
pub(super) fn of(input: &InputSchema, depth: Depth, notes: &mut Notes) -> (String, Value) {
    let mut schema = input.for_models().clone();
    if depth < Depth::Whole {
        brief(&mut schema, "", notes);
    }
    without_marks(&mut schema);
    without_noise(&mut schema, "");
    if depth > Depth::Compact {
        return (input.description().to_owned(), schema);
    }
    compact(&mut schema, notes);
    (first_sentence(input.description()).to_owned(), schema)
}

/// Replaces each marked structure with its text.
fn brief(schema: &mut Value, place: &str, notes: &mut Notes) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::String(own)) = node.remove(OBVIOUS_MARK) {
        node.insert(String::from("description"), json!(own));
    }
    if let Some(text) = node.remove(BRIEF_MARK) {
        node.retain(|keyword, _| keyword == "type");
        node.insert(String::from("description"), text);
        notes.at(Notes::SHORT, place.to_owned());
    }
    each_child(node, place, |child, place| brief(child, place, notes));
}

/// Removes what carries no information: empty descriptions, and the statement that other members are allowed.
fn without_noise(schema: &mut Value, place: &str) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if node.get("additionalProperties") == Some(&json!(true)) {
        node.remove("additionalProperties");
    }
    if node.get("description") == Some(&json!("")) {
        node.remove("description");
    }
    each_child(node, place, without_noise);
}

/// Keeps names, types and required parameters.
fn compact(schema: &mut Value, notes: &mut Notes) {
    let required = schema["required"].clone();
    if let Some(node) = schema.as_object_mut() {
        node.remove("additionalProperties");
    }
    let parameters = schema["properties"].as_object_mut();
    for (name, parameter) in parameters.into_iter().flatten() {
        if let Some(node) = parameter.as_object_mut() {
            compact_parameter(node, holds(&required, name), &below("", name), notes);
        }
    }
}

fn compact_parameter(
    node: &mut Map<String, Value>,
    is_required: bool,
    place: &str,
    notes: &mut Notes,
) {
    let description = node.remove("description");
    let description = description.as_ref().and_then(Value::as_str);
    let description = description.map(first_sentence).unwrap_or_default();
    if is_required {
        node.insert(String::from("description"), json!(description));
        return;
    }
    let is_nested = has_members(node);
    node.retain(|keyword, _| matches!(keyword.as_str(), "type" | "enum" | "items" | "anyOf"));
    if is_nested {
        if let Some(items) = node.get_mut("items") {
            *items = json!({ "type": items["type"] });
        }
        let hint = format!("{description} For its schema, call stead_describe_tool.");
        node.insert(String::from("description"), json!(hint.trim_start()));
        notes.at(Notes::SHORT, place.to_owned());
    }
    each_child(node, "", |child, _| {
        if let Some(child) = child.as_object_mut() {
            child.remove("description");
        }
    });
}

/// Whether a node contains an object with members.
fn has_members(node: &Map<String, Value>) -> bool {
    let own = |node: &Value| {
        node["properties"]
            .as_object()
            .is_some_and(|all| !all.is_empty())
    };
    let whole = Value::Object(node.clone());
    own(&whole) || has_type(&whole, "array") && own(&whole["items"])
}

/// The text up to its first full stop outside code.
fn first_sentence(text: &str) -> &str {
    let mut is_code = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '`' => is_code = !is_code,
            '\n' => return &text[..at],
            '.' if !is_code => {
                let rest = &text[at + 1..];
                if rest.is_empty() || rest.starts_with([' ', '\n']) {
                    return &text[..=at];
                }
            }
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_sentence_ends_outside_of_code() {
        for (text, first) in [
            ("Read a note. And more.", "Read a note."),
            ("A name such as `a. b`. More", "A name such as `a. b`."),
            ("Version 1.5 of it\n\nMore.", "Version 1.5 of it"),
            ("No end", "No end"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
