//! Values of a page's properties (Notion API, "Page properties").

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    columns::{KINDS, option},
    content::{Column, Source},
    errors::ApiError,
    reader::{Reader, bounded_text, list, wrong_type},
    rich_text,
};

/// Values by plain property ID.
pub(crate) type Values = BTreeMap<String, Value>;

/// Reads the values of a row. Adds a select's option if it doesn't exist yet.
pub(crate) fn of_row(
    properties: &Map<String, Value>,
    source: &mut Source,
) -> Result<Values, ApiError> {
    let mut values = Values::new();
    for (key, value) in properties {
        let unknown = || ApiError::invalid(format!("{key} is not a property that exists."));
        let id = source.column(key).ok_or_else(unknown)?.id.clone();
        let column = source
            .columns
            .iter_mut()
            .find(|column| column.id == id)
            .ok_or_else(unknown)?;
        let read = self::value(column, key, value)?;
        if values.insert(id, read).is_some() {
            return Err(ApiError::invalid(format!("{key} is given more than once.")));
        }
    }
    Ok(values)
}

/// Reads the values of a page that isn't a row, which has only a title.
pub(crate) fn of_page(properties: &Map<String, Value>) -> Result<Values, ApiError> {
    let mut values = Values::new();
    for (key, value) in properties {
        if key != "title" {
            let message = format!(
                "{key} is not a property that exists. A page that is not in a database has only a title."
            );
            return Err(ApiError::invalid(message));
        }
        let path = "body.properties.title";
        values.insert(
            key.clone(),
            rich_text::read(inner("title", value, path)?, path)?,
        );
    }
    Ok(values)
}

/// A value as a page shows it, with the ID and the kind of its property.
pub(crate) fn property_value(column: &Column, value: Option<&Value>, id: &str) -> Value {
    let value = value.cloned().unwrap_or_else(|| empty(column.kind));
    json!({"id": id, "type": column.kind, column.kind: value})
}

/// Compares two values. Missing ones come last.
pub(crate) fn order(one: Option<&Value>, other: Option<&Value>) -> std::cmp::Ordering {
    let key = |value: Option<&Value>| match value {
        None | Some(Value::Null) => (1, 0.0, String::new()),
        Some(Value::Number(number)) => (0, number.as_f64().unwrap_or_default(), String::new()),
        Some(Value::Bool(flag)) => (0, f64::from(u8::from(*flag)), String::new()),
        Some(Value::Array(_)) => (
            0,
            0.0,
            rich_text::plain(value.unwrap_or(&Value::Null)).to_lowercase(),
        ),
        Some(other) => {
            let text = other["start"]
                .as_str()
                .or(other["name"].as_str())
                .or(other.as_str());
            (0, 0.0, text.unwrap_or_default().to_lowercase())
        }
    };
    let (one, other) = (key(one), key(other));
    one.0
        .cmp(&other.0)
        .then(one.1.total_cmp(&other.1))
        .then(one.2.cmp(&other.2))
}

fn value(column: &mut Column, key: &str, given: &Value) -> Result<Value, ApiError> {
    let path = format!("body.properties.{key}");
    let is_another = KINDS
        .iter()
        .any(|kind| *kind != column.kind && given.get(kind).is_some());
    if is_another && given.get(column.kind).is_none() {
        return Err(ApiError::invalid(format!(
            "{key} is expected to be {}.",
            column.kind
        )));
    }
    let inner = inner(column.kind, given, &path)?;
    let path = format!("{path}.{}", column.kind);
    Ok(match column.kind {
        "title" | "rich_text" => rich_text::read(inner, &path)?,
        _ if inner.is_null() && column.kind != "checkbox" => Value::Null,
        "number" if inner.is_number() => inner.clone(),
        "checkbox" if inner.is_boolean() => inner.clone(),
        "url" => json!(bounded_text(inner, &path, 2000)?),
        "email" | "phone_number" => json!(bounded_text(inner, &path, 200)?),
        "date" => date(inner, &path)?,
        "select" | "status" => chosen(column, inner, &path)?,
        "multi_select" => {
            let mut options = Vec::new();
            for (index, item) in list(inner, &path, 100)?.iter().enumerate() {
                options.push(chosen(column, item, &format!("{path}[{index}]"))?);
            }
            json!(options)
        }
        "people" | "files" => json!(list(inner, &path, 100)?),
        "number" => return Err(wrong_type(&path, "a number", inner)),
        "checkbox" => return Err(wrong_type(&path, "a boolean", inner)),
        kind => {
            return Err(ApiError::invalid(format!(
                "{key} is a {kind}, which cannot be set."
            )));
        }
    })
}

/// The value below the kind. A title or a text may be a bare list.
fn inner<'value>(kind: &str, value: &'value Value, path: &str) -> Result<&'value Value, ApiError> {
    if value.is_array() && matches!(kind, "title" | "rich_text") {
        return Ok(value);
    }
    let reader = Reader::new(value, path, &["type", "id", kind])?;
    reader.required(kind)
}

fn date(value: &Value, path: &str) -> Result<Value, ApiError> {
    let reader = Reader::new(value, path, &["start", "end", "time_zone"])?;
    reader.required("start")?;
    for name in ["start", "end"] {
        let Some(text) = reader.get(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let text = text.as_str().unwrap_or_default();
        let is_valid =
            text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok();
        if !is_valid {
            let should = format!("a valid ISO 8601 date string, instead was `\"{text}\"`");
            return Err(ApiError::at(&reader.path(name), &should));
        }
    }
    Ok(json!({"start": value["start"], "end": value["end"], "time_zone": value["time_zone"]}))
}

/// The option with this name or ID. Creates it if a select doesn't have it.
fn chosen(column: &mut Column, value: &Value, path: &str) -> Result<Value, ApiError> {
    let reader = Reader::new(value, path, &["name", "id", "color", "description"])?;
    let (name, id) = (reader.text("name")?, reader.text("id")?);
    let options = column.config["options"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let found = options.iter().find(|option| {
        name.is_some_and(|name| option["name"] == name) || id.is_some_and(|id| option["id"] == id)
    });
    if let Some(option) = found {
        return Ok(option.clone());
    }
    let Some(name) = name.filter(|_| column.kind != "status") else {
        return Err(ApiError::invalid(format!(
            "{path} is not an option of {}.",
            column.name
        )));
    };
    if name.contains(',') {
        return Err(ApiError::invalid(format!(
            "Invalid select option, commas not allowed: {name}"
        )));
    }
    let made = option(&column.name, name, reader.text("color")?, options.len());
    if let Some(options) = column.config["options"].as_array_mut() {
        options.push(made.clone());
    }
    Ok(made)
}

fn empty(kind: &str) -> Value {
    match kind {
        "title" | "rich_text" | "multi_select" | "people" | "files" => json!([]),
        "checkbox" => json!(false),
        _ => Value::Null,
    }
}
