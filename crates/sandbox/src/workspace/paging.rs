//! Lists and their cursors (Notion API, "Pagination"): a cursor is the id of the item with which the next
//! page begins.

use serde_json::{Value, json};

use super::{errors::ApiError, ids, reader::Reader};

/// Which part of a list is asked for.
#[derive(Debug)]
pub(crate) struct PageRange {
    size: usize,
    cursor: Option<String>,
}

impl PageRange {
    /// From `page_size` and `start_cursor` of a body.
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

    /// From the same parameters of a query.
    pub(crate) fn of_query(query: &crate::query::Query) -> Result<Self, ApiError> {
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

    /// That part of the items, which come with their ids.
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
