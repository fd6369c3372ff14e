//! The schema as callers and models read it: short, and without parts that only the generator needs.

use serde_json::{Map, Value, json};

/// Marks an optional field that accepts `null`: `#[schemars(extend("x-null" = true))]`. Other optional fields can only
/// be absent.
const NULL_MARK: &str = "x-null";

/// Names members that are accepted and ignored, because applications send back copies of the product's own objects,
/// which have them: `#[schemars(extend("x-ignored" = ["href"]))]`. They aren't published.
pub(super) const IGNORED_MARK: &str = "x-ignored";

/// Marks a comma-separated string, or a list of strings without commas. Either form is accepted for the other.
/// `#[schemars(extend("x-commas" = true))]`
pub(super) const COMMAS_MARK: &str = "x-commas";

/// The object to build if a URL or an emoji is given instead. The text replaces `*`. The mark isn't published.
/// `#[schemars(extend("x-text" = {"url": {"external": {"url": "*"}}, "emoji": {"emoji": "*"}}))]`
pub(super) const TEXT_MARK: &str = "x-text";

/// A text that models read instead of a node's structure, for structures that are long and rarely needed. The node
/// keeps its type and gets this description. The published schema keeps the structure, as do exports that enforce it.
/// `#[schemars(extend("x-brief" = "Look: bold, italic, color."))]`
pub(super) const BRIEF_MARK: &str = "x-brief";

/// Marks an enumeration whose values explain themselves to a model, so exports omit their descriptions.
/// `#[schemars(extend("x-obvious" = true))]`
pub(super) const OBVIOUS_MARK: &str = "x-obvious";

/// Marks a parameter that the application chooses, not the model. It's in the published schema, but not in exports.
/// `#[schemars(extend("x-pinned" = true))]`
const PINNED_MARK: &str = "x-pinned";

/// Removes the parameters that the application chooses.
pub(super) fn without_pinned(schema: &mut Value) {
    if let Some(parameters) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        parameters.retain(|_, parameter| parameter.get(PINNED_MARK).is_none());
    }
}

/// Removes the marks, because they aren't part of JSON Schema.
pub(super) fn without_marks(schema: &mut Value) {
    match schema {
        Value::Object(node) => {
            for mark in [
                IGNORED_MARK,
                COMMAS_MARK,
                TEXT_MARK,
                BRIEF_MARK,
                OBVIOUS_MARK,
                PINNED_MARK,
            ] {
                node.remove(mark);
            }
            node.values_mut().for_each(without_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(without_marks),
        _ => {}
    }
}

/// Marks every optional parameter.
pub(super) fn keep_null(schema: &mut Value) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|required| required == name)
    };
    let parameters = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, parameter) in parameters.into_iter().flatten() {
        if !is_required(name) {
            parameter[NULL_MARK] = json!(true);
        }
    }
}

/// Joins the lines of each paragraph, and keeps the breaks between paragraphs.
pub(super) fn unwrap_lines(text: &str) -> String {
    text.split("\n\n")
        .map(|paragraph| paragraph.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Where `null` is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    /// In marked fields. In inputs, other optional fields can only be absent.
    WhereMarked,
    /// Everywhere, because products write `null` for absent members.
    Kept,
}

/// Removes what carries no information for a caller, and `null` if it only means an absent member.
pub(super) fn normalize(schema: &mut Value, nulls: Nulls) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    let takes_null = node
        .remove(NULL_MARK)
        .is_some_and(|mark| mark == json!(true));
    if !takes_null && nulls == Nulls::WhereMarked {
        drop_null(node);
    }
    if node
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| format.contains("int") || format == "double")
    {
        node.remove("format");
    }
    if node.get("default") == Some(&Value::Null) {
        node.remove("default");
    }
    if let Some(text) = node.get_mut("description")
        && let Some(lines) = text.as_str()
    {
        *text = Value::String(unwrap_lines(lines));
    }
    collapse_enum(node);
    for key in ["properties", "$defs"] {
        node.get_mut(key)
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
            .for_each(|(_, child)| {
                if let Some(child) = child.as_object_mut() {
                    child.remove("title");
                }
                normalize(child, nulls);
            });
    }
    for key in ["items", "additionalProperties"] {
        node.get_mut(key)
            .into_iter()
            .for_each(|child| normalize(child, nulls));
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        node.get_mut(key)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(|child| normalize(child, nulls));
    }
}

fn drop_null(node: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            node.insert(String::from("type"), one);
        }
    }
    if let Some(Value::Array(options)) = node.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(options)) = node.get_mut("anyOf") {
        options.retain(|option| option != &json!({ "type": "null" }));
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            node.remove("anyOf");
            for (key, value) in only {
                node.entry(key).or_insert(value);
            }
        }
    }
}

/// schemars writes a documented enumeration as `oneOf` of constants. Models read a plain `enum` better.
fn collapse_enum(node: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = node.get("oneOf") else {
        return;
    };
    let mut values = Vec::new();
    let mut meanings = Vec::new();
    for option in options {
        if let Some(constant) = option.get("const") {
            values.push(constant.clone());
            if let (Some(constant), Some(meaning)) = (
                constant.as_str(),
                option.get("description").and_then(Value::as_str),
            ) {
                meanings.push(format!("{constant}: {}", unwrap_lines(meaning)));
            }
        } else if let Some(Value::Array(several)) = option.get("enum") {
            values.extend(several.iter().cloned());
        } else {
            return;
        }
    }
    node.remove("oneOf");
    node.insert(String::from("type"), json!("string"));
    node.insert(String::from("enum"), Value::Array(values));
    if !meanings.is_empty() {
        let own = node
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let joined = [own, &meanings.join(" ")].join(" ").trim().to_owned();
        let own = json!(own);
        // The description without the meanings.
        node.entry(OBVIOUS_MARK).and_modify(|mark| *mark = own);
        node.insert(String::from("description"), Value::String(joined));
    }
}
