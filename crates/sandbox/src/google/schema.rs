//! The fields of bodies and responses (`schemas.txt`). Bodies are checked against them before a method runs, as Google
//! does.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value};

use super::{
    Api,
    errors::{ApiError, ErrorShape},
    method::{ApiMethod, snake_case},
};

/// Fields by the name of their schema.
type Schemas = BTreeMap<&'static str, BTreeMap<&'static str, Field>>;

/// The schemas of all APIs.
pub(super) static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| parse(include_str!("schemas.txt")));

#[derive(Debug)]
pub(super) struct Field {
    kind: Kind,
    is_list: bool,
    /// Whether only Google writes it.
    is_read_only: bool,
    /// Whether the sandbox keeps it.
    is_kept: bool,
    /// The schema of the members. `*` if they aren't checked.
    pub(super) below: Option<&'static str>,
}

#[derive(Debug)]
enum Kind {
    Text,
    Flag,
    Number,
    OneOf(Vec<&'static str>),
}

/// Reads the table of schemas. An indented line continues the line above it.
fn parse(table: &'static str) -> Schemas {
    let mut schemas = Schemas::new();
    let mut current = "";
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields = match line.split_once(':') {
            Some((name, fields)) if !line.starts_with(' ') => {
                current = name;
                fields
            }
            _ => line,
        };
        if !current.is_empty() {
            let known = schemas.entry(current).or_default();
            known.extend(fields.split_whitespace().map(field));
        }
    }
    schemas
}

/// Reads `attendees[]:EventAttendee`.
fn field(text: &'static str) -> (&'static str, Field) {
    let (text, below) = match text.split_once(':') {
        Some((text, below)) => (text, Some(below)),
        None => (text, None),
    };
    let (text, values) = match text.split_once('=') {
        Some((text, values)) => (text, Some(values)),
        None => (text, None),
    };
    let name = text.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let marks = &text[name.len()..];
    let kind = match values {
        Some(values) => Kind::OneOf(values.split('|').collect()),
        None if marks.contains('?') => Kind::Flag,
        None if marks.contains('#') => Kind::Number,
        None => Kind::Text,
    };
    let field = Field {
        kind,
        is_list: marks.contains("[]"),
        is_read_only: marks.contains('!'),
        is_kept: !marks.contains('~'),
        below,
    };
    (name, field)
}

/// Checks the body of a request against the method's schema. An empty body counts as an empty object.
pub(super) fn body(
    api: &Api,
    method: &ApiMethod,
    bytes: &[u8],
) -> Result<Map<String, Value>, ApiError> {
    let Some(schema) = method.takes.filter(|_| !bytes.is_empty()) else {
        return Ok(Map::new());
    };
    let members = serde_json::from_slice(bytes).map_err(|error| {
        ApiError::unbound("", format!("Invalid JSON payload received. {error}"))
    })?;
    let at = match schema {
        "ValueRange" => "data".to_owned(),
        "FreeBusyRequest" => "resource".to_owned(),
        other => snake_case(other),
    };
    check(api, schema, &at, members)
}

fn check(
    api: &Api,
    schema: &str,
    at: &str,
    members: Map<String, Value>,
) -> Result<Map<String, Value>, ApiError> {
    let known = SCHEMAS.get(schema);
    let mut kept = Map::new();
    for (name, value) in members {
        let Some(field) = known.and_then(|known| known.get(name.as_str())) else {
            let message = format!(
                "Invalid JSON payload received. Unknown name \"{name}\" at '{at}': Cannot find field."
            );
            return Err(ApiError::unbound(at, message));
        };
        if field.is_read_only {
            match api.refuses_read_only {
                Some(message) => return Err(ApiError::of(403, "fieldNotWritable", message)),
                None => continue,
            }
        }
        let place = format!("{at}.{name}");
        if !field.is_kept && !value.is_null() {
            return Err(ApiError::unimplemented(format!(
                "The sandbox does not support {place}."
            )));
        }
        let value = match value {
            Value::Null => Value::Null,
            Value::Array(items) if field.is_list => {
                let items = items.into_iter().enumerate();
                let items = items.map(|(index, item)| {
                    field.check(api, &name, &format!("{place}[{index}]"), item)
                });
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            other if field.is_list => return Err(wrong(api, &name, &place, "TYPE_LIST", &other)),
            other => field.check(api, &name, &place, other)?,
        };
        kept.insert(name, value);
    }
    Ok(kept)
}

impl Field {
    /// Checks a value, or an item of a list.
    fn check(&self, api: &Api, name: &str, place: &str, value: Value) -> Result<Value, ApiError> {
        let kind = match (self.below, value) {
            // Times and guests of events have their own checks.
            (Some("*" | "EventDateTime" | "EventAttendee"), value) => return Ok(value),
            (Some(schema), Value::Object(members)) => {
                return check(api, schema, place, members).map(Value::Object);
            }
            (Some(_), value) => ("TYPE_MESSAGE", value),
            (None, value) => {
                let (is_valid, kind) = match &self.kind {
                    Kind::Text => (value.is_string() || value.is_array(), "TYPE_STRING"),
                    Kind::Flag => (value.is_boolean(), "TYPE_BOOL"),
                    Kind::Number => (value.is_number(), "TYPE_INT32"),
                    Kind::OneOf(values) => (
                        value.as_str().is_some_and(|text| values.contains(&text)),
                        "TYPE_ENUM",
                    ),
                };
                if is_valid {
                    return Ok(value);
                }
                (kind, value)
            }
        };
        Err(wrong(api, name, place, kind.0, &kind.1))
    }
}

fn wrong(api: &Api, name: &str, place: &str, kind: &str, value: &Value) -> ApiError {
    match api.errors {
        ErrorShape::Older => ApiError::of(400, "invalid", format!("Invalid value for: {name}")),
        _ => ApiError::unbound(
            place,
            format!("Invalid value at '{place}' ({kind}), {value}"),
        ),
    }
}

/// Reads members of a checked body.
pub(crate) trait Members {
    /// A text. `None` if it's absent or `null`.
    fn text(&self, name: &str) -> Option<&str>;
    /// A flag.
    fn flag(&self, name: &str) -> Option<bool>;
    /// A list. Empty if it's absent.
    fn list(&self, name: &str) -> &[Value];
    /// The texts of a list.
    fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.list(name).iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }
    /// An object.
    fn object(&self, name: &str) -> Option<&Map<String, Value>>;
    /// The objects of a list.
    fn objects(&self, name: &str) -> impl Iterator<Item = &Map<String, Value>> {
        self.list(name).iter().filter_map(Value::as_object)
    }
}

impl Members for Map<String, Value> {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    fn list(&self, name: &str) -> &[Value] {
        let list = self.get(name).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.get(name)?.as_object()
    }
}

/// Changes members like a PATCH: merges objects, replaces lists, and removes members that are `null` (Calendar API,
/// "Performance tips", Patch).
pub(super) fn merge(fields: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (name, change) in changes {
        match (fields.get_mut(&name), change) {
            (_, Value::Null) => drop(fields.remove(&name)),
            (Some(Value::Object(known)), Value::Object(change)) => merge(known, change),
            (_, mut change) => {
                if let Value::Object(members) = &mut change {
                    members.retain(|_, value| !value.is_null());
                }
                fields.insert(name, change);
            }
        }
    }
}
