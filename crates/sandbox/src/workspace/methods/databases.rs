//! The methods for databases, data sources, queries and pages.

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::{Map, Value, json};

use crate::workspace::{
    ApiError, Call, Reader, State, Version,
    blocks::{self, Place},
    columns,
    content::{Content, Database, Page, Parent, Source},
    filter::Filter,
    reader::{PageRange, bounded_text, list, wrong_type},
    rich_text, shapes, values,
};

/// "Retrieve a database": one database with its data sources, or with its columns in older versions.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let database = content
        .database(call.id(0))
        .filter(|database| call.can_see(content, &database.id));
    let database = database.ok_or_else(|| ApiError::not_found("database", call.id(0)))?;
    if !call.version.has_data_sources() && database.sources.len() > 1 {
        return Err(ApiError::several_sources(&database.id, &database.sources));
    }
    Ok(shapes::database(content, database, call.version))
}

/// "Retrieve a data source": one data source with its columns.
pub(super) fn get_source(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let source = content
        .source(call.id(0))
        .filter(|source| call.can_see(content, &source.id));
    let source = source.ok_or_else(|| ApiError::not_found("data source", call.id(0)))?;
    Ok(shapes::source(content, source, call.version))
}

/// "Create a database": a database with one data source on a page.
pub(super) fn create(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let with_sources = call.version.has_data_sources();
    let holder = if with_sources {
        "initial_data_source"
    } else {
        "properties"
    };
    let body = Reader::new(
        &call.body,
        "body",
        &["parent", "title", "is_inline", holder],
    )?;
    let parent = Reader::new(
        body.required("parent")?,
        body.path("parent"),
        &["type", "page_id"],
    )?;
    parent.one_of("type", &["page_id"])?;
    if with_sources {
        parent.required("type")?;
    }
    parent.required("page_id")?;
    let page = parent.id("page_id")?.unwrap_or_default();
    let content = &*state.content;
    if content.page(&page).is_none() || !call.can_see(content, &page) {
        return Err(ApiError::not_found("page", &page));
    }
    body.flag("is_inline")?;
    let title = match body.get("title") {
        Some(title) => rich_text::read(title, "body.title")?,
        None => json!([]),
    };
    let columns = if with_sources {
        match body.get(holder) {
            Some(initial) => {
                let initial = Reader::new(initial, body.path(holder), &["properties"])?;
                match initial.get("properties") {
                    Some(properties) => columns::read(properties, &initial.path("properties"))?,
                    None => vec![columns::new("Name", "title", &[])],
                }
            }
            None => vec![columns::new("Name", "title", &[])],
        }
    } else {
        columns::read(body.required(holder)?, "body.properties")?
    };

    let origin = call.origin(state);
    let content = &mut *state.content;
    let (id, source) = (content.new_id(), content.new_id());
    content.sources.push(Source {
        id: source.clone(),
        database: id.clone(),
        title: title.clone(),
        columns,
        origin: origin.clone(),
    });
    let database = Database {
        id,
        page,
        title,
        sources: vec![source],
        origin,
    };
    let shown = shapes::database(content, &database, call.version);
    content.databases.push(database);
    Ok(shown)
}

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

/// "Query a data source", since version 2025-09-03.
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
    let mut known = vec!["filter", "sorts", "page_size", "start_cursor", trash];
    if call.version.has_data_sources() {
        known.push("result_type");
    }
    let body = Reader::new(&call.body, "body", &known)?;
    let filter = body.get("filter");
    let filter = filter.map(|filter| Filter::read(filter, "body.filter", source));
    let filter = filter.transpose()?;
    let in_trash = body.flag(trash)? == Some(true);
    let kind_of_row = body.one_of("result_type", &["page", "data_source"])?;
    let only = properties(call, source)?;

    // The trash is empty, and no database is a wiki.
    let is_asked = !in_trash && kind_of_row != Some("data_source");
    let holds = |row: &&Page| {
        let filter = filter.as_ref();
        is_asked && filter.is_none_or(|filter| filter.holds(row, state.now))
    };
    let mut rows: Vec<&Page> = content.rows(&source.id).filter(holds).collect();
    // The newest row comes first, unless the request asks for another order.
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

/// The plain IDs in `filter_properties`. Names aren't allowed.
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

