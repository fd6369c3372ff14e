//! Reads JSON objects strictly, with Notion's error messages, and returns lists in pages. A cursor is the ID of the
//! first item on the next page (Notion API, "Pagination").

use serde_json::{Map, Value, json};

use super::{errors::ApiError, ids};

/// An object in a request, and its path, such as `body.parent`.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'value> {
    members: &'value Map<String, Value>,
    path: String,
}

impl<'value> Reader<'value> {
    /// Reads the value as an object that has no other members than these.
    pub(crate) fn new(
        value: &'value Value,
        path: impl Into<String>,
        known: &[&str],
    ) -> Result<Self, ApiError> {
        let path = path.into();
        let members = value
            .as_object()
            .ok_or_else(|| wrong_type(&path, "an object", value))?;
        if let Some((name, value)) = members
            .iter()
            .find(|(name, _)| !known.contains(&name.as_str()))
        {
            let should = format!("not present, instead was {}", shown(value));
            return Err(ApiError::at(&format!("{path}.{name}"), &should));
        }
        Ok(Self { members, path })
    }

    /// The path of a member.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// An optional member.
    pub(crate) fn get(&self, name: &str) -> Option<&'value Value> {
        self.members.get(name)
    }

    /// A required member.
    pub(crate) fn required(&self, name: &str) -> Result<&'value Value, ApiError> {
        self.get(name)
            .ok_or_else(|| ApiError::at(&self.path(name), "defined, instead was `undefined`"))
    }

    /// An optional text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'value str>, ApiError> {
        let text = |value: &'value Value| {
            value
                .as_str()
                .ok_or_else(|| wrong_type(&self.path(name), "a string", value))
        };
        self.get(name).map(text).transpose()
    }

    /// An optional boolean.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        let flag = |value: &Value| {
            value
                .as_bool()
                .ok_or_else(|| wrong_type(&self.path(name), "a boolean", value))
        };
        self.get(name).map(flag).transpose()
    }

    /// An optional ID.
    pub(crate) fn id(&self, name: &str) -> Result<Option<String>, ApiError> {
        let read = |text: &str| {
            ids::read(text).ok_or_else(|| {
                let should = format!("a valid uuid, instead was `\"{text}\"`");
                ApiError::at(&self.path(name), &should)
            })
        };
        self.text(name)?.map(read).transpose()
    }

    /// An optional text that must be one of these.
    pub(crate) fn one_of(
        &self,
        name: &str,
        words: &[&str],
    ) -> Result<Option<&'value str>, ApiError> {
        match self.text(name)? {
            Some(word) if !words.contains(&word) => {
                let list: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
                let should = format!("{}, instead was `\"{word}\"`", list.join(" or "));
                Err(ApiError::at(&self.path(name), &should))
            }
            word => Ok(word),
        }
    }
}

/// The error for a value of the wrong type.
pub(crate) fn wrong_type(path: &str, kind: &str, value: &Value) -> ApiError {
    ApiError::at(path, &format!("{kind}, instead was {}", shown(value)))
}

/// A list with at most this many items.
pub(crate) fn list<'value>(
    value: &'value Value,
    path: &str,
    most: usize,
) -> Result<&'value [Value], ApiError> {
    let items = value
        .as_array()
        .ok_or_else(|| wrong_type(path, "an array", value))?;
    if items.len() > most {
        let should = format!("≤ `{most}`, instead was `{}`", items.len());
        return Err(ApiError::at(&format!("{path}.length"), &should));
    }
    Ok(items)
}

/// A text of at most this many UTF-16 code units.
pub(crate) fn bounded_text<'value>(
    value: &'value Value,
    path: &str,
    most: usize,
) -> Result<&'value str, ApiError> {
    let text = value
        .as_str()
        .ok_or_else(|| wrong_type(path, "a string", value))?;
    let length = text.encode_utf16().count();
    if length > most {
        let should = format!("≤ `{most}`, instead was `{length}`");
        return Err(ApiError::at(&format!("{path}.length"), &should));
    }
    Ok(text)
}

fn shown(value: &Value) -> String {
    let text: String = value.to_string().chars().take(100).collect();
    format!("`{text}`")
}

/// The part of a list that the request asks for.
#[derive(Debug)]
pub(crate) struct PageRange {
    size: usize,
    cursor: Option<String>,
}

impl PageRange {
    /// Reads `page_size` and `start_cursor` of a body.
    pub(crate) fn of_body(body: &Reader<'_>) -> Result<Self, ApiError> {
        let size = match body.get("page_size") {
            None => 100,
            Some(value) => size(value.as_i64(), &body.path("page_size"), &value.to_string())?,
        };
        Ok(Self {
            size,
            cursor: body.id("start_cursor")?,
        })
    }

    /// Reads the same parameters of a query.
    pub(crate) fn of_query(query: &crate::request::Query) -> Result<Self, ApiError> {
        let asked = query.first("page_size");
        let size = match asked {
            None => 100,
            Some(text) => size(text.parse().ok(), "query.page_size", text)?,
        };
        let cursor = query
            .first("start_cursor")
            .map(|text| ids::read(text).ok_or_else(|| unknown(text)))
            .transpose()?;
        Ok(Self { size, cursor })
    }

    /// Returns this part of the items. Each item has its ID.
    pub(crate) fn of(&self, items: Vec<(String, Value)>, kind: &str) -> Result<Value, ApiError> {
        let start = match &self.cursor {
            None => 0,
            Some(cursor) => items
                .iter()
                .position(|(id, _)| id == cursor)
                .ok_or_else(|| unknown(cursor))?,
        };
        let next = items.get(start + self.size).map(|(id, _)| id.clone());
        let results: Vec<Value> = items
            .into_iter()
            .skip(start)
            .take(self.size)
            .map(|(_, item)| item)
            .collect();
        Ok(json!({
            "object": "list",
            "results": results,
            "has_more": next.is_some(),
            "next_cursor": next,
            "type": kind,
            kind: {},
        }))
    }
}

fn size(number: Option<i64>, path: &str, shown: &str) -> Result<usize, ApiError> {
    let number =
        number.ok_or_else(|| ApiError::at(path, &format!("a number, instead was `{shown}`")))?;
    match usize::try_from(number) {
        Ok(size @ 1..=100) => Ok(size),
        Ok(101..) => Err(ApiError::at(
            path,
            &format!("≤ `100`, instead was `{number}`"),
        )),
        _ => Err(ApiError::at(
            path,
            &format!("≥ `1`, instead was `{number}`"),
        )),
    }
}

fn unknown(cursor: &str) -> ApiError {
    ApiError::invalid(format!("The start_cursor provided is invalid: {cursor}"))
}
