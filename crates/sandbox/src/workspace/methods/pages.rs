//! Pages.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::workspace::{
    ApiError, Call, Reader, State, blocks,
    content::{Content, Page, Parent},
    reader::{bounded_text, wrong_type},
    shapes, values,
};

/// "Retrieve a page": one page with its properties.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
pub(super) fn create(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
    blocks::insert_blocks(content, &id, None, drafts, &origin);
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

/// A picture elsewhere.
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