/// "Retrieve a page": one page with its properties.
pub(super) fn get_page(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let page = content
        .page(call.id(0))
        .filter(|page| call.can_see(content, &page.id));
    let page = page.ok_or_else(|| ApiError::not_found("page", call.id(0)))?;
    let only: BTreeSet<String> = call
        .query
        .all("filter_properties")
        .map(str::to_owned)
        .collect();
    let only = (!only.is_empty()).then_some(&only);
    Ok(shapes::page(content, page, call.version, only))
}

/// "Create a page": a page below a page, or a row of a data source.
pub(super) fn create_page(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let known = ["parent", "properties", "icon", "cover", "children"];
    let body = Reader::new(&call.body, "body", &known)?;
    let parent = parent(&body, call, &*state.content)?;
    let icon = icon(&body)?;
    let cover = file(&body, "cover")?;
    let drafts = match body.get("children") {
        Some(children) => blocks::read(children, "body.children")?,
        None => Vec::new(),
    };
    let none = Map::new();
    let properties = match body.get("properties") {
        Some(value) => value
            .as_object()
            .ok_or_else(|| wrong_type("body.properties", "an object", value))?,
        None => &none,
    };
    let origin = call.origin(state);
    let content = &mut *state.content;
    let values = match &parent {
        Parent::Source(source) => match content.source_mut(source) {
            Some(source) => values::of_row(properties, source)?,
            None => values::Values::new(),
        },
        _ => values::of_page(properties)?,
    };
    let id = content.new_id();
    let page = Page {
        id: id.clone(),
        parent,
        values,
        icon,
        cover,
        origin: origin.clone(),
    };
    let shown = shapes::page(content, &page, call.version, None);
    content.pages.push(page);
    blocks::insert_blocks(content, &id, &Place::End, drafts, &origin);
    Ok(shown)
}

fn parent(body: &Reader<'_>, call: &Call, content: &Content) -> Result<Parent, ApiError> {
    let mut known = vec!["type", "page_id", "database_id"];
    if call.version.has_data_sources() {
        known.push("data_source_id");
    }
    let parent = Reader::new(body.required("parent")?, body.path("parent"), &known)?;
    let (page, database, source) = (
        parent.id("page_id")?,
        parent.id("database_id")?,
        parent.id("data_source_id")?,
    );
    match (page, database, source) {
        (Some(id), None, None) => match content.page(&id).filter(|_| call.can_see(content, &id)) {
            Some(_) => Ok(Parent::Page(id)),
            None => Err(ApiError::not_found("page", &id)),
        },
        (None, Some(id), None) => {
            let database = content.database(&id).filter(|_| call.can_see(content, &id));
            let database = database.ok_or_else(|| ApiError::not_found("database", &id))?;
            match database.sources.as_slice() {
                [source] => Ok(Parent::Source(source.clone())),
                several => Err(ApiError::several_sources(&id, several)),
            }
        }
        (None, None, Some(id)) => {
            match content.source(&id).filter(|_| call.can_see(content, &id)) {
                Some(_) => Ok(Parent::Source(id)),
                None => Err(ApiError::not_found("data source", &id)),
            }
        }
        _ => Err(ApiError::at(
            "body.parent.page_id",
            "defined, instead was `undefined`",
        )),
    }
}

fn icon(body: &Reader<'_>) -> Result<Value, ApiError> {
    let Some(value) = body.get("icon").filter(|value| !value.is_null()) else {
        return Ok(Value::Null);
    };
    if value.get("emoji").is_none() {
        return file(body, "icon");
    }
    let icon = Reader::new(value, body.path("icon"), &["type", "emoji"])?;
    icon.one_of("type", &["emoji"])?;
    let emoji = icon.text("emoji")?.unwrap_or_default();
    if emoji.is_empty() || emoji.is_ascii() || emoji.chars().count() > 12 {
        return Err(wrong_type(&icon.path("emoji"), "an emoji", &json!(emoji)));
    }
    Ok(json!({"type": "emoji", "emoji": emoji}))
}

/// A picture at another URL.
fn file(body: &Reader<'_>, name: &str) -> Result<Value, ApiError> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else {
        return Ok(Value::Null);
    };
    let file = Reader::new(value, body.path(name), &["type", "external"])?;
    file.one_of("type", &["external"])?;
    let external = Reader::new(file.required("external")?, file.path("external"), &["url"])?;
    let url = bounded_text(external.required("url")?, &external.path("url"), 2000)?;
    Ok(json!({"type": "external", "external": {"url": url}}))
}
