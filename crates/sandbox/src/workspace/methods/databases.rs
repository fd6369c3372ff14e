//! Databases and their data sources.

use serde_json::{Value, json};

use crate::workspace::{
    ApiError, Call, Reader, State, columns,
    content::{Database, Source},
    rich_text, shapes,
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
