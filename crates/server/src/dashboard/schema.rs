//! Maps the nodes of a JSON Schema to the parts of a form.

use serde_json::Value;

/// The deepest groups of a form. Deeper values are entered as JSON.
const DEEPEST: usize = 4;

/// How a value is entered.
#[derive(Debug)]
pub(super) enum Kind<'s> {
    /// A text, of one line or more.
    Text,
    /// A day.
    Date,
    /// A text of a format, such as `date-time`.
    Formatted(&'s str),
    Number,
    Flag,
    /// One of these words.
    Choice(Vec<&'s str>),
    /// Members, each with its schema.
    Group(Vec<Member<'s>>),
    /// Items of this schema.
    List(&'s Value),
    /// Anything else, as JSON.
    Json,
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'s> {
    pub(super) name: &'s str,
    pub(super) schema: &'s Value,
    pub(super) is_required: bool,
}

/// The kind of a node at this depth of groups and lists.
pub(super) fn kind(node: &Value, depth: usize) -> Kind<'_> {
    let node = but_null(node);
    if let Some(words) = node["enum"].as_array() {
        return Kind::Choice(words.iter().filter_map(Value::as_str).collect());
    }
    let name = match &node["type"] {
        Value::String(name) => Some(name.as_str()),
        Value::Array(names) => {
            let mut names = names.iter().filter_map(Value::as_str);
            let first = names.find(|name| *name != "null");
            first.filter(|_| names.all(|name| name == "null"))
        }
        _ => None,
    };
    match name {
        Some("string") => match node["format"].as_str() {
            Some("date") => Kind::Date,
            Some(format) => Kind::Formatted(format),
            None => Kind::Text,
        },
        Some("integer" | "number") => Kind::Number,
        Some("boolean") => Kind::Flag,
        Some("object") if depth < DEEPEST => match members(node) {
            members if members.is_empty() => Kind::Json,
            members => Kind::Group(members),
        },
        Some("array") if depth < DEEPEST => match kind(&node["items"], depth + 1) {
            Kind::Json | Kind::List(_) => Kind::Json,
            _ => Kind::List(&node["items"]),
        },
        _ => Kind::Json,
    }
}

/// The members of an object, required ones first.
pub(super) fn members(node: &Value) -> Vec<Member<'_>> {
    let node = but_null(node);
    let required = node["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|one| one == name));
    let members = node["properties"].as_object().into_iter().flatten();
    let mut members: Vec<Member<'_>> = members
        .map(|(name, schema)| Member {
            name,
            schema,
            is_required: is_required(name),
        })
        .collect();
    members.sort_by_key(|member| !member.is_required);
    members
}

/// The only alternative other than `null`, or otherwise the node.
fn but_null(node: &Value) -> &Value {
    let Some(options) = node["anyOf"].as_array() else {
        return node;
    };
    let mut others = options.iter().filter(|option| option["type"] != "null");
    match (others.next(), others.next()) {
        (Some(one), None) => one,
        _ => node,
    }
}
