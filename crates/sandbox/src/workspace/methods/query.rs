//! Rows of databases and data sources.

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::Value;

use crate::workspace::{
    ApiError, Call, Reader, State, Version,
    content::{Page, Source},
    reader::PageRange,
    reader::list,
    shapes, values,
};

/// "Query a database": its rows, sorted, in pages.
pub(super) fn query_database(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let database = content
        .database(call.id(0))
        .filter(|database| call.can_see(content, &database.id));
    let database = database.ok_or_else(|| ApiError::not_found("database", call.id(0)))?;
    match database.sources.as_slice() {
        [only] => rows(state, call, only, "page_or_database"),
        several => Err(ApiError::several_sources(&database.id, several)),
    }
}

/// "Query a data source", from 2025-09-03 on.
pub(super) fn query_source(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    if content.source(call.id(0)).is_none() || !call.can_see(content, call.id(0)) {
        return Err(ApiError::not_found("data source", call.id(0)));
    }
    rows(state, call, call.id(0), "page_or_data_source")
}

fn rows(state: &State, call: &Call, source: &str, kind: &str) -> Result<Value, ApiError> {
    let content = &*state.content;
    let source = content
        .source(source)
        .ok_or_else(|| ApiError::not_found("data source", source))?;
    let trash = if call.version < Version::InTrash {
        "archived"
    } else {
        "in_trash"
    };
    let body = Reader::new(
        &call.body,
        "body",
        &["filter", "sorts", "page_size", "start_cursor", trash],
    )?;
    if body.get("filter").is_some() {
        return Err(ApiError::invalid("The sandbox does not support filters."));
    }
    body.flag(trash)?;
    let only = properties(call, source)?;

    let mut rows: Vec<&Page> = content.rows(&source.id).collect();
    // The newest row comes first unless another order is asked for.
    rows.reverse();
    if let Some(sorts) = body.get("sorts") {
        let sorts = list(sorts, "body.sorts", 100)?;
        let orders: Vec<Order> = sorts
            .iter()
            .enumerate()
            .map(|(index, sort)| Order::read(sort, &format!("body.sorts[{index}]"), source))
            .collect::<Result<_, _>>()?;
        rows.sort_by(|one, other| {
            let compared = orders.iter().map(|order| order.compare(one, other));
            compared.fold(Ordering::Equal, Ordering::then)
        });
    }
    let items = rows
        .into_iter()
        .map(|row| {
            (
                row.id.clone(),
                shapes::page(content, row, call.version, only.as_ref()),
            )
        })
        .collect();
    PageRange::of_body(&body)?.of(items, kind)
}

/// Plain ids that `filter_properties` names; a name is not one.
fn properties(call: &Call, source: &Source) -> Result<Option<BTreeSet<String>>, ApiError> {
    let asked: BTreeSet<String> = call
        .query
        .all("filter_properties")
        .map(str::to_owned)
        .collect();
    for id in &asked {
        if !source.columns.iter().any(|column| column.id == *id) {
            return Err(ApiError::invalid(format!(
                "{id} is not a property that exists."
            )));
        }
    }
    Ok((!asked.is_empty()).then_some(asked))
}

struct Order {
    by: By,
    descending: bool,
}

enum By {
    Property(String),
    Created,
    Edited,
}

impl Order {
    fn read(sort: &Value, path: &str, source: &Source) -> Result<Self, ApiError> {
        let reader = Reader::new(sort, path, &["property", "timestamp", "direction"])?;
        reader.required("direction")?;
        let descending =
            reader.one_of("direction", &["ascending", "descending"])? == Some("descending");
        let timestamp = reader.one_of("timestamp", &["created_time", "last_edited_time"])?;
        let by = match (reader.text("property")?, timestamp) {
            (Some(key), None) => {
                let message = format!("Could not find sort property with name or id: {key}");
                let column = source
                    .column(key)
                    .ok_or_else(|| ApiError::invalid(message))?;
                match column.kind {
                    "created_time" => By::Created,
                    "last_edited_time" => By::Edited,
                    _ => By::Property(column.id.clone()),
                }
            }
            (None, Some("created_time")) => By::Created,
            (None, Some(_)) => By::Edited,
            (None, None) => {
                return Err(ApiError::at(
                    &reader.path("property"),
                    "defined, instead was `undefined`",
                ));
            }
            (Some(_), Some(_)) => {
                return Err(ApiError::at(&reader.path("timestamp"), "not present"));
            }
        };
        Ok(Self { by, descending })
    }

    fn compare(&self, one: &Page, other: &Page) -> Ordering {
        let order = match &self.by {
            By::Property(id) => values::order(one.values.get(id), other.values.get(id)),
            By::Created => one.origin.created.cmp(&other.origin.created),
            By::Edited => one.origin.edited.cmp(&other.origin.edited),
        };
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }
}
